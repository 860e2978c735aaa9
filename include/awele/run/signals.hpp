// Signals that ask a run to stop.
//
// SIGUSR1 asks to stop with a checkpoint. SIGTERM, SIGINT and, unless it is ignored (nohup), SIGHUP end the
// process at once, leaving what is on disk as it is, or, with a grace, ask for a checkpoint that must be
// complete before the grace is over. Only flags are set; the solver looks at them between pieces of work.
#pragma once

#include <string>

namespace awele {

/// Installs the handlers. `grace`: seconds that SIGTERM, SIGINT and SIGHUP leave, 0 for none. Call it once.
void watch_signals(int grace);
/// The lock that a process removes when a signal ends it at once, if it still holds `token`.
void remove_when_ended(const std::string& path, const std::string& token);

bool stop_signalled();
/// One of these came, with a grace.
bool end_signalled();
/// Seconds of the grace that are left.
double grace_left();
/// Ends the process as its signal would have at once.
[[noreturn]] void end_at_once();
/// Sleeps until one of these signals has arrived or the time is over.
void sleep_until_signal(int seconds);

}  // namespace awele
