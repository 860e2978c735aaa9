#include "awele/comm/exchange.hpp"

#include <algorithm>
#include <cstring>

#include "impl.hpp"

namespace awele {

namespace {

constexpr int kDirectTag = 2;
constexpr int kFirstHopTag = 3;
constexpr int kSecondHopTag = 4;

/// Before each block of bytes of one rank in a forwarded message.
struct BlockHeader {
  std::uint32_t rank;  // first hop: the destination; second hop: the origin
  std::uint32_t bytes;
};

std::size_t slot_size(int ranks, std::size_t capacity) {
  return std::max(capacity / static_cast<std::size_t>(ranks), Exchange::kSmallestSlot);
}

/// Receives and sends of one hop, with room for the largest message each peer may send.
class HopMessages {
 public:
  HopMessages(MPI_Comm comm, int tag, std::vector<std::byte>& buffer)
      : comm_(comm), tag_(tag), buffer_(buffer) {}

  void expect(int from, std::size_t largest) {
    from_.push_back(from);
    offset_.push_back(end_);
    end_ += largest;
    if (buffer_.size() < end_) buffer_.resize(end_);
    largest_.push_back(largest);
  }
  /// After the last expect(): the buffer no longer moves.
  void post() {
    requests_.resize(from_.size());
    for (std::size_t k = 0; k < from_.size(); ++k)
      MPI_Irecv(buffer_.data() + offset_[k], checked_count(largest_[k]), MPI_BYTE, from_[k], tag_, comm_,
                &requests_[k]);
  }
  void send(int to, std::span<const std::byte> bytes) {
    requests_.emplace_back();
    MPI_Isend(bytes.data(), checked_count(bytes.size()), MPI_BYTE, to, tag_, comm_, &requests_.back());
  }
  void wait() {
    statuses_.resize(requests_.size());
    MPI_Waitall(checked_count(requests_.size()), requests_.data(), statuses_.data());
  }
  /// Calls f(from, bytes) for each message that was not empty.
  template <typename F>
  void each(F f) {
    for (std::size_t k = 0; k < from_.size(); ++k) {
      int count = 0;
      MPI_Get_count(&statuses_[k], MPI_BYTE, &count);
      if (count > 0)
        f(from_[k], std::span<const std::byte>(buffer_.data() + offset_[k], static_cast<std::size_t>(count)));
    }
  }

 private:
  MPI_Comm comm_;
  int tag_;
  std::vector<std::byte>& buffer_;
  std::size_t end_ = 0;
  std::vector<int> from_;
  std::vector<std::size_t> offset_, largest_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
};

/// Calls f(rank, block) for each block of a forwarded message.
template <typename F>
void each_block(std::span<const std::byte> message, F f) {
  while (!message.empty()) {
    BlockHeader header;
    std::memcpy(&header, message.data(), sizeof header);
    f(static_cast<int>(header.rank), message.subspan(sizeof header, header.bytes));
    message = message.subspan(sizeof header + header.bytes);
  }
}

void append_block(std::vector<std::byte>& out, int rank, std::span<const std::byte> bytes) {
  const BlockHeader header{static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(bytes.size())};
  const auto* head = reinterpret_cast<const std::byte*>(&header);
  out.insert(out.end(), head, head + sizeof header);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

Exchange::Exchange(const Communicator& ranks, std::size_t capacity, int ranks_per_node)
    : ranks_(ranks),
      width_(ranks_per_node > 0 && ranks_per_node < ranks.size() ? ranks_per_node : 0),
      slot_(slot_size(ranks.size(), capacity)),
      slots_(ranks.size() > 1 ? slot_ * static_cast<std::size_t>(ranks.size()) : 0),
      used_(static_cast<std::size_t>(ranks.size()), 0) {}

Exchange::~Exchange() = default;

std::uint64_t Exchange::memory(int ranks, std::size_t capacity, int ranks_per_node) {
  if (ranks == 1) return 0;
  const std::uint64_t all = slot_size(ranks, capacity) * static_cast<std::uint64_t>(ranks);
  // Slots and what arrives; with a grid also three times what is relayed: assembled, received, sorted.
  return ranks_per_node > 0 && ranks_per_node < ranks
             ? 5 * (all + sizeof(BlockHeader) * static_cast<std::uint64_t>(ranks))
             : 2 * all;
}

int Exchange::node_size(int node) const { return std::min(width_, ranks_.size() - node * width_); }

int Exchange::relay(int node, int local) const { return node * width_ + local % node_size(node); }

void Exchange::run(const Receiver& receive) {
  if (ranks_.size() == 1) return;
  ++counters_.exchanges;
  for (std::uint32_t used : used_) counters_.bytes += used;
  const Receiver counted = [&](int from, std::span<const std::byte> bytes) {
    counters_.bytes_received += bytes.size();
    receive(from, bytes);
  };
  if (width_ == 0)
    run_direct(counted);
  else
    run_grid(counted);
  std::fill(used_.begin(), used_.end(), 0);
}

void Exchange::run_direct(const Receiver& receive) {
  const int me = ranks_.rank();
  HopMessages hop(ranks_.impl().comm, kDirectTag, received_);
  for (int r = 0; r < ranks_.size(); ++r)
    if (r != me) hop.expect(r, slot_);
  hop.post();
  // Each rank starts with its right neighbour, so that not all send to rank 0 first.
  for (int step = 1; step < ranks_.size(); ++step) {
    const int to = (me + step) % ranks_.size();
    hop.send(to, {slots_.data() + static_cast<std::size_t>(to) * slot_, used_[static_cast<std::size_t>(to)]});
  }
  counters_.messages += static_cast<std::uint64_t>(ranks_.size() - 1);
  hop.wait();
  hop.each(receive);
}

void Exchange::run_grid(const Receiver& receive) {
  const int me = ranks_.rank(), ranks = ranks_.size();
  const int nodes = (ranks + width_ - 1) / width_;
  const int node = me / width_, local = me % width_;
  const std::size_t block = slot_ + sizeof(BlockHeader);

  // First hop: to each rank of this node what it relays.
  const int peers = node_size(node);
  std::vector<std::vector<std::byte>> out(static_cast<std::size_t>(peers));
  std::vector<std::size_t> relays_for(static_cast<std::size_t>(peers), 0);
  for (int to = 0; to < ranks; ++to) {
    const int via = relay(node, to % width_) - node * width_;
    ++relays_for[static_cast<std::size_t>(via)];
    const std::uint32_t used = used_[static_cast<std::size_t>(to)];
    if (used)
      append_block(out[static_cast<std::size_t>(via)], to,
                   {slots_.data() + static_cast<std::size_t>(to) * slot_, used});
  }
  HopMessages first(ranks_.impl().comm, kFirstHopTag, relayed_);
  for (int peer = 0; peer < peers; ++peer)
    if (peer != local)
      first.expect(node * width_ + peer, relays_for[static_cast<std::size_t>(local)] * block);
  first.post();
  for (int step = 1; step < peers; ++step) {
    const int peer = (local + step) % peers;
    first.send(node * width_ + peer, out[static_cast<std::size_t>(peer)]);
  }
  counters_.messages += static_cast<std::uint64_t>(peers - 1);
  first.wait();

  // Sort by destination what this rank forwards; what is for itself has arrived.
  std::vector<std::vector<std::byte>> onward(static_cast<std::size_t>(ranks));
  const auto route = [&](int origin, int to, std::span<const std::byte> bytes) {
    if (to == me)
      receive(origin, bytes);
    else
      append_block(onward[static_cast<std::size_t>(to)], origin, bytes);
  };
  each_block(out[static_cast<std::size_t>(local)],
             [&](int to, std::span<const std::byte> bytes) { route(me, to, bytes); });
  first.each([&](int from, std::span<const std::byte> message) {
    each_block(message, [&](int to, std::span<const std::byte> bytes) { route(from, to, bytes); });
  });

  // Second hop: one message from the relay of each other node. A full node relays to one rank of each other
  // node, a partly filled one to several.
  HopMessages second(ranks_.impl().comm, kSecondHopTag, received_);
  for (int other = 0; other < nodes; ++other)
    if (other != node) second.expect(relay(other, local), static_cast<std::size_t>(node_size(other)) * block);
  second.post();
  for (int step = 1; step < nodes; ++step) {
    const int other = (node + step) % nodes;
    for (int l = local; l < node_size(other); l += peers) {
      const int to = other * width_ + l;
      second.send(to, onward[static_cast<std::size_t>(to)]);
      ++counters_.messages;
    }
  }
  second.wait();
  second.each([&](int, std::span<const std::byte> message) { each_block(message, receive); });
}

}  // namespace awele
