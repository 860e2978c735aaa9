// Small files, whole. Errors are std::filesystem::filesystem_error (writing) or awele::Error (reading).
#pragma once

#include <filesystem>
#include <string>

namespace awele {

/// Writes a file and flushes it to disk.
void write_file(const std::filesystem::path& path, const std::string& text);
/// Replaces a file by one with other contents: whoever reads it sees the old one or the new one, whole.
void replace_file(const std::filesystem::path& path, const std::string& text);
/// Flushes the names in a directory to disk.
void flush_directory(const std::filesystem::path& dir);
/// The contents of a regular file.
std::string read_file(const std::filesystem::path& path);

}  // namespace awele
