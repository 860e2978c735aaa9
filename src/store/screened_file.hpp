// A file of the store before HDF5 sees it.
//
// HDF5 believes what a file says of itself: crafted metadata makes it read other files, recurse without end,
// take gigabytes, or write past its buffers. So the metadata is read here first, byte by byte, and compared
// with what this program writes: superblock, root group, attributes, datasets. Only a file that holds nothing
// else is opened. The layout of these bytes is that of the "HDF5 File Format Specification Version 3.0", of
// which only what our files are made of is known here:
//
//   a superblock of version 3 at the very beginning, without extension;
//   object headers of version 2, with their checksums;
//   hard links and attributes, all in the root group's header;
//   one-dimensional datasets in chunks: a single chunk, or a fixed array as the index of the chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdf5.hpp"

namespace awele {

/// Types of elements, as they are stored: little-endian integers, or text of at most kMostText bytes.
enum class Stored { i8, u8, u16, i32, u32, u64, text };
inline constexpr std::size_t kMostText = 64;

/// An attribute of the root group: a single element.
struct AttributeForm {
  std::string_view name;
  Stored type;
  bool optional = false;
};

enum class Packing {
  deflate,
  shuffle_deflate,
  fletcher32  ///< not compressed
};

/// A dataset of the root group.
struct DatasetForm {
  std::string_view name;  ///< with the slash before it
  Stored type;
  std::uint64_t elements;
  std::uint64_t chunk;  ///< elements
  Packing packing;
  bool optional = false;
};

/// Errors: awele::Error, and that is Unreadable when the system gave no bytes (read_errors.hpp).
class ScreenedFile {
 public:
  /// Reads the superblock and the root group. `remedy`: for the sentence on a damaged file.
  ScreenedFile(std::filesystem::path path, std::string remedy);
  ~ScreenedFile();
  ScreenedFile(const ScreenedFile&) = delete;
  ScreenedFile& operator=(const ScreenedFile&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  bool has_attribute(std::string_view name) const { return attributes_.contains(name); }
  bool has_dataset(std::string_view name) const { return links_.contains(name.substr(1)); }

  /// The attribute's value; an Error when it is missing or not a single element of type `type`.
  template <typename T>
  T number(std::string_view name, Stored type) const {
    T value{};
    std::memcpy(&value, attribute({name, type}).data(), sizeof value);
    return value;
  }
  std::string text(std::string_view name) const;

  /// An Error unless the attributes are these and no others.
  void require(std::span<const AttributeForm> forms) const;
  /// An Error unless the datasets are these and nothing else is in the root group.
  void require(std::span<const DatasetForm> forms) const;

  /// Opens it with HDF5 for reading: once everything has been required.
  File open() const;

 private:
  struct AttributeData {
    std::vector<std::byte> type;  ///< as it lies in the file
    std::vector<std::byte> data;
  };
  struct Message {
    std::uint8_t type;
    std::vector<std::byte> data;
  };

  /// Runs `action`; what it finds wrong becomes the Error of this file.
  template <typename Action>
  void screen(Action action) const;
  void open_descriptor();
  std::vector<std::byte> read(std::uint64_t at, std::uint64_t count) const;
  void read_superblock();
  void read_root();
  std::vector<Message> messages(std::uint64_t header) const;
  void read_link(const Message& message);
  void read_attribute(const Message& message);
  std::span<const std::byte> attribute(const AttributeForm& form) const;
  void require_dataset(const DatasetForm& form) const;
  void require_layout(const Message& message, const DatasetForm& form) const;

  std::filesystem::path path_;
  std::string remedy_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0, root_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> links_;  ///< where the header is, by name
  std::map<std::string, AttributeData, std::less<>> attributes_;
};

}  // namespace awele
