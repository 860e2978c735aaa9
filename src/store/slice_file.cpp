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
#include "awele/store/read_errors.hpp"
#include "awele/support/error.hpp"
#include "awele/support/version.hpp"
#include "distance_dataset.hpp"
#include "hdf5_file.hpp"
#include "new_file.hpp"
#include "screened_file.hpp"

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
constexpr const char* kValues = "/values";
constexpr const char* kHistogram = "/histogram";
constexpr const char* kChunkCrcs = "/chunk_crc32";
constexpr const char* kExitCrcs = "/exit_crc32";
constexpr const char* kTotal = "total";
}  // namespace

void inflate_chunk(const std::filesystem::path& path, int n, int width, std::uint64_t index,
                   std::span<const std::byte> stream, Decompressor& decompressor,
                   std::span<std::int8_t> values) {
  if (!decompressor.run(stream, values.first(chunk_size(n))))
    fail_damaged(path, fmt::format("chunk {} of /values does not match its checksum when inflated", index));
  const auto [least, most] = std::ranges::minmax(values.first(chunk_length(n, index)));
  if (least < -width || most > width)
    fail_damaged(path,
                 fmt::format("chunk {} of /values has a value of {}", index, most > width ? most : least));
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
  fail_damaged(path, fmt::format("chunk {} of /distance does not match its checksum when inflated", index));
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

/// The attributes of a slice file.
constexpr AttributeForm kAttributeForms[] = {
    {"format_version", Stored::i32},   {"rules", Stored::text},     {"seeds", Stored::i32},
    {"positions", Stored::u64},        {"crc32", Stored::u32},      {"program_version", Stored::text},
    {kDistanceCrc, Stored::u32, true}, {kTotal, Stored::i32, true}, {"meta_crc32", Stored::u32},
};

/// The datasets of slice n.
std::vector<DatasetForm> dataset_forms(int n) {
  const std::uint64_t size = slice_size(n), chunk = chunk_size(n), chunks = chunk_count(n);
  const auto values = static_cast<std::uint64_t>(2 * n + 1);
  const std::uint64_t block = std::min(chunks, kCrcBlock);
  std::vector<DatasetForm> forms = {{kValues, Stored::i8, size, chunk, Packing::deflate},
                                    {kHistogram, Stored::u64, values, values, Packing::fletcher32},
                                    {kChunkCrcs, Stored::u32, chunks, block, Packing::fletcher32},
                                    {kDistances, Stored::u16, size, chunk, Packing::shuffle_deflate, true},
                                    {kDistanceCrcs, Stored::u32, chunks, block, Packing::fletcher32, true}};
  if (const std::uint64_t exits = exit_count(n))
    forms.push_back({kExitCrcs, Stored::u32, exits, exits, Packing::fletcher32, true});
  return forms;
}

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

  /// Of what HDF5 could not do.
  [[noreturn]] void failed(const std::string& what) const { fail_reading(path, what, kSolveAgain); }

  void open() {
    const ScreenedFile screened(path, kSolveAgain);
    bytes = screened.bytes();
    read_attributes(screened);
    screened.require(dataset_forms(info.seeds));
    file = screened.open();
    open_dataset(values, kValues);
    open_crcs(chunk_crcs, kChunkCrcs);
    if (info.distance_crc) {
      open_dataset(distances, kDistances);
      open_crcs(distance_crcs, kDistanceCrcs);
    }
    read_histogram();
    if (screened.has_dataset(kExitCrcs)) read_exit_crcs();
    check_histogram(screened.number<std::uint32_t>("meta_crc32", Stored::u32));
  }

  void read_attributes(const ScreenedFile& screened) {
    version = screened.number<int>("format_version", Stored::i32);
    if (version < kOldestFormatVersion || version > kFormatVersion)
      throw Error(
          fmt::format("{} has format version {}, this program reads versions {} to {}; use the program that "
                      "wrote it, or another directory",
                      path.string(), version, kOldestFormatVersion, kFormatVersion));
    screened.require(kAttributeForms);
    const auto rules = parse_rules(screened.text("rules"));
    if (!rules) damaged("it names an unknown rule set");
    info.rules = *rules;
    info.seeds = screened.number<int>("seeds", Stored::i32);
    if (info.seeds < 0 || info.seeds > kMaxSeeds) damaged("its number of seeds is out of range");
    info.positions = screened.number<std::uint64_t>("positions", Stored::u64);
    if (info.positions != slice_size(info.seeds)) damaged("its number of positions is wrong");
    chunk = awele::chunk_size(info.seeds);
    info.crc = screened.number<std::uint32_t>("crc32", Stored::u32);
    info.program_version = screened.text("program_version");
    read_distance_attribute(screened);
    if (version >= 3 && screened.has_attribute(kTotal))
      info.scope = Scope::outcome(screened.number<int>(kTotal, Stored::i32));
    if (info.scope.total() < 0 || !info.scope.admits(info.seeds, info.rules))
      damaged(fmt::format("it claims to be of games of {} seeds", info.scope.total()));
  }

  void read_distance_attribute(const ScreenedFile& screened) {
    const bool there = screened.has_attribute(kDistanceCrc);
    for (const char* dataset : {kDistances, kDistanceCrcs})
      if (screened.has_dataset(dataset) != there)
        damaged(fmt::format("it has {} without {}", there ? kDistanceCrc : dataset,
                            there ? dataset : kDistanceCrc));
    if (there) info.distance_crc = screened.number<std::uint32_t>(kDistanceCrc, Stored::u32);
  }

  void open_dataset(Dataset& dataset, const char* name) const {
    dataset = Dataset(H5Dopen2(file, name, H5P_DEFAULT));
    if (!dataset.valid()) failed(fmt::format("{} cannot be opened", name));
  }

  void open_crcs(CrcTable& table, const char* name) const {
    table.name = name;
    open_dataset(table.data, name);
  }

  void read_histogram() {
    Dataset dataset;
    open_dataset(dataset, kHistogram);
    info.histogram.resize(static_cast<std::size_t>(2 * info.seeds + 1));
    if (H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, info.histogram.data()) < 0)
      failed("/histogram cannot be read");
  }

  /// What is in the histogram must be covered by the checksum, add up and lie within the width of the values.
  void check_histogram(std::uint32_t stated) const {
    if (meta_crc(info, version) != stated) damaged("the checksum over its histogram and attributes is wrong");
    std::uint64_t left = info.positions;
    for (std::uint64_t count : info.histogram) {
      if (count > left) damaged("its histogram counts more positions than there are");
      left -= count;
    }
    if (left != 0) damaged(fmt::format("its histogram leaves out {} positions", left));
    const int width = info.scope.width(info.seeds);
    for (int value = width + 1; value <= info.seeds; ++value)
      if (info.histogram[static_cast<std::size_t>(info.seeds + value)] != 0 ||
          info.histogram[static_cast<std::size_t>(info.seeds - value)] != 0)
        damaged(fmt::format("its histogram has values beyond {}", width));
  }

  void read_exit_crcs() {
    Dataset dataset;
    open_dataset(dataset, kExitCrcs);
    info.exit_crcs.resize(exit_count(info.seeds));
    if (H5Dread(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, info.exit_crcs.data()) < 0)
      failed("/exit_crc32 cannot be read");
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
      require_stored_whole(table, first[0]);
      if (H5Sselect_hyperslab(file_part, H5S_SELECT_SET, first, nullptr, count, nullptr) < 0 ||
          H5Dread(table.data, H5T_NATIVE_UINT32, memory, file_part, H5P_DEFAULT, table.crcs.data()) < 0)
        failed(fmt::format("{} cannot be read", table.name));
      table.block = block;
    }
    return table.crcs[index % kCrcBlock];
  }

  /// The block of a table that begins at element `first`, with its checksum, and no byte more: HDF5 would
  /// take memory for as many as the file says.
  void require_stored_whole(const CrcTable& table, std::uint64_t first) const {
    const hsize_t offset[1] = {first};
    hsize_t stored = 0;
    if (H5Dget_chunk_storage_size(table.data, offset, &stored) < 0)
      failed(fmt::format("{} cannot be read", table.name));
    const std::uint64_t block = std::min(awele::chunk_count(info.seeds), kCrcBlock);
    if (stored != block * sizeof(std::uint32_t) + 4)
      damaged(fmt::format("the block from element {} of {} has the wrong length", first, table.name));
  }
};

SliceReader::SliceReader(const std::filesystem::path& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->open();
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
  read_chunk_stream(impl_->path, impl_->values, kValues, index, impl_->chunk, longest_stream(impl_->chunk),
                    stream, kSolveAgain);
}

void SliceReader::read_chunk(std::uint64_t index, std::vector<std::int8_t>& values) const {
  read_stream(index, impl_->stream);
  values.resize(impl_->chunk);
  const int n = impl_->info.seeds;
  inflate_chunk(impl_->path, n, impl_->info.scope.width(n), index, impl_->stream, impl_->decompressor,
                values);
  values.resize(chunk_length(index));
  require_chunk_digest(impl_->path, kValues, index, crc32(0, std::span<const std::int8_t>(values)),
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
  read_chunk_stream(impl_->path, impl_->distances, kDistances, index, impl_->chunk,
                    longest_stream(2 * impl_->chunk), stream, kSolveAgain);
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
    values = Dataset(H5Dcreate2(file, kValues, H5T_STD_I8LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
    file.require(values.valid(), kValues);
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
    table(kHistogram, H5T_STD_U64LE, H5T_NATIVE_UINT64, info.histogram.data(), info.histogram.size(),
          info.histogram.size());
    table(kChunkCrcs, H5T_STD_U32LE, H5T_NATIVE_UINT32, chunk_crcs.data(), chunk_crcs.size(), kCrcBlock);
    if (!info.exit_crcs.empty())
      table(kExitCrcs, H5T_STD_U32LE, H5T_NATIVE_UINT32, info.exit_crcs.data(), info.exit_crcs.size(),
            info.exit_crcs.size());
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

void SliceWriter::made_from(std::vector<std::uint32_t> exit_crcs) {
  impl_->info.exit_crcs = std::move(exit_crcs);
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
    fail_writing(impl_->temporary, "it cannot be renamed to its final name", errno);
  impl_->file.keep();
  flush_to_disk(impl_->dir);
  return std::filesystem::file_size(impl_->path);
}

}  // namespace awele
