#include "delivery.hpp"

#include <algorithm>
#include <cstring>

namespace awele {

void Delivery::run(std::span<const std::uint8_t> bytes, std::span<const std::uint64_t> starts) {
  const auto me = static_cast<std::size_t>(ranks_.rank());
  for (auto& stream : streams_) stream.clear();
  const std::span own = bytes.subspan(starts[me], starts[me + 1] - starts[me]);
  streams_[me].assign(own.begin(), own.end());
  std::vector<std::uint64_t> sent(starts.begin(), starts.end() - 1);
  bool left = ranks_.size() > 1;
  while (left) {
    left = false;
    for (std::size_t d = 0; d < sent.size(); ++d) {
      if (d == me) continue;
      const int to = static_cast<int>(d);
      const std::uint64_t rest = starts[d + 1] - sent[d];
      const std::size_t take = std::min<std::size_t>(exchange_.room(to), rest);
      if (rest == 0) continue;
      std::memcpy(exchange_.end(to), bytes.data() + sent[d], take);
      exchange_.add(to, take);
      sent[d] += take;
      left = left || take < rest;
    }
    exchange_.run([&](int from, std::span<const std::byte> arrived) {
      const auto* in = reinterpret_cast<const std::uint8_t*>(arrived.data());
      auto& stream = streams_[static_cast<std::size_t>(from)];
      stream.insert(stream.end(), in, in + arrived.size());
    });
    left = ranks_.any(left);
  }
}

}  // namespace awele
