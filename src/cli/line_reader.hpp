// Lines of standard input, as they come.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace awele::cli {

/// Lines that are there without waiting are taken together. A line ends with LF, CR LF or CR; a byte order
/// mark before it is left out.
class LineReader {
 public:
  /// The next lines, at least one and at most `most`; none at the end of the input. Throws Error: when it
  /// cannot be read, and (usage) when it is UTF-16 or UTF-32.
  std::vector<std::string> next(std::size_t most);

 private:
  bool take(std::vector<std::string>& lines);
  void look_at_beginning();
  void read_some();

  std::string buffer_;
  std::size_t begin_ = 0;
  bool beginning_ = true;  ///< nothing has been taken yet
  bool after_cr_ = false;  ///< an LF that comes next belongs to the line before
  bool ended_ = false;
};

/// All of standard input.
std::string read_standard_input();

}  // namespace awele::cli
