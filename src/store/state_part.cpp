#include "awele/store/state_part.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "awele/support/error.hpp"
#include "hdf5_file.hpp"

namespace awele {

namespace {

constexpr std::array<const char*, kMostPlanes> kNames = {"/codes", "/counts", "/distances"};

std::uint64_t pieces_of(std::uint64_t positions) {
  return (positions + kPiecePositions - 1) / kPiecePositions;
}
std::uint64_t chunk_bytes(std::size_t plane, std::uint64_t positions) {
  return plane_bytes(plane, std::min(positions, kPiecePositions));
}

/// Of the streams of a piece.
std::uint32_t stream_digest(const PieceStreams& streams) {
  std::uint32_t crc = 0;
  for (const auto& stream : streams.stream) crc = crc32(crc, stream);
  return crc;
}

Dataset create_bytes(const File& file, const char* name, std::uint64_t size, std::uint64_t chunk) {
  const hsize_t dims[1] = {size}, chunk_dims[1] = {chunk};
  const Dataspace space(H5Screate_simple(1, dims, nullptr));
  const PropertyList layout(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(layout, 1, chunk_dims);
  H5Pset_deflate(layout, 1);
  H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER);
  return Dataset(H5Dcreate2(file, name, H5T_STD_U8LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
}

}  // namespace

// ---------------------------------------------------------------------------------------------- reading

struct StatePartReader::Impl {
  std::filesystem::path path;
  std::uint64_t positions = 0, bytes = 0;
  File file;
  std::vector<Dataset> data;  ///< by plane
  std::vector<std::uint32_t> crcs;

  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(fmt::format("{} is damaged: {}", path.string(), what));
  }

  void open() {
    quiet_hdf5();
    std::error_code error;
    bytes = std::filesystem::file_size(path, error);
    if (error) throw Error(fmt::format("{} cannot be read: {}", path.string(), error.message()));
    const PropertyList bounds = version_bounds();
    file = File(H5Fopen(path.c_str(), H5F_ACC_RDONLY, bounds));
    if (!file.valid()) damaged(fmt::format("it cannot be opened ({})", hdf5_reason()));
    for (std::size_t k = 0; k < data.size(); ++k) {
      data[k] = Dataset(H5Dopen2(file, kNames[k], H5P_DEFAULT));
      if (!data[k].valid()) damaged(fmt::format("it has no {}", kNames[k]));
      const Dataspace space(H5Dget_space(data[k]));
      const PropertyList layout(H5Dget_create_plist(data[k]));
      hsize_t chunk[1] = {0};
      if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(plane_bytes(k, positions)) ||
          H5Pget_layout(layout) != H5D_CHUNKED || H5Pget_chunk(layout, 1, chunk) != 1 ||
          chunk[0] != chunk_bytes(k, positions))
        damaged(fmt::format("{} has the wrong shape", kNames[k]));
    }
    crcs.resize(data.size() * pieces_of(positions));
    const Dataset stored(H5Dopen2(file, "/crc32", H5P_DEFAULT));
    if (!stored.valid()) damaged("it has no /crc32");
    const Dataspace space(H5Dget_space(stored));
    if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(crcs.size()) ||
        H5Dread(stored, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, crcs.data()) < 0)
      damaged("its /crc32 cannot be read");
  }

  void read_stream(std::size_t dataset, std::uint64_t piece, std::vector<std::byte>& stream) const {
    const hsize_t offset[1] = {piece * plane_bytes(dataset, kPiecePositions)};
    hsize_t size = 0;
    std::uint32_t mask = 0;
    if (H5Dget_chunk_storage_size(data[dataset], offset, &size) < 0 || size == 0 || size > bytes)
      damaged(fmt::format("piece {} of {} is missing", piece, kNames[dataset]));
    stream.resize(size);
    if (H5Dread_chunk(data[dataset], H5P_DEFAULT, offset, &mask, stream.data()) < 0 || mask != 0)
      damaged(fmt::format("piece {} of {} cannot be read ({})", piece, kNames[dataset], hdf5_reason()));
  }
};

StatePartReader::StatePartReader(const std::filesystem::path& path, std::uint64_t positions,
                                 std::size_t planes)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->data.resize(planes);
  impl_->positions = positions;
  impl_->open();
}
StatePartReader::~StatePartReader() = default;
StatePartReader::StatePartReader(StatePartReader&&) noexcept = default;
StatePartReader& StatePartReader::operator=(StatePartReader&&) noexcept = default;

std::uint32_t StatePartReader::digest() const { return crc32(0, std::as_bytes(std::span(impl_->crcs))); }

void StatePartReader::read(std::uint64_t piece, PieceStreams& streams) const {
  const std::size_t planes = impl_->data.size();
  for (std::size_t k = 0; k < planes; ++k) {
    streams.crc[k] = impl_->crcs[planes * piece + k];
    impl_->read_stream(k, piece, streams.stream[k]);
  }
}

// ---------------------------------------------------------------------------------------------- writing

struct StatePartWriter::Impl {
  std::filesystem::path path;
  std::uint64_t positions = 0;
  File file;
  std::vector<Dataset> data;  ///< by plane
  std::vector<std::uint32_t> crcs;
  std::vector<std::uint32_t> stream_crcs;  ///< stream_digest of each piece
  bool done = false;

  void require(bool ok, const std::string& what) const {
    if (!ok) fail_writing(path, what);
  }

  void create() {
    quiet_hdf5();
    const PropertyList bounds = version_bounds();
    file = File(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, bounds));
    require(file.valid(), "the file cannot be created");
    for (std::size_t k = 0; k < data.size(); ++k) {
      data[k] = create_bytes(file, kNames[k], plane_bytes(k, positions), chunk_bytes(k, positions));
      require(data[k].valid(), kNames[k]);
    }
  }

  void close() {
    for (Dataset& each : data) each.reset();
    const bool flushed = H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    require(flushed, "it cannot be flushed");
    file.reset();
    flush_to_disk(path);
  }

  /// What the disk gives back must be what was written.
  void compare() const {
    const StatePartReader reader(path, positions, data.size());
    PieceStreams streams;
    for (std::uint64_t piece = 0; piece < stream_crcs.size(); ++piece) {
      reader.read(piece, streams);
      require(stream_digest(streams) == stream_crcs[piece],
              fmt::format("piece {} reads back differently", piece));
    }
  }
};

StatePartWriter::StatePartWriter(const std::filesystem::path& path, std::uint64_t positions,
                                 std::size_t planes)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->data.resize(planes);
  impl_->positions = positions;
  impl_->crcs.resize(planes * pieces_of(positions));
  impl_->stream_crcs.resize(pieces_of(positions));
  impl_->create();
}

StatePartWriter::~StatePartWriter() {
  for (Dataset& each : impl_->data) each.reset();
  impl_->file.reset();
  std::error_code ignored;
  if (!impl_->done) std::filesystem::remove(impl_->path, ignored);
}

void StatePartWriter::write(std::uint64_t piece, const PieceStreams& streams) {
  for (std::size_t k = 0; k < impl_->data.size(); ++k) {
    const hsize_t offset[1] = {piece * plane_bytes(k, kPiecePositions)};
    const std::vector<std::byte>& stream = streams.stream[k];
    impl_->require(H5Dwrite_chunk(impl_->data[k], H5P_DEFAULT, 0, offset, stream.size(), stream.data()) >= 0,
                   fmt::format("a piece of {}", kNames[k]));
    impl_->crcs[impl_->data.size() * piece + k] = streams.crc[k];
  }
  impl_->stream_crcs[piece] = stream_digest(streams);
}

std::uint32_t StatePartWriter::digest() const { return crc32(0, std::as_bytes(std::span(impl_->crcs))); }

std::uint64_t StatePartWriter::finish() {
  const hsize_t size[1] = {impl_->crcs.size()};
  {
    const Dataspace space(H5Screate_simple(1, size, nullptr));
    const PropertyList layout(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(layout, 1, size);
    H5Pset_fletcher32(layout);
    const Dataset crcs(
        H5Dcreate2(impl_->file, "/crc32", H5T_STD_U32LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
    impl_->require(crcs.valid() && H5Dwrite(crcs, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                            impl_->crcs.data()) >= 0,
                   "/crc32");
  }
  impl_->close();
  impl_->compare();
  impl_->done = true;
  return std::filesystem::file_size(impl_->path);
}

}  // namespace awele
