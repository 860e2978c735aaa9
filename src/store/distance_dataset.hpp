// The HDF5 side of /distance; for slice_file.cpp.
#pragma once

#include <cstdint>

#include "hdf5.hpp"

namespace awele {

inline constexpr const char* kDistances = "/distance";
inline constexpr const char* kDistanceCrcs = "/distance_chunk_crc32";
inline constexpr const char* kDistanceCrc = "distance_crc32";

/// A new, empty /distance; not valid() when HDF5 fails.
Dataset create_distances(hid_t file, std::uint64_t positions, std::uint64_t chunk_elements);

}  // namespace awele
