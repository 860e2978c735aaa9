// Options whose value is a number. Numbers are decimal: 012 is twelve, and 0x10, 1e3 for a whole number, nan
// and inf are refused. Each of these goes to CLI::Option::transform.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace awele::cli {

/// A whole number from `low` to `high`.
CLI::Validator whole(std::uint64_t low, std::uint64_t high = std::numeric_limits<std::uint64_t>::max());

/// A number from `low` to `high`.
CLI::Validator real(double low, double high);

/// A number of bytes from `low` to `high`, as such or as kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB
/// (powers of 1024); the B may be left out.
CLI::Validator bytes(std::uint64_t low, std::uint64_t high = std::uint64_t{1} << 50);

}  // namespace awele::cli
