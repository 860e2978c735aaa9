#include "awele/store/slice_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>

#include "awele/index/slice_index.hpp"
#include "awele/store/distances.hpp"
#include "awele/support/error.hpp"
#include "awele/support/version.hpp"
#include "distance_dataset.hpp"
#include "hdf5_file.hpp"
#include "new_file.hpp"

namespace awele {

static_assert(std::endian::native == std::endian::little,
              "values and records are written as they lie in memory");

std::filesystem::path slice_path(const std::filesystem::path& dir, int n) {
  return dir / fmt::format("slice_{:02}.h5", n);
}

std::uint64_t chunk_size(int n) { return std::min(kChunk, slice_size(n)); }
std::uint64_t chunk_count(int n) { return (slice_size(n) + chunk_size(n) - 1) / chunk_size(n); }
std::uint64_t chunk_length(int n, std::uint64_t index) {
  return std::min(chunk_size(n), slice_size(n) - index * chunk_size(n));
}

namespace {
constexpr const char* kChunkCrcs = "/chunk_crc32";
constexpr const char* kTotal = "total";

[[noreturn]] void fail_damaged(const std::filesystem::path& path, const std::string& what) {
  throw Error(ExitCode::failure,
              fmt::format("{} is damaged: {}; remove it (or restore it from a copy) and solve it again",
                          path.string(), what));
}
}  // namespace

void inflate_chunk(const std::filesystem::path& path, int n, std::uint64_t index,
                   std::span<const std::byte> stream, Decompressor& decompressor,
                   std::span<std::int8_t> values) {
  if (!decompressor.run(stream, values.first(chunk_size(n))))
    fail_damaged(path, fmt::format("chunk {} of /values does not inflate to what its checksum says", index));
}

void fail_digest(const std::filesystem::path& path, std::uint32_t found, std::uint32_t stated) {
  fail_damaged(path,
               fmt::format("the CRC-32 of its values is {:08x}, its attribute says {:08x}", found, stated));
}

void require_chunk_digest(const std::filesystem::path& path, const char* dataset, std::uint64_t index,
                          std::uint32_t found, std::uint32_t stated) {
  if (found != stated)
    fail_damaged(path,
                 fmt::format("the CRC-32 of chunk {} of {} is {:08x}, {} says {:08x}", index, dataset, found,
                             dataset == std::string_view(kDistances) ? kDistanceCrcs : kChunkCrcs, stated));
}

void fail_distance_chunk(const std::filesystem::path& path, std::uint64_t index) {
  fail_damaged(path, fmt::format("chunk {} of /distance does not inflate to what its checksum says", index));
}

std::uint64_t SliceInfo::count_above() const {
  return std::accumulate(histogram.begin() + seeds + 1, histogram.end(), std::uint64_t{0});
}
std::uint64_t SliceInfo::count_zero() const { return histogram[static_cast<std::size_t>(seeds)]; }
std::uint64_t SliceInfo::count_below() const {
  return std::accumulate(histogram.begin(), histogram.begin() + seeds, std::uint64_t{0});
}

namespace {

/// The bytes that meta_crc32 covers: the histogram, then one line with the attributes.
std::uint32_t meta_crc(const SliceInfo& info, int version) {
  const std::uint32_t crc = crc32(0, std::as_bytes(std::span(info.histogram)));
  std::string line = fmt::format("{} {} {} {} {:08x} {}", version, name(info.rules), info.seeds,
                                 info.positions, info.crc, info.program_version);
  if (info.distance_crc) line += fmt::format(" {:08x}", *info.distance_crc);
  if (version >= 3) line += fmt::format(" total {}", info.scope.total());
  return crc32(crc, std::as_bytes(std::span(line)));
}

/// Elements of a chunk of /chunk_crc32: small, since a look-up of one position reads one of them.
constexpr std::uint64_t kCrcBlock = 1024;

/// No deflater makes the stream of a chunk longer than this.
std::uint64_t longest_stream(std::uint64_t chunk) { return chunk + chunk / 8 + 64; }

}  // namespace

// ---------------------------------------------------------------------------------------------- reading

namespace {
/// One CRC-32 a chunk, as the file states them.
struct CrcTable {
  const char* name = "";
  Dataset data;
  mutable std::vector<std::uint32_t> crcs;  ///< of block `block`
  mutable std::uint64_t block = ~std::uint64_t{0};
};
}  // namespace

struct SliceReader::Impl {
  std::filesystem::path path;
  SliceInfo info;
  int version = kFormatVersion;
  std::uint64_t bytes = 0;
  std::uint64_t chunk = 1;
  File file;
  Dataset values, distances;
  CrcTable chunk_crcs, distance_crcs;
  mutable Decompressor decompressor;
  mutable std::vector<std::byte> stream;
  mutable std::vector<std::int8_t> scratch;

  [[noreturn]] void damaged(const std::string& what) const { fail_damaged(path, what); }

  template <typename T>
  T number(const char* name, hid_t type) const {
    Attribute attribute(H5Aopen(file, name, H5P_DEFAULT));
    T value{};
    if (!attribute.valid()) damaged(fmt::format("the attribute {} is missing", name));
    Dataspace space(H5Aget_space(attribute));
    if (H5Sget_simple_extent_npoints(space) != 1 || H5Aread(attribute, type, &value) < 0)
      damaged(fmt::format("the attribute {} cannot be read", name));
    return value;
  }

  std::string text(const char* name) const {
    Attribute attribute(H5Aopen(file, name, H5P_DEFAULT));
    if (!attribute.valid()) damaged(fmt::format("the attribute {} is missing", name));
    Datatype type(H5Aget_type(attribute));
    const std::size_t size = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size == 0 || size > 256)
      damaged(fmt::format("the attribute {} is not a short string", name));
    std::string value(size, '\0');
    if (H5Aread(attribute, type, value.data()) < 0)
      damaged(fmt::format("the attribute {} cannot be read", name));
    value.resize(std::strlen(value.c_str()));
    return value;
  }

  void open() {
    quiet_hdf5();
    std::error_code error;
    bytes = std::filesystem::file_size(path, error);
    if (error) throw Error(fmt::format("{} cannot be read: {}", path.string(), error.message()));
    if (::access(path.c_str(), R_OK) != 0)
      throw Error(fmt::format("{} cannot be read: {}", path.string(), std::strerror(errno)));
    if (H5Fis_hdf5(path.c_str()) <= 0) damaged("it is not an HDF5 file");
    const PropertyList bounds = version_bounds();
    file = File(H5Fopen(path.c_str(), H5F_ACC_RDONLY, bounds));
    if (!file.valid())
      throw Error(
          fmt::format("{} cannot be opened ({}); if it lies on NFS or Lustre try again with "
                      "HDF5_USE_FILE_LOCKING=FALSE in the environment, otherwise it is damaged: remove it "
                      "(or restore it from a copy) and solve it again",
                      path.string(), hdf5_reason()));
  }

  void read_attributes() {
    version = number<int>("format_version", H5T_NATIVE_INT);
    if (version < kOldestFormatVersion || version > kFormatVersion)
      throw Error(
          fmt::format("{} has format version {}, this program reads versions {} to {}; use the program that "
                      "wrote it, or another directory",
                      path.string(), version, kOldestFormatVersion, kFormatVersion));
    const auto rules = parse_rules(text("rules"));
    if (!rules) damaged("it names an unknown rule set");
    info.rules = *rules;
    info.seeds = number<int>("seeds", H5T_NATIVE_INT);
    if (info.seeds < 0 || info.seeds > kMaxSeeds) damaged("its number of seeds is out of range");
    info.positions = number<std::uint64_t>("positions", H5T_NATIVE_UINT64);
    if (info.positions != slice_size(info.seeds)) damaged("its number of positions is wrong");
    info.crc = number<std::uint32_t>("crc32", H5T_NATIVE_UINT32);
    info.program_version = text("program_version");
    if (H5Aexists(file, kDistanceCrc) > 0)
      info.distance_crc = number<std::uint32_t>(kDistanceCrc, H5T_NATIVE_UINT32);
    if (version >= 3 && H5Aexists(file, kTotal) > 0)
      info.scope = Scope::outcome(number<int>(kTotal, H5T_NATIVE_INT));
    if (info.scope.total() < 0 || !info.scope.admits(info.seeds, info.rules))
      damaged(fmt::format("it claims to be of games of {} seeds", info.scope.total()));
  }

  void read_histogram() {
    Dataset dataset(H5Dopen2(file, "/histogram", H5P_DEFAULT));
    if (!dataset.valid()) damaged("it has no /histogram");
    Dataspace space(H5Dget_space(dataset));
    info.histogram.resize(static_cast<std::size_t>(2 * info.seeds + 1));
    if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(info.histogram.size()))
      damaged("/histogram has the wrong length");
    if (H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, info.histogram.data()) < 0)
      damaged("/histogram cannot be read");
    if (meta_crc(info, version) != number<std::uint32_t>("meta_crc32", H5T_NATIVE_UINT32))
      damaged("the checksum over its histogram and attributes is wrong");
    const int width = info.scope.width(info.seeds);
    for (int value = width + 1; value <= info.seeds; ++value)
      if (info.histogram[static_cast<std::size_t>(info.seeds + value)] != 0 ||
          info.histogram[static_cast<std::size_t>(info.seeds - value)] != 0)
        damaged(fmt::format("its histogram has values beyond {}", width));
  }

  void open_values() {
    values = Dataset(H5Dopen2(file, "/values", H5P_DEFAULT));
    if (!values.valid()) damaged("it has no /values");
    Dataspace space(H5Dget_space(values));
    Datatype type(H5Dget_type(values));
    if (H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(info.positions) ||
        H5Tequal(type, H5T_STD_I8LE) <= 0)
      damaged("/values has the wrong shape or type");
    PropertyList layout(H5Dget_create_plist(values));
    hsize_t dims[1] = {0};
    unsigned flags = 0, config = 0;
    std::size_t values_in_filter = 0;
    if (H5Pget_layout(layout) != H5D_CHUNKED || H5Pget_chunk(layout, 1, dims) != 1 ||
        dims[0] != awele::chunk_size(info.seeds) || H5Pget_nfilters(layout) != 1 ||
        H5Pget_filter2(layout, 0, &flags, &values_in_filter, nullptr, 0, nullptr, &config) !=
            H5Z_FILTER_DEFLATE)
      damaged("/values is not stored as chunks of the right size with the deflate filter");
    chunk = dims[0];
  }

  void open_crcs(CrcTable& table, const char* name) {
    table.name = name;
    table.data = Dataset(H5Dopen2(file, name, H5P_DEFAULT));
    if (!table.data.valid()) damaged(fmt::format("it has no {}", name));
    Dataspace space(H5Dget_space(table.data));
    Datatype type(H5Dget_type(table.data));
    if (H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(awele::chunk_count(info.seeds)) ||
        H5Tequal(type, H5T_STD_U32LE) <= 0)
      damaged(fmt::format("{} has the wrong shape or type", name));
  }

  void open_distances() {
    const bool there = H5Lexists(file, kDistances, H5P_DEFAULT) > 0;
    if (there != info.distance_crc.has_value())
      damaged(fmt::format("it has {} without {}", there ? kDistances : kDistanceCrc,
                          there ? kDistanceCrc : kDistances));
    if (!there) return;
    distances = awele::open_distances(file, info.positions, chunk);
    if (!distances.valid())
      damaged(
          "/distance is not 16-bit, of the right size, in chunks of the right size with shuffle and deflate");
    open_crcs(distance_crcs, kDistanceCrcs);
  }

  /// The CRC-32 that a table states for a chunk. Whole blocks are read, one is kept.
  std::uint32_t stated_crc(const CrcTable& table, std::uint64_t index) const {
    const std::uint64_t block = index / kCrcBlock;
    if (block != table.block) {
      table.block = ~std::uint64_t{0};
      const hsize_t first[1] = {block * kCrcBlock};
      const hsize_t count[1] = {std::min<hsize_t>(kCrcBlock, awele::chunk_count(info.seeds) - first[0])};
      table.crcs.resize(count[0]);
      Dataspace file_part(H5Dget_space(table.data)), memory(H5Screate_simple(1, count, nullptr));
      if (H5Sselect_hyperslab(file_part, H5S_SELECT_SET, first, nullptr, count, nullptr) < 0 ||
          H5Dread(table.data, H5T_NATIVE_UINT32, memory, file_part, H5P_DEFAULT, table.crcs.data()) < 0)
        damaged(fmt::format("{} cannot be read ({})", table.name, hdf5_reason()));
      table.block = block;
    }
    return table.crcs[index % kCrcBlock];
  }
};

SliceReader::SliceReader(const std::filesystem::path& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->open();
  impl_->read_attributes();
  impl_->read_histogram();
  impl_->open_values();
  impl_->open_crcs(impl_->chunk_crcs, kChunkCrcs);
  impl_->open_distances();
}
SliceReader::~SliceReader() = default;
SliceReader::SliceReader(SliceReader&&) noexcept = default;
SliceReader& SliceReader::operator=(SliceReader&&) noexcept = default;

const SliceInfo& SliceReader::info() const { return impl_->info; }
const std::filesystem::path& SliceReader::path() const { return impl_->path; }
std::uint64_t SliceReader::file_bytes() const { return impl_->bytes; }
std::uint64_t SliceReader::chunk_size() const { return impl_->chunk; }
std::uint64_t SliceReader::chunk_count() const { return awele::chunk_count(impl_->info.seeds); }
std::uint64_t SliceReader::chunk_length(std::uint64_t index) const {
  return awele::chunk_length(impl_->info.seeds, index);
}

void SliceReader::read_stream(std::uint64_t index, std::vector<std::byte>& stream) const {
  const hsize_t offset[1] = {index * impl_->chunk};
  hsize_t bytes = 0;
  std::uint32_t mask = 0;
  if (H5Dget_chunk_storage_size(impl_->values, offset, &bytes) < 0 || bytes == 0 ||
      bytes > longest_stream(impl_->chunk))
    impl_->damaged(fmt::format("chunk {} of /values is missing or too long", index));
  stream.resize(bytes);
  if (H5Dread_chunk(impl_->values, H5P_DEFAULT, offset, &mask, stream.data()) < 0 || mask != 0)
    impl_->damaged(fmt::format("chunk {} of /values cannot be read ({})", index, hdf5_reason()));
}

void SliceReader::read_chunk(std::uint64_t index, std::vector<std::int8_t>& values) const {
  read_stream(index, impl_->stream);
  values.resize(impl_->chunk);
  inflate_chunk(impl_->path, impl_->info.seeds, index, impl_->stream, impl_->decompressor, values);
  values.resize(chunk_length(index));
  require_chunk_digest(impl_->path, "/values", index, crc32(0, std::span<const std::int8_t>(values)),
                       chunk_crc(index));
}

std::uint32_t SliceReader::chunk_crc(std::uint64_t index) const {
  return impl_->stated_crc(impl_->chunk_crcs, index);
}

void SliceReader::require_digests() const {
  PieceCrc values, distances;
  for (std::uint64_t index = 0; index < chunk_count(); ++index) {
    values.append({chunk_crc(index), chunk_length(index)});
    if (has_distances()) distances.append({distance_chunk_crc(index), 2 * chunk_length(index)});
  }
  if (values.crc != info().crc)
    impl_->damaged(fmt::format("the checksums in {} do not join to its attribute crc32", kChunkCrcs));
  if (has_distances() && distances.crc != *info().distance_crc)
    impl_->damaged(
        fmt::format("the checksums in {} do not join to its attribute {}", kDistanceCrcs, kDistanceCrc));
}

void SliceReader::read(std::uint64_t first, std::span<std::int8_t> out) const {
  while (!out.empty()) {
    const std::uint64_t index = first / impl_->chunk;
    const std::uint64_t skip = first % impl_->chunk;
    read_chunk(index, impl_->scratch);
    const std::uint64_t take = std::min<std::uint64_t>(out.size(), impl_->scratch.size() - skip);
    std::memcpy(out.data(), impl_->scratch.data() + skip, take);
    out = out.subspan(take);
    first += take;
  }
}

void SliceReader::read_distance_stream(std::uint64_t index, std::vector<std::byte>& stream) const {
  if (!read_chunk_stream(impl_->distances, index * impl_->chunk, longest_stream(2 * impl_->chunk), stream))
    impl_->damaged(fmt::format("chunk {} of /distance is missing or cannot be read", index));
}

std::uint32_t SliceReader::distance_chunk_crc(std::uint64_t index) const {
  return impl_->stated_crc(impl_->distance_crcs, index);
}

void SliceReader::read_distance_chunk(std::uint64_t index, std::vector<std::uint16_t>& distances) const {
  read_distance_stream(index, impl_->stream);
  distances.resize(impl_->chunk);
  if (!inflate_distances(impl_->stream, impl_->decompressor, distances))
    fail_distance_chunk(impl_->path, index);
  distances.resize(chunk_length(index));
  require_chunk_digest(impl_->path, kDistances, index, crc32(0, std::span<const std::uint16_t>(distances)),
                       distance_chunk_crc(index));
}

// ---------------------------------------------------------------------------------------------- writing

struct SliceWriter::Impl {
  std::filesystem::path dir, path, temporary;
  SliceInfo info;
  NewFile file;  // before what lies in it
  Dataset values, distances;
  std::vector<std::uint32_t> chunk_crcs, distance_crcs;

  Impl(const std::filesystem::path& directory, int n, RuleSet rules, const std::string& token, Scope scope)
      : dir(directory),
        path(slice_path(dir, n)),
        temporary(path.string() + (token.empty() ? "" : "." + token) + ".tmp"),
        info{.seeds = n,
             .rules = rules,
             .positions = slice_size(n),
             .program_version = kVersion,
             .histogram = {},
             .scope = scope},
        file(temporary),
        chunk_crcs(chunk_count(n)) {
    create_values();
  }

  template <typename T>
  void number(const char* name, hid_t stored, hid_t native, T value) {
    Dataspace space(H5Screate(H5S_SCALAR));
    Attribute attribute(H5Acreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT));
    file.require(attribute.valid() && H5Awrite(attribute, native, &value) >= 0 && attribute.close(),
                 fmt::format("the attribute {}", name));
  }

  void text(const char* name, std::string_view value) {
    Dataspace space(H5Screate(H5S_SCALAR));
    Datatype type(H5Tcopy(H5T_C_S1));
    std::string bytes(value);
    H5Tset_size(type, bytes.size() + 1);
    Attribute attribute(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    file.require(attribute.valid() && H5Awrite(attribute, type, bytes.c_str()) >= 0 && attribute.close(),
                 fmt::format("the attribute {}", name));
  }

  void create_values() {
    const hsize_t size[1] = {info.positions};
    const hsize_t chunk[1] = {chunk_size(info.seeds)};
    Dataspace space(H5Screate_simple(1, size, nullptr));
    PropertyList layout(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(layout, 1, chunk);
    H5Pset_deflate(layout, 1);
    H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(layout, false);
    values = Dataset(H5Dcreate2(file, "/values", H5T_STD_I8LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
    file.require(values.valid(), "/values");
  }

  /// A small dataset in chunks of `block` elements, with HDF5's own checksum.
  void table(const char* name, hid_t stored, hid_t native, const void* data, std::uint64_t count,
             std::uint64_t block) {
    const hsize_t size[1] = {count}, chunk[1] = {std::min(count, block)};
    Dataspace space(H5Screate_simple(1, size, nullptr));
    PropertyList layout(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(layout, 1, chunk);
    H5Pset_fletcher32(layout);
    H5Pset_obj_track_times(layout, false);
    Dataset dataset(H5Dcreate2(file, name, stored, space, H5P_DEFAULT, layout, H5P_DEFAULT));
    file.require(dataset.valid() && H5Dwrite(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0 &&
                     dataset.close(),
                 name);
  }

  void write_tables() {
    table("/histogram", H5T_STD_U64LE, H5T_NATIVE_UINT64, info.histogram.data(), info.histogram.size(),
          info.histogram.size());
    table(kChunkCrcs, H5T_STD_U32LE, H5T_NATIVE_UINT32, chunk_crcs.data(), chunk_crcs.size(), kCrcBlock);
    if (distances.valid())
      table(kDistanceCrcs, H5T_STD_U32LE, H5T_NATIVE_UINT32, distance_crcs.data(), distance_crcs.size(),
            kCrcBlock);
  }

  /// The CRC-32 of all distances, joined from those of the chunks.
  std::uint32_t joined_distance_crc() const {
    PieceCrc joined;
    for (std::uint64_t index = 0; index < distance_crcs.size(); ++index)
      joined.append({distance_crcs[index], 2 * chunk_length(info.seeds, index)});
    return joined.crc;
  }

  void write_attributes() {
    number("format_version", H5T_STD_I32LE, H5T_NATIVE_INT, kFormatVersion);
    text("rules", name(info.rules));
    number("seeds", H5T_STD_I32LE, H5T_NATIVE_INT, info.seeds);
    number("positions", H5T_STD_U64LE, H5T_NATIVE_UINT64, info.positions);
    number("crc32", H5T_STD_U32LE, H5T_NATIVE_UINT32, info.crc);
    text("program_version", info.program_version);
    if (info.distance_crc) number(kDistanceCrc, H5T_STD_U32LE, H5T_NATIVE_UINT32, *info.distance_crc);
    number(kTotal, H5T_STD_I32LE, H5T_NATIVE_INT, info.scope.total());
    number("meta_crc32", H5T_STD_U32LE, H5T_NATIVE_UINT32, meta_crc(info, kFormatVersion));
  }

  /// An Error unless the file, opened again, says what was written, all but the values, which have their
  /// checksums.
  void require_reads_back() const try {
    const SliceReader written(temporary);
    bool same = written.info() == info;
    for (std::uint64_t index = 0; same && index < chunk_crcs.size(); ++index)
      same = written.chunk_crc(index) == chunk_crcs[index];
    for (std::uint64_t index = 0; same && index < distance_crcs.size(); ++index)
      same = written.distance_chunk_crc(index) == distance_crcs[index];
    if (!same) throw Error("it says something else");
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} does not read back as it was written: {}", temporary.string(), error.what()));
  }
};

SliceWriter::SliceWriter(const std::filesystem::path& dir, int n, RuleSet rules, const std::string& token,
                         Scope scope)
    : impl_(std::make_unique<Impl>(dir, n, rules, token, scope)) {}

SliceWriter::~SliceWriter() = default;

void SliceWriter::write_stream(std::uint64_t index, std::span<const std::byte> stream, std::uint32_t crc) {
  const hsize_t offset[1] = {index * chunk_size(impl_->info.seeds)};
  impl_->file.require(
      H5Dwrite_chunk(impl_->values, H5P_DEFAULT, 0, offset, stream.size(), stream.data()) >= 0,
      "a chunk of /values");
  impl_->chunk_crcs[index] = crc;
}

void SliceWriter::write_distance_stream(std::uint64_t index, std::span<const std::byte> stream,
                                        std::uint32_t crc) {
  const std::uint64_t chunk = chunk_size(impl_->info.seeds);
  if (!impl_->distances.valid()) {
    impl_->distances = create_distances(impl_->file, impl_->info.positions, chunk);
    impl_->distance_crcs.resize(chunk_count(impl_->info.seeds));
  }
  const hsize_t offset[1] = {index * chunk};
  impl_->file.require(impl_->distances.valid() && H5Dwrite_chunk(impl_->distances, H5P_DEFAULT, 0, offset,
                                                                 stream.size(), stream.data()) >= 0,
                      "a chunk of /distance");
  impl_->distance_crcs[index] = crc;
}

std::uint64_t SliceWriter::finish(std::uint32_t crc, const std::vector<std::uint64_t>& histogram,
                                  const std::function<void()>& before_rename) {
  impl_->info.crc = crc;
  impl_->info.histogram = histogram;
  if (impl_->distances.valid()) impl_->info.distance_crc = impl_->joined_distance_crc();
  impl_->write_tables();
  impl_->write_attributes();
  impl_->file.require(impl_->values.close() && impl_->distances.close(), "its datasets");
  impl_->file.close();
  impl_->require_reads_back();
  if (before_rename) before_rename();
  if (std::rename(impl_->temporary.c_str(), impl_->path.c_str()) != 0)
    fail_writing(impl_->temporary, "it cannot get its final name", errno);
  impl_->file.keep();
  flush_to_disk(impl_->dir);
  return std::filesystem::file_size(impl_->path);
}

}  // namespace awele
