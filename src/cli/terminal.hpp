// The terminal that the program's output reaches, if any.
#pragma once

#include <optional>

namespace awele::cli {

/// Columns of the terminal where results are read; none when they go to a file or a program. Asked anew at
/// every call, as windows change. Under Open MPI's mpirun, which forwards, that of mpirun counts.
std::optional<int> columns_of_results();

/// The same of messages.
std::optional<int> columns_of_messages();

}  // namespace awele::cli
