#include "awele/store/state_part.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "awele/store/read_errors.hpp"
#include "hdf5_file.hpp"
#include "new_file.hpp"
#include "screened_file.hpp"

namespace awele {

namespace {

constexpr const char* kRemedy = "remove the checkpoint that it belongs to";
constexpr const char* kCrcs = "/crc32";
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

Dataset create_bytes(hid_t file, const char* name, std::uint64_t size, std::uint64_t chunk) {
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
  std::uint64_t positions = 0;
  File file;
  PlaneSet planes;
  std::array<Dataset, kMostPlanes> data;
  std::vector<std::uint32_t> crcs;

  void open() {
    const ScreenedFile screened(path, kRemedy);
    std::vector<DatasetForm> forms;
    for (std::size_t k = 0; k < kMostPlanes; ++k)
      if (planes.has(k))
        forms.push_back(
            {kNames[k], Stored::u8, plane_bytes(k, positions), chunk_bytes(k, positions), Packing::deflate});
    crcs.resize(kMostPlanes * pieces_of(positions));
    forms.push_back({kCrcs, Stored::u32, crcs.size(), crcs.size(), Packing::fletcher32});
    screened.require(std::span<const AttributeForm>());
    screened.require(forms);
    file = screened.open();
    for (std::size_t k = 0; k < kMostPlanes; ++k)
      if (planes.has(k)) data[k] = open_dataset(kNames[k]);
    const Dataset stored = open_dataset(kCrcs);
    if (H5Dread(stored, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, crcs.data()) < 0)
      fail_reading(path, "its /crc32 cannot be read", kRemedy);
  }

  Dataset open_dataset(const char* name) const {
    Dataset dataset(H5Dopen2(file, name, H5P_DEFAULT));
    if (!dataset.valid()) fail_reading(path, fmt::format("{} cannot be opened", name), kRemedy);
    return dataset;
  }

  void read_stream(std::size_t plane, std::uint64_t piece, std::vector<std::byte>& stream) const {
    const std::uint64_t full = plane_bytes(plane, kPiecePositions);
    read_chunk_stream(path, data[plane], kNames[plane], piece, full, longest_stream(full), stream, kRemedy);
  }
};

StatePartReader::StatePartReader(const std::filesystem::path& path, std::uint64_t positions,
                                 const PlaneSet& planes)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = path;
  impl_->planes = planes;
  impl_->positions = positions;
  impl_->open();
}
StatePartReader::~StatePartReader() = default;
StatePartReader::StatePartReader(StatePartReader&&) noexcept = default;
StatePartReader& StatePartReader::operator=(StatePartReader&&) noexcept = default;

std::uint32_t StatePartReader::digest() const { return crc32(0, std::as_bytes(std::span(impl_->crcs))); }

void StatePartReader::read(std::uint64_t piece, PieceStreams& streams) const {
  for (std::size_t k = 0; k < kMostPlanes; ++k) {
    streams.crc[k] = impl_->crcs[kMostPlanes * piece + k];
    streams.stream[k].clear();
    if (impl_->planes.has(k)) impl_->read_stream(k, piece, streams.stream[k]);
  }
}

// ---------------------------------------------------------------------------------------------- writing

struct StatePartWriter::Impl {
  std::filesystem::path path;
  std::uint64_t positions;
  PlaneSet planes;
  NewFile file;  // before what lies in it
  std::array<Dataset, kMostPlanes> data;
  std::vector<std::uint32_t> crcs;
  std::vector<std::uint32_t> stream_crcs;  ///< stream_digest of each piece

  Impl(const std::filesystem::path& where, std::uint64_t count, const PlaneSet& set)
      : path(where),
        positions(count),
        planes(set),
        file(path),
        crcs(kMostPlanes * pieces_of(positions)),
        stream_crcs(pieces_of(positions)) {
    for (std::size_t k = 0; k < kMostPlanes; ++k) {
      if (!planes.has(k)) continue;
      data[k] = create_bytes(file, kNames[k], plane_bytes(k, positions), chunk_bytes(k, positions));
      file.require(data[k].valid(), kNames[k]);
    }
  }

  void write_crcs() {
    const hsize_t size[1] = {crcs.size()};
    const Dataspace space(H5Screate_simple(1, size, nullptr));
    const PropertyList layout(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(layout, 1, size);
    H5Pset_fletcher32(layout);
    Dataset stored(H5Dcreate2(file, kCrcs, H5T_STD_U32LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
    file.require(stored.valid() &&
                     H5Dwrite(stored, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, crcs.data()) >= 0 &&
                     stored.close(),
                 kCrcs);
  }

  void close() {
    for (std::size_t k = 0; k < kMostPlanes; ++k)
      if (planes.has(k)) file.require(data[k].close(), kNames[k]);
    file.close();
  }

  /// An Error unless the file, opened again, says what was written.
  void require_reads_back() const try {
    const StatePartReader reader(path, positions, planes);
    bool same = reader.digest() == crc32(0, std::as_bytes(std::span(crcs)));
    PieceStreams streams;
    for (std::uint64_t piece = 0; same && piece < stream_crcs.size(); ++piece) {
      reader.read(piece, streams);
      same = stream_digest(streams) == stream_crcs[piece];
    }
    if (!same) throw Error("it says something else");
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} does not read back as it was written: {}", path.string(), error.what()));
  }
};

StatePartWriter::StatePartWriter(const std::filesystem::path& path, std::uint64_t positions,
                                 const PlaneSet& planes)
    : impl_(std::make_unique<Impl>(path, positions, planes)) {}
StatePartWriter::~StatePartWriter() = default;

void StatePartWriter::write(std::uint64_t piece, const PieceStreams& streams) {
  for (std::size_t k = 0; k < kMostPlanes; ++k) {
    if (!impl_->planes.has(k)) continue;
    const hsize_t offset[1] = {piece * plane_bytes(k, kPiecePositions)};
    const std::vector<std::byte>& stream = streams.stream[k];
    impl_->file.require(
        H5Dwrite_chunk(impl_->data[k], H5P_DEFAULT, 0, offset, stream.size(), stream.data()) >= 0,
        fmt::format("a piece of {}", kNames[k]));
    impl_->crcs[kMostPlanes * piece + k] = streams.crc[k];
  }
  impl_->stream_crcs[piece] = stream_digest(streams);
}

std::uint32_t StatePartWriter::digest() const { return crc32(0, std::as_bytes(std::span(impl_->crcs))); }

std::uint64_t StatePartWriter::finish() {
  impl_->write_crcs();
  impl_->close();
  impl_->require_reads_back();
  impl_->file.keep();
  return std::filesystem::file_size(impl_->path);
}

}  // namespace awele
