// The control file of a checkpoint: a line with version and checksum, then an archive.
#pragma once

#include <cstddef>
#include <iomanip>
#include <span>
#include <sstream>
#include <string>

#include "awele/store/codec.hpp"

namespace awele::test {

inline std::string control_file(int version, const std::string& archive) {
  std::ostringstream all;
  all << "awele checkpoint, version " << version << ", crc32 " << std::hex << std::setw(8)
      << std::setfill('0') << crc32(0, std::as_bytes(std::span(archive))) << '\n'
      << archive;
  return all.str();
}

}  // namespace awele::test
