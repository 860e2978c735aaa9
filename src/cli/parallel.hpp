// Commands that run under mpirun (or without it, as one rank).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "awele/comm/communicator.hpp"
#include "awele/run/lock.hpp"
#include "commands.hpp"

namespace awele::cli {

/// Starts MPI, runs `body` on every rank and returns its exit code. An exception on any rank of several
/// prints its message with the rank and ends all ranks with the exception's exit code.
int run_parallel(const Context& context, const std::function<int(const Communicator& ranks)>& body);

/// The lock of a directory, on rank 0; a signal that ends the process removes it.
std::unique_ptr<RunLock> lock_directory(const std::filesystem::path& dir, const Communicator& ranks);

}  // namespace awele::cli
