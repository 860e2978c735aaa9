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

}  // namespace awele
