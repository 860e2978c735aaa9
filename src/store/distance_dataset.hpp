// The HDF5 side of /distance; for slice_file.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hdf5.hpp"

namespace awele {

inline constexpr const char* kDistances = "/distance";
inline constexpr const char* kDistanceCrcs = "/distance_chunk_crc32";
inline constexpr const char* kDistanceCrc = "distance_crc32";

/// A new, empty /distance; not valid() when HDF5 fails.
Dataset create_distances(hid_t file, std::uint64_t positions, std::uint64_t chunk_elements);

/// /distance; not valid() when it is missing or has another shape, type, chunk or filters.
Dataset open_distances(hid_t file, std::uint64_t positions, std::uint64_t chunk_elements);

/// The chunk that begins at element `offset_elements`, as it lies in the file; false when it is missing,
/// larger than `most` bytes or cannot be read.
bool read_chunk_stream(hid_t dataset, std::uint64_t offset_elements, std::uint64_t most,
                       std::vector<std::byte>& stream);

}  // namespace awele
