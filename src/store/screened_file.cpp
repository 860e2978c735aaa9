#include "screened_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <utility>

#include "awele/store/read_errors.hpp"
#include "hdf5_file.hpp"

namespace awele {

namespace {

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};  // HDF5's undefined address
constexpr std::uint64_t kMostMetadata = 1
                                        << 16;  // of a block of an object header; ours take some 1,000 bytes
constexpr std::size_t kMostBlocks = 16;         // of an object header; ours have two or three

/// What is wrong with the bytes at hand.
struct Fault {
  std::string what;
};

[[noreturn]] void fault(std::string what) { throw Fault{std::move(what)}; }

/// Takes numbers and bytes from the front; a Fault when there are not enough.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> all) : rest_(all) {}
  std::size_t size() const { return rest_.size(); }
  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) fault("a part of its metadata ends too early");
    const auto front = rest_.first(count);
    rest_ = rest_.subspan(count);
    return front;
  }
  /// A little-endian number of `count` bytes, at most 8.
  std::uint64_t number(std::size_t count) {
    std::uint64_t value = 0;
    std::memcpy(&value, take(count).data(), count);
    return value;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  std::uint64_t word() { return number(8); }
  std::string text(std::size_t count) {
    const auto front = take(count);
    return {reinterpret_cast<const char*>(front.data()), front.size()};
  }
  /// True when the next bytes are these.
  bool next_are(std::initializer_list<int> wanted) {
    return std::ranges::equal(take(wanted.size()), wanted,
                              [](std::byte a, int b) { return std::to_integer<int>(a) == b; });
  }

 private:
  std::span<const std::byte> rest_;
};

/// The checksum of HDF5's metadata: lookup3 of Bob Jenkins ("hashlittle").
std::uint32_t metadata_checksum(std::span<const std::byte> data) {
  const auto initial = 0xdeadbeef + static_cast<std::uint32_t>(data.size());
  std::uint32_t a = initial, b = initial, c = initial;
  const auto add = [&](std::span<const std::byte> part) {
    std::array<std::uint32_t, 3> words{};
    std::memcpy(words.data(), part.data(), part.size());
    a += words[0], b += words[1], c += words[2];
  };
  for (; data.size() > 12; data = data.subspan(12)) {
    add(data.first(12));
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  if (data.empty()) return c;
  add(data);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

/// Without its last four bytes, which are its checksum.
std::span<const std::byte> checked(std::span<const std::byte> block) {
  if (block.size() < 4) fault("a part of its metadata ends too early");
  const auto body = block.first(block.size() - 4);
  if (Bytes(block.last(4)).number(4) != metadata_checksum(body)) fault("a checksum of its metadata is wrong");
  return body;
}

std::size_t size_of(Stored type) {
  switch (type) {
    case Stored::i8:
    case Stored::u8:
      return 1;
    case Stored::u16:
      return 2;
    case Stored::i32:
    case Stored::u32:
      return 4;
    case Stored::u64:
      return 8;
    case Stored::text:
      break;
  }
  return 0;
}

/// True when the datatype is `type`.
bool is_type(std::span<const std::byte> datatype, Stored type) {
  Bytes in(datatype);
  if (type == Stored::text) {  // of a fixed length; padding and character set may be any
    if (in.size() != 8 || in.byte() != 0x13) return false;
    in.take(3);
    const std::uint64_t size = in.number(4);
    return size >= 1 && size <= kMostText;
  }
  const int size = static_cast<int>(size_of(type));
  const bool is_signed = type == Stored::i8 || type == Stored::i32;
  return in.size() == 12 && in.next_are({0x10, is_signed ? 8 : 0, 0, 0, size, 0, 0, 0, 0, 0, 8 * size, 0});
}

std::size_t stored_size(std::span<const std::byte> datatype) {
  Bytes in(datatype);
  in.take(4);
  return in.number(4);
}

/// True when the dataspace is of one dimension and `elements`, not extendible.
bool is_space(std::span<const std::byte> dataspace, std::uint64_t elements) {
  Bytes in(dataspace);
  if (in.size() != 12 && in.size() != 20) return false;
  const bool with_most = in.size() == 20;
  return in.next_are({2, 1, with_most, 1}) && in.word() == elements && (!with_most || in.word() == elements);
}

constexpr unsigned kDeflate = 1, kShuffle = 2, kFletcher32 = 3;

std::vector<unsigned> filters_of(Packing packing) {
  switch (packing) {
    case Packing::deflate:
      return {kDeflate};
    case Packing::shuffle_deflate:
      return {kShuffle, kDeflate};
    case Packing::fletcher32:
      return {kFletcher32};
  }
  return {};
}

bool is_pipeline(std::span<const std::byte> pipeline, const DatasetForm& form) {
  Bytes in(pipeline);
  const std::vector<unsigned> filters = filters_of(form.packing);
  if (in.byte() != 2 || in.byte() != filters.size()) return false;
  for (unsigned filter : filters) {
    const std::size_t values = filter == kFletcher32 ? 0 : 1;
    if (in.number(2) != filter) return false;
    in.take(2);  // flags
    if (in.number(2) != values) return false;
    if (filter == kDeflate && in.number(4) > 9) return false;
    if (filter == kShuffle && in.number(4) != size_of(form.type)) return false;
  }
  return in.size() == 0;
}

// Types of messages in an object header.
constexpr std::uint8_t kNothing = 0, kDataspace = 1, kLinkInfo = 2, kDatatype = 3, kFillValue = 5, kLink = 6,
                       kLayout = 8, kGroupInfo = 10, kPipeline = 11, kAttribute = 12, kContinuation = 16,
                       kAttributeInfo = 21;

/// The messages that say where many links or attributes are: here nowhere.
bool is_compact(std::span<const std::byte> info) {
  Bytes in(info);
  return in.size() == 18 && in.next_are({0, 0}) && in.word() == kNowhere && in.word() == kNowhere;
}

}  // namespace

template <typename Action>
void ScreenedFile::screen(Action action) const {
  try {
    action();
  } catch (const Fault& found) {
    // Who is writing to a file at this moment need not leave it consistent.
    if (::flock(fd_, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) fail_unreadable(path_, EWOULDBLOCK);
    fail_damaged(path_, found.what, remedy_);
  }
}

ScreenedFile::ScreenedFile(std::filesystem::path path, std::string remedy)
    : path_(std::move(path)), remedy_(std::move(remedy)) {
  open_descriptor();
  try {
    screen([&] {
      read_superblock();
      read_root();
    });
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

ScreenedFile::~ScreenedFile() { ::close(fd_); }

void ScreenedFile::open_descriptor() {
  struct stat status {};
  const auto require_file = [&](int result) {
    if (result != 0) fail_unreadable(path_, errno);
    if (!S_ISREG(status.st_mode))
      throw Unreadable(fmt::format("{} is not a regular file; move it away", path_.string()));
  };
  require_file(::stat(path_.c_str(), &status));  // a device may notice that it is opened
  fd_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd_ < 0) fail_unreadable(path_, errno);
  try {
    require_file(::fstat(fd_, &status));
  } catch (...) {
    ::close(fd_);
    throw;
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

std::vector<std::byte> ScreenedFile::read(std::uint64_t at, std::uint64_t count) const {
  if (count > kMostMetadata) fault("a part of its metadata is too large");
  if (at > bytes_ || count > bytes_ - at) fault("its metadata points beyond its end");
  std::vector<std::byte> bytes(count);
  for (std::uint64_t done = 0; done < count;) {
    const ssize_t got = ::pread(fd_, bytes.data() + done, count - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_unreadable(path_, errno);
    if (got == 0) fault("it has become shorter");
    done += static_cast<std::uint64_t>(got);
  }
  return bytes;
}

void ScreenedFile::read_superblock() {
  constexpr std::size_t kSize = 48;
  const std::vector<std::byte> block = read(0, std::min<std::uint64_t>(kSize, bytes_));
  if (block.size() < 8 || !Bytes(block).next_are({0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'}))
    fault("it is not an HDF5 file");
  if (block.size() < kSize) fault("it is cut short");
  Bytes in(block);
  in.take(8);
  if (in.byte() != 3) fault("its HDF5 superblock is not of version 3");
  checked(block);
  if (!in.next_are({8, 8})) fault("its addresses are not of 8 bytes");
  const bool closed = in.byte() == 0;
  if (in.word() != 0 || in.word() != kNowhere) fault("its superblock is not one that this program writes");
  if (const std::uint64_t end = in.word(); end != bytes_)
    fault(fmt::format("it has {} bytes instead of {}", bytes_, end));
  if (!closed) fault("the program that wrote to it last did not close it, or is still at work");
  root_ = in.word();
}

std::vector<ScreenedFile::Message> ScreenedFile::messages(std::uint64_t header) const {
  std::vector<Message> all;
  const auto append = [&](Bytes in) {
    while (in.size() >= 4) {
      const std::uint8_t type = in.byte();
      const std::uint64_t size = in.number(2);
      // Flags: a constant, or one that must not be shared; none that is.
      if ((in.byte() & ~5) != 0) fault("its metadata is shared");
      const auto data = in.take(size);
      if (type != kNothing) all.push_back({type, {data.begin(), data.end()}});
    }
  };
  // The prefix: signature, version, flags, times and limits as the flags say, and the size of the rest.
  constexpr std::size_t kLongestPrefix = 4 + 2 + 16 + 4 + 8;
  if (header >= bytes_) fault("its metadata points beyond its end");
  const std::vector<std::byte> begin = read(header, std::min<std::uint64_t>(kLongestPrefix, bytes_ - header));
  Bytes in(begin);
  if (!in.next_are({'O', 'H', 'D', 'R', 2})) fault("it has an object header that is not of version 2");
  const unsigned flags = in.byte();
  if ((flags & 0xcc) != 0) fault("it has an object header with flags that this program does not set");
  in.take((flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0));
  const std::uint64_t size = in.number(std::size_t{1} << (flags & 3));
  if (size > kMostMetadata) fault("a part of its metadata is too large");
  const std::size_t prefix = begin.size() - in.size();
  const std::vector<std::byte> first = read(header, prefix + size + 4);
  append(Bytes(checked(first).subspan(prefix)));
  // Continued elsewhere.
  std::size_t blocks = 1;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].type != kContinuation) continue;
    if (++blocks > kMostBlocks) fault("its metadata has too many parts");
    Bytes where(all[k].data);
    const std::uint64_t at = where.word(), length = where.word();
    const std::vector<std::byte> block = read(at, length);
    Bytes rest(checked(block));
    if (!rest.next_are({'O', 'C', 'H', 'K'})) fault("an object header goes on where there is none");
    append(rest);
  }
  std::erase_if(all, [](const Message& message) { return message.type == kContinuation; });
  return all;
}

void ScreenedFile::read_root() {
  for (const Message& message : messages(root_)) switch (message.type) {
      case kLinkInfo:
      case kAttributeInfo:
        if (!is_compact(message.data))
          fault("it holds links or attributes outside of the root group's header");
        break;
      case kGroupInfo:
        if (message.data.size() != 2 || !Bytes(message.data).next_are({0, 0}))
          fault("its root group is not one that this program writes");
        break;
      case kLink:
        read_link(message);
        break;
      case kAttribute:
        read_attribute(message);
        break;
      default:
        fault(fmt::format("its root group has metadata of type {}, which this program does not write",
                          message.type));
    }
}

void ScreenedFile::read_link(const Message& message) {
  Bytes in(message.data);
  const unsigned version = in.byte(), flags = in.byte();
  if (version != 1 || (flags & ~0x10u) != 0) fault("it has a link that is not a hard link");
  if (flags != 0) in.byte();  // the character set
  const std::string name = in.text(in.byte());
  const std::uint64_t header = in.word();
  if (in.size() != 0 || !links_.emplace(name, header).second) fault("it has a malformed link");
}

void ScreenedFile::read_attribute(const Message& message) {
  Bytes in(message.data);
  if (!in.next_are({3, 0})) fault("it has a malformed attribute");
  const std::uint64_t name_size = in.number(2), type_size = in.number(2), space_size = in.number(2);
  in.byte();  // the character set
  std::string name = in.text(name_size);
  name.resize(std::strlen(name.c_str()));
  const auto type = in.take(type_size), space = in.take(space_size), data = in.take(in.size());
  if (space.size() != 4 || !Bytes(space).next_are({2, 0, 0, 0}))
    fault(fmt::format("its attribute {} is not a single element", name));
  if (!attributes_.emplace(name, AttributeData{{type.begin(), type.end()}, {data.begin(), data.end()}})
           .second)
    fault(fmt::format("it has two attributes {}", name));
}

std::span<const std::byte> ScreenedFile::attribute(const AttributeForm& form) const {
  const auto found = attributes_.find(form.name);
  screen([&] {
    if (found == attributes_.end()) fault(fmt::format("its attribute {} is missing", form.name));
    const AttributeData& attribute = found->second;
    if (!is_type(attribute.type, form.type) || attribute.data.size() != stored_size(attribute.type))
      fault(fmt::format("its attribute {} is not of the right type", form.name));
  });
  return found->second.data;
}

std::string ScreenedFile::text(std::string_view name) const {
  const auto data = attribute({name, Stored::text});
  std::string text = Bytes(data).text(data.size());
  text.resize(std::strlen(text.c_str()));
  return text;
}

void ScreenedFile::require(std::span<const AttributeForm> forms) const {
  for (const AttributeForm& form : forms)
    if (has_attribute(form.name) || !form.optional) attribute(form);
  screen([&] {
    for (const auto& [name, data] : attributes_)
      if (std::ranges::find(forms, name, &AttributeForm::name) == forms.end())
        fault(fmt::format("it has an attribute '{}', which this program does not write", name));
  });
}

void ScreenedFile::require(std::span<const DatasetForm> forms) const {
  screen([&] {
    for (const auto& [name, header] : links_)
      if (std::ranges::find(forms, "/" + name, &DatasetForm::name) == forms.end())
        fault(fmt::format("it holds '/{}', which this program does not write", name));
    for (const DatasetForm& form : forms)
      if (has_dataset(form.name))
        require_dataset(form);
      else if (!form.optional)
        fault(fmt::format("it has no {}", form.name));
  });
}

void ScreenedFile::require_dataset(const DatasetForm& form) const {
  std::array<int, 256> count{};
  for (const Message& message : messages(links_.find(form.name.substr(1))->second)) {
    const std::span<const std::byte> data = message.data;
    const auto require = [&](bool right, const char* what) {
      if (!right) fault(fmt::format("{} has another {} than this program gives it", form.name, what));
    };
    ++count[message.type];
    switch (message.type) {
      case kDataspace:
        require(is_space(data, form.elements), "shape");
        break;
      case kDatatype:
        require(is_type(data, form.type), "type");
        break;
      case kFillValue:  // none of our own
        require(data.size() == 2 && data[0] == std::byte{3}, "fill value");
        break;
      case kLayout:
        require_layout(message, form);
        break;
      case kPipeline:
        require(is_pipeline(data, form), "filter");
        break;
      case kAttributeInfo:
        require(is_compact(data), "place for attributes");
        break;
      default:
        fault(fmt::format("{} has metadata of type {}, which this program does not write", form.name,
                          message.type));
    }
  }
  for (std::uint8_t type : {kDataspace, kDatatype, kFillValue, kLayout, kPipeline})
    if (count[type] != 1) fault(fmt::format("{} lacks metadata, or has it twice", form.name));
}

/// Chunks of the right size, with an index that lies in the file.
void ScreenedFile::require_layout(const Message& message, const DatasetForm& form) const {
  constexpr unsigned kChunked = 2, kSingleChunk = 1, kFixedArray = 3;
  const auto require = [&](bool right) {
    if (!right) fault(fmt::format("{} is not stored as this program does it", form.name));
  };
  Bytes in(message.data);
  const unsigned version = in.byte(), kind = in.byte(), flags = in.byte(), dimensions = in.byte();
  require(version == 4 && kind == kChunked && dimensions == 2);  // the second one: bytes of an element
  const std::uint64_t width = in.byte();
  require(width >= 1 && width <= 8);
  require(in.number(width) == form.chunk && in.number(width) == size_of(form.type));
  const unsigned index = in.byte();
  if (form.elements <= form.chunk) {
    require(index == kSingleChunk && flags == 2);
    const std::uint64_t stored = in.word(), mask = in.number(4), address = in.word();
    const std::uint64_t bytes = form.chunk * size_of(form.type);
    require(mask == 0 && stored >= 1);
    require(form.packing == Packing::fletcher32 ? stored == bytes + 4 : stored <= longest_stream(bytes));
    require(address <= bytes_ && stored <= bytes_ - address);
  } else {
    require(index == kFixedArray && flags == 0);
    in.byte();  // bits of a page
    require(in.word() < bytes_);
  }
  require(in.size() == 0);
}

File ScreenedFile::open() const {
  quiet_hdf5();
  const PropertyList bounds = version_bounds();
  File file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, bounds));
  if (!file.valid()) fail_reading(path_, "it cannot be opened", remedy_);
  return file;
}

}  // namespace awele
