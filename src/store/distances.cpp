#include "awele/store/distances.hpp"

#include <bit>

#include "distance_dataset.hpp"

namespace awele {

static_assert(std::endian::native == std::endian::little, "distances are digested as they lie in memory");

std::size_t append_distances(Compressor& compressor, std::span<const std::uint16_t> distances,
                             std::vector<std::byte>& out) {
  std::vector<std::int8_t> shuffled(2 * distances.size());
  for (std::size_t k = 0; k < distances.size(); ++k) {
    shuffled[k] = static_cast<std::int8_t>(distances[k] & 0xff);
    shuffled[distances.size() + k] = static_cast<std::int8_t>(distances[k] >> 8);
  }
  return compressor.append(shuffled, out);
}

bool inflate_distances(std::span<const std::byte> stream, Decompressor& decompressor,
                       std::span<std::uint16_t> distances) {
  std::vector<std::int8_t> shuffled(2 * distances.size());
  if (!decompressor.run(stream, shuffled)) return false;
  for (std::size_t k = 0; k < distances.size(); ++k) {
    const auto low = static_cast<std::uint8_t>(shuffled[k]);
    const auto high = static_cast<std::uint8_t>(shuffled[distances.size() + k]);
    distances[k] = static_cast<std::uint16_t>(high << 8 | low);
  }
  return true;
}

std::uint32_t crc32(std::uint32_t crc, std::span<const std::uint16_t> distances) {
  return crc32(crc, std::as_bytes(distances));
}

Dataset create_distances(hid_t file, std::uint64_t positions, std::uint64_t chunk_elements) {
  const hsize_t size[1] = {positions};
  const hsize_t chunk[1] = {chunk_elements};
  const Dataspace space(H5Screate_simple(1, size, nullptr));
  const PropertyList layout(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(layout, 1, chunk);
  H5Pset_shuffle(layout);
  H5Pset_deflate(layout, 1);
  H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(layout, false);
  return Dataset(H5Dcreate2(file, kDistances, H5T_STD_U16LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
}

namespace {

bool is_filter(hid_t layout, unsigned place, H5Z_filter_t filter) {
  unsigned flags = 0, config = 0;
  std::size_t values = 0;
  return H5Pget_filter2(layout, place, &flags, &values, nullptr, 0, nullptr, &config) == filter;
}

bool right_shape(hid_t dataset, std::uint64_t positions) {
  const Dataspace space(H5Dget_space(dataset));
  const Datatype type(H5Dget_type(dataset));
  return H5Sget_simple_extent_ndims(space) == 1 &&
         H5Sget_simple_extent_npoints(space) == static_cast<hssize_t>(positions) &&
         H5Tequal(type, H5T_STD_U16LE) > 0;
}

bool right_layout(hid_t dataset, std::uint64_t chunk_elements) {
  const PropertyList layout(H5Dget_create_plist(dataset));
  hsize_t dims[1] = {0};
  return H5Pget_layout(layout) == H5D_CHUNKED && H5Pget_chunk(layout, 1, dims) == 1 &&
         dims[0] == chunk_elements && H5Pget_nfilters(layout) == 2 &&
         is_filter(layout, 0, H5Z_FILTER_SHUFFLE) && is_filter(layout, 1, H5Z_FILTER_DEFLATE);
}

}  // namespace

Dataset open_distances(hid_t file, std::uint64_t positions, std::uint64_t chunk_elements) {
  Dataset dataset(H5Dopen2(file, kDistances, H5P_DEFAULT));
  if (!dataset.valid() || !right_shape(dataset, positions) || !right_layout(dataset, chunk_elements))
    dataset.reset();
  return dataset;
}

bool read_chunk_stream(hid_t dataset, std::uint64_t offset_elements, std::uint64_t most,
                       std::vector<std::byte>& stream) {
  const hsize_t offset[1] = {offset_elements};
  hsize_t bytes = 0;
  std::uint32_t mask = 0;
  if (H5Dget_chunk_storage_size(dataset, offset, &bytes) < 0 || bytes == 0 || bytes > most) return false;
  stream.resize(bytes);
  return H5Dread_chunk(dataset, H5P_DEFAULT, offset, &mask, stream.data()) >= 0 && mask == 0;
}

}  // namespace awele
