// Exits on their way to the ranks that own the state rows. Those that find no room in the slot of their rank
// wait, so that one long row does not hold up what is for all the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "capture_tables.hpp"
#include "meaning.hpp"

namespace awele {

/// Exit codes for the edges first .. first + count - 1 of a kind, of one state row: count bytes follow.
struct ExitRecord {
  std::uint32_t row;  ///< local at its owner
  std::uint32_t first;
  std::uint32_t count;
  std::uint8_t q, j, k, unused = 0;
};

/// `Slots`: room(rank), end(rank) and add(rank, bytes) of an Exchange.
template <typename Slots>
class ExitMail {
 public:
  /// `most_waiting`: bytes that wait at most, but for one record more, which has some 250,000 codes at 48
  /// seeds.
  ExitMail(Slots& slots, std::size_t most_waiting) : slots_(slots), most_waiting_(most_waiting) {}

  bool empty() const { return waiting_.empty(); }
  /// Time for an exchange: nothing may be put before refill() made room.
  bool full() const { return waiting_.size() >= most_waiting_; }

  /// For rank `to`; fill(out, first, count) writes the codes of these edges.
  template <typename Fill>
  void put(int to, ExitRecord record, Fill fill) {
    while (record.count > 0) {
      const std::uint32_t take = fitting(to, record.count);
      if (take == 0) break;
      fill(start(to, record, take), record.first, take);
      advance(record, take);
    }
    if (record.count == 0) return;
    waiting_.reserve(most_waiting_ + kLargest);
    const std::size_t at = waiting_.size();
    waiting_.resize(at + sizeof(Envelope) + record.count);
    const Envelope envelope{to, record};
    std::memcpy(waiting_.data() + at, &envelope, sizeof envelope);
    fill(codes_at(at), record.first, record.count);
  }

  /// After an exchange: what waits goes into the slots, as far as they have room.
  void refill() {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < waiting_.size();) {
      Envelope envelope;
      std::memcpy(&envelope, waiting_.data() + at, sizeof envelope);
      const Code* codes = codes_at(at);
      at += sizeof envelope + envelope.record.count;
      while (const std::uint32_t take = fitting(envelope.to, envelope.record.count)) {
        std::memcpy(start(envelope.to, envelope.record, take), codes, take);
        codes += take;
        advance(envelope.record, take);
      }
      if (envelope.record.count == 0) continue;
      std::memcpy(waiting_.data() + kept, &envelope, sizeof envelope);
      std::memmove(codes_at(kept), codes, envelope.record.count);
      kept += sizeof envelope + envelope.record.count;
    }
    waiting_.resize(kept);
  }

 private:
  struct Envelope {
    int to;
    ExitRecord record;
  };

  static constexpr std::size_t kLargest = std::size_t{1} << 18;

  /// Codes of a record that the slot still takes; none where it would be only a few of many.
  std::uint32_t fitting(int to, std::uint32_t count) const {
    constexpr std::size_t kFew = 32;
    const std::size_t room = slots_.room(to);
    if (room < sizeof(ExitRecord) + std::min<std::size_t>(count, kFew)) return 0;
    return static_cast<std::uint32_t>(std::min<std::size_t>(count, room - sizeof(ExitRecord)));
  }
  Code* start(int to, ExitRecord record, std::uint32_t count) {
    record.count = count;
    std::byte* out = slots_.end(to);
    std::memcpy(out, &record, sizeof record);
    slots_.add(to, sizeof record + count);
    return reinterpret_cast<Code*>(out + sizeof record);
  }
  static void advance(ExitRecord& record, std::uint32_t count) {
    record.first += count;
    record.count -= count;
  }
  Code* codes_at(std::size_t at) { return reinterpret_cast<Code*>(waiting_.data() + at + sizeof(Envelope)); }

  Slots& slots_;
  const std::size_t most_waiting_;
  std::vector<std::byte> waiting_;  // envelopes, each with its codes
};

}  // namespace awele
