// What can happen to a file on a disk: it is cut short, or a bit of it flips.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace awele::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// What is done to a file: shortened to `length`, then bit `bit` (from the beginning of the file) flipped.
struct Damage {
  std::size_t length;
  std::size_t bit = ~std::size_t{0};

  std::string apply(const std::string& whole) const {
    std::string bytes = whole.substr(0, length);
    if (bit / 8 < bytes.size()) bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    return bytes;
  }
};

inline std::size_t random_below(std::size_t end, std::mt19937& random) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

/// `count` random lengths of a file of `size` bytes.
inline std::vector<Damage> truncations(std::size_t size, int count, std::mt19937& random) {
  std::vector<Damage> all;
  for (int i = 0; i < count; ++i) all.push_back({random_below(size, random)});
  return all;
}

/// `count` random bits.
inline std::vector<Damage> flips(std::size_t size, int count, std::mt19937& random) {
  std::vector<Damage> all;
  for (int i = 0; i < count; ++i) all.push_back({size, random_below(8 * size, random)});
  return all;
}

/// One random bit of each of the bytes.
inline std::vector<Damage> flips_in(const std::vector<std::size_t>& bytes, std::size_t size,
                                    std::mt19937& random) {
  std::vector<Damage> all;
  for (std::size_t byte : bytes) all.push_back({size, 8 * byte + random_below(8, random)});
  return all;
}

/// Every bit.
inline std::vector<Damage> all_flips(std::size_t size) {
  std::vector<Damage> all;
  for (std::size_t bit = 0; bit < 8 * size; ++bit) all.push_back({size, bit});
  return all;
}

/// The bytes of `whole` that belong to none of the streams, which lie in it in this order.
inline std::vector<std::size_t> bytes_outside(const std::string& whole,
                                              const std::vector<std::vector<std::byte>>& streams) {
  std::vector<bool> inside(whole.size());
  std::size_t from = 0;
  for (const auto& stream : streams) {
    const std::size_t at =
        whole.find(std::string_view(reinterpret_cast<const char*>(stream.data()), stream.size()), from);
    if (at == whole.npos) throw std::runtime_error("a stream is not where it was expected");
    from = at + stream.size();
    std::fill(inside.begin() + static_cast<std::ptrdiff_t>(at),
              inside.begin() + static_cast<std::ptrdiff_t>(from), true);
  }
  std::vector<std::size_t> rest;
  for (std::size_t at = 0; at < whole.size(); ++at)
    if (!inside[at]) rest.push_back(at);
  return rest;
}

}  // namespace awele::test
