// Bytes for every rank, however many, in as many exchanges as they take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "awele/comm/communicator.hpp"
#include "awele/comm/exchange.hpp"

namespace awele {

class Delivery {
 public:
  Delivery(const Communicator& ranks, Exchange& exchange)
      : ranks_(ranks), exchange_(exchange), streams_(static_cast<std::size_t>(ranks.size())) {}

  /// Collective. bytes[starts[d]] .. bytes[starts[d + 1] - 1] go to rank d; ranks + 1 starts.
  void run(std::span<const std::uint8_t> bytes, std::span<const std::uint64_t> starts);

  /// What rank `from` sent in the last run().
  const std::vector<std::uint8_t>& stream(int from) const { return streams_[static_cast<std::size_t>(from)]; }

 private:
  const Communicator& ranks_;
  Exchange& exchange_;
  std::vector<std::vector<std::uint8_t>> streams_;
};

}  // namespace awele
