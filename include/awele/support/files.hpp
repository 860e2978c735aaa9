// Small files, whole. Errors are std::filesystem::filesystem_error (writing) or awele::Error (reading).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace awele {

/// A file that appears under its name when it is whole. Until then it lies beside it as NAME.XXXXXXXX.tmp
/// (eight random hexadecimal digits; a long NAME is cut): a file of its own, which never was there before,
/// also when several processes write NAME at once. Unless finish() is reached it is removed.
class FileUnderWay {
 public:
  explicit FileUnderWay(std::filesystem::path path);
  ~FileUnderWay();
  FileUnderWay(const FileUnderWay&) = delete;
  FileUnderWay& operator=(const FileUnderWay&) = delete;

  void write(std::span<const std::byte> bytes);
  void flush();   ///< to disk
  void finish();  ///< gives it its name, in place of a file that has it

 private:
  std::filesystem::path path_, temporary_;
  int fd_ = -1;
};

/// Writes a file that must not be there yet and flushes it to disk.
void write_file(const std::filesystem::path& path, const std::string& text);
/// Replaces a file by one with other contents: whoever reads it sees the old one or the new one, whole.
void replace_file(const std::filesystem::path& path, const std::string& text);
/// Flushes the names in a directory to disk.
void flush_directory(const std::filesystem::path& dir);
/// The contents of a regular file.
std::string read_file(const std::filesystem::path& path);

}  // namespace awele
