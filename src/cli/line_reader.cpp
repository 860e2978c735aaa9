#include "line_reader.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "awele/support/error.hpp"
#include "awele/support/text.hpp"

namespace awele::cli {

namespace {

bool more_waits() {
  pollfd waiting{STDIN_FILENO, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

/// Appends what one read gives; false at the end of the input.
bool read_into(std::string& buffer) {
  std::array<char, 65536> bytes;
  ssize_t got = 0;
  do got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  while (got < 0 && errno == EINTR);
  if (got < 0) throw Error(fmt::format("standard input cannot be read: {}", std::strerror(errno)));
  buffer.append(bytes.data(), static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

std::vector<std::string> LineReader::next(std::size_t most) {
  std::vector<std::string> lines;
  while (lines.size() < most) {
    if (take(lines)) continue;
    if (ended_ || (!lines.empty() && !more_waits())) break;
    read_some();
  }
  return lines;
}

/// Moves one whole line out of the buffer; at the end of the input also one that nothing ends.
bool LineReader::take(std::vector<std::string>& lines) {
  if (after_cr_ && begin_ < buffer_.size()) {
    begin_ += buffer_[begin_] == '\n' ? 1 : 0;
    after_cr_ = false;
  }
  std::size_t end = buffer_.find('\n', begin_);
  const std::size_t cr = std::string_view(buffer_).substr(0, end).find('\r', begin_);
  if (cr != std::string_view::npos) end = cr;
  if (end == std::string::npos && !ended_) return false;
  if (beginning_) look_at_beginning();
  // Not only before the first line: files that begin with a mark may have been joined.
  if (std::string_view(buffer_).substr(begin_).starts_with(kByteOrderMark)) begin_ += kByteOrderMark.size();
  if (end == std::string::npos && begin_ == buffer_.size()) return false;
  lines.push_back(buffer_.substr(begin_, end - begin_));
  after_cr_ = end != std::string::npos && buffer_[end] == '\r';
  begin_ = end == std::string::npos ? buffer_.size() : end + 1;
  return true;
}

void LineReader::look_at_beginning() {
  beginning_ = false;
  if (const auto encoding = wide_encoding(buffer_); !encoding.empty())
    throw Error(ExitCode::usage, refuse_wide(encoding, "standard input"));
}

void LineReader::read_some() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  ended_ = !read_into(buffer_);
}

std::string read_standard_input() {
  std::string text;
  while (read_into(text)) {
  }
  return text;
}

}  // namespace awele::cli
