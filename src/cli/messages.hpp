// What the program says on standard error. Nothing that is only a message may stop a run: where it cannot be
// written (disk full, closed, terminal gone) it is lost, and the program goes on.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>

namespace awele::cli {

/// Writes the parts, one after the other, in one call of the system where it takes them all. Needs no memory.
void write_message(std::initializer_list<std::string_view> parts) noexcept;

/// "awele: " and a sentence, on a line.
void error_message(std::string_view sentence) noexcept;

/// A line; arguments as of fmt::format.
template <typename... Args>
void message(fmt::format_string<Args...> format, Args&&... args) noexcept {
  try {
    fmt::memory_buffer text;
    fmt::vformat_to(fmt::appender(text), format, fmt::make_format_args(args...));
    write_message({std::string_view(text.data(), text.size()), "\n"});
  } catch (...) {
    // No memory for a message: the run may have enough for itself.
  }
}

}  // namespace awele::cli
