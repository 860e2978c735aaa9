#include "parallel.hpp"

#include <new>
#include <string>

#include "awele/run/signals.hpp"
#include "awele/solver/solve.hpp"
#include "awele/support/error.hpp"
#include "messages.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

[[noreturn]] void end_all(const Communicator& ranks, ExitCode code, const char* sentence) {
  flush_results();
  const std::string rank = std::to_string(ranks.rank());
  write_message({"awele: [rank ", rank, "] ", sentence, "\n"});
  MpiSession::abort(static_cast<int>(code));
}

}  // namespace

int run_parallel(const Context& context, const std::function<int(const Communicator& ranks)>& body) {
  int argc = context.argc;
  char** argv = context.argv;
  MpiSession session(argc, argv);
  const Communicator ranks = Communicator::world();
  try {
    return body(ranks);
  } catch (const Stopped& stopped) {
    // All ranks stop together: rank 0 speaks for them, and MPI ends in good order.
    if (ranks.root()) error_message(stopped.what());
    return static_cast<int>(stopped.code());
  } catch (const Error& error) {
    if (ranks.size() == 1) throw;
    end_all(ranks, error.code(), error.what());
  } catch (const std::bad_alloc&) {
    if (ranks.size() == 1) throw;
    end_all(ranks, ExitCode::no_resources, "not enough memory; use more nodes or fewer seeds");
  } catch (const std::exception& error) {
    if (ranks.size() == 1) throw;
    end_all(ranks, ExitCode::failure, error.what());
  }
}

std::unique_ptr<RunLock> lock_directory(const std::filesystem::path& dir, const Communicator& ranks) {
  if (!ranks.root()) return nullptr;
  auto lock = std::make_unique<RunLock>(dir, [](const std::string& sentence) { message("{}", sentence); });
  remove_when_ended(lock->path().string(), lock->token());
  return lock;
}

}  // namespace awele::cli
