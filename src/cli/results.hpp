// What a command prints on standard output. Results must arrive: the first write that fails is remembered,
// and the command ends with ExitCode::failure. Called from one thread.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace awele::cli {

/// Appends to the results; they are written at the latest by the calls below, on a terminal line by line.
void put_text(std::string_view text);

/// Arguments as of fmt::format.
template <typename... Args>
void put(fmt::format_string<Args...> format, Args&&... args) {
  fmt::memory_buffer text;
  fmt::vformat_to(fmt::appender(text), format, fmt::make_format_args(args...));
  put_text(std::string_view(text.data(), text.size()));
}

/// Writes what is still kept. Throws awele::Error when some of the results could not be written: a command
/// that goes on for long, or waits for an answer, must not do so for nobody.
void deliver_results();

/// Writes what is still kept, if it can.
void flush_results() noexcept;

/// Writes what is still kept and closes standard output. Returns the exit code of a command that ended with
/// `code`: after a message ExitCode::failure in place of 0 when some of the results could not be written.
int close_results(int code) noexcept;

}  // namespace awele::cli
