// Bulk exchange of records between all ranks, in bounded memory.
//
// Each rank fills a slot for each other rank; run() delivers all slots. A slot holds capacity / ranks bytes,
// so that no rank receives more than `capacity` bytes in one exchange, whatever the others send. Messages go
// straight to their ranks (one hop) or, with a grid, first to the rank of the node that has the destination's
// local number and from there to the destination (two hops): a rank then sends at most (ranks a node - 1) +
// (nodes - 1) messages. Both hops use receives posted beforehand for the largest possible length, so that no
// counts are sent first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "awele/comm/communicator.hpp"

namespace awele {

/// What an Exchange has done since it was made.
struct ExchangeCounters {
  std::uint64_t exchanges = 0;
  std::uint64_t messages = 0;        ///< sent by this rank, both hops, empty ones too
  std::uint64_t bytes = 0;           ///< payload handed over by this rank for other ranks, each byte once
  std::uint64_t bytes_received = 0;  ///< payload delivered to this rank
};

class Exchange {
 public:
  using Receiver = std::function<void(int from, std::span<const std::byte> bytes)>;

  /// `capacity`: bytes a rank can receive in one exchange. `ranks_per_node`: 0 for one hop, else the width of
  /// the grid; the last node may be partly filled. At least kSmallestSlot bytes a slot, whatever the
  /// capacity.
  Exchange(const Communicator& ranks, std::size_t capacity, int ranks_per_node);
  ~Exchange();

  static constexpr std::size_t kSmallestSlot = 64;
  /// Bytes of memory an Exchange of these parameters holds on a rank, besides MPI's own.
  static std::uint64_t memory(int ranks, std::size_t capacity, int ranks_per_node);

  std::size_t slot_bytes() const { return slot_; }
  /// Bytes still free in the slot for rank `to`.
  std::size_t room(int to) const { return slot_ - used_[static_cast<std::size_t>(to)]; }
  /// The first free byte of the slot; add() moves on. A record must not be larger than room().
  std::byte* end(int to) {
    return slots_.data() + static_cast<std::size_t>(to) * slot_ + used_[static_cast<std::size_t>(to)];
  }
  void add(int to, std::size_t bytes) {
    used_[static_cast<std::size_t>(to)] += static_cast<std::uint32_t>(bytes);
  }

  /// Collective. Delivers every slot, calls `receive` once for each rank that sent something, empties the
  /// slots.
  void run(const Receiver& receive);

  const ExchangeCounters& counters() const { return counters_; }

 private:
  void run_direct(const Receiver& receive);
  void run_grid(const Receiver& receive);
  int relay(int node, int local) const;  // the rank of `node` that forwards to local number `local`
  int node_size(int node) const;

  const Communicator& ranks_;
  int width_;
  std::size_t slot_;
  std::vector<std::byte> slots_;
  std::vector<std::uint32_t> used_;
  std::vector<std::byte> received_, relayed_;
  ExchangeCounters counters_;
};

}  // namespace awele
