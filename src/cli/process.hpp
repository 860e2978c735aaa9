// What must hold in the process before anything else is done in it.
#pragma once

namespace awele::cli {

/// Descriptors 0 to 2 are open (a file of ours would otherwise be taken for standard input or output), a
/// write to a closed pipe or beyond a file size limit is an error of that write and no signal, and an
/// exception that nobody catches ends the process with a sentence and ExitCode::failure.
void prepare_process();

}  // namespace awele::cli
