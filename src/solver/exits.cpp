#include "exits.hpp"

#include <algorithm>
#include <cstring>

#include "awele/index/slice_index.hpp"
#include "awele/support/stopwatch.hpp"
#include "exit_mail.hpp"
#include "exit_walk.hpp"

namespace awele {

namespace {

/// Walks over one smaller slice and turns its rows into exits.
class ExitPass {
 public:
  ExitPass(SliceState& state, int captured, const ExitTools& tools)
      : state_(state),
        captured_(captured),
        walk_(state.n, captured, tools.ranks.rank(), tools.ranks.size()),
        source_(tools.source),
        ranks_(tools.ranks),
        exchange_(tools.exchange),
        tables_(tools.tables),
        mail_(tools.exchange, tools.most_waiting) {}

  double read_seconds() const { return read_seconds_; }

  PieceCrc run() {
    // All ranks go round together, but none waits for the others to be done with a batch.
    do {
      load_batch();
      mail_.refill();
      send_batch();
      exchange_.run([&](int, std::span<const std::byte> bytes) { receive(bytes); });
    } while (ranks_.any(walk_.more() || !batch_done() || !mail_.empty()));
    return crc_;
  }

 private:
  bool batch_done() const { return row_ == walk_.rows().size(); }

  /// Collective, also when this rank still has rows.
  void load_batch() {
    const bool next = batch_done();
    if (next) {
      walk_.next_batch();
      row_ = 0;
    }
    const int slice = walk_.slice();
    const std::uint64_t chunk = chunk_size(slice), first_chunk = walk_.first() / chunk;
    const bool wanted = next && !batch_done();
    const std::uint64_t chunks = wanted ? (walk_.last() - 1) / chunk - first_chunk + 1 : 0;
    const Stopwatch watch;
    source_.fetch(slice, first_chunk, chunks, values_);
    read_seconds_ += watch.seconds();
    if (!wanted) return;
    batch_ = values_.data() + (walk_.first() - first_chunk * chunk);
    crc_.add({batch_, walk_.last() - walk_.first()});
    find_targets();
  }

  void find_targets() {
    targets_.clear();
    target_ = 0;
    if (!batch_done()) walk_.find_targets(walk_.rows()[row_], state_.rows, targets_);
  }

  /// Sends and applies until the batch is done or an exchange is due.
  void send_batch() {
    for (; !batch_done(); ++row_, find_targets())
      for (; target_ < targets_.size(); ++target_) {
        if (mail_.full()) return;
        send(targets_[target_]);
      }
  }

  void send(const ExitWalk::Target& target) {
    const CaptureEdges& edges = tables_.edges(target.kind);
    const std::size_t count = edges.column.size();
    const std::int8_t* values = batch_ + (walk_.rows()[row_].start - walk_.first());
    const Code base = code::open_exit(captured_);
    const std::uint64_t local = state_.rows.local(target.row);
    const int owner = state_.rows.owner(target.row);
    if (owner == state_.rank) {
      Code* codes = state_.codes.data() + state_.offset(local, state_.n - target.kind.waiting_seeds);
      for (std::size_t e = 0; e < count; ++e) {
        Code& best = codes[edges.column[e]];
        best = std::max(best, static_cast<Code>(base - values[edges.place[e]]));
      }
      return;
    }
    const Pattern& laid = target.kind.laid;
    const ExitRecord record{static_cast<std::uint32_t>(local), 0,
                            static_cast<std::uint32_t>(count), static_cast<std::uint8_t>(laid.q),
                            static_cast<std::uint8_t>(laid.j), static_cast<std::uint8_t>(captured_)};
    mail_.put(owner, record, [&](Code* out, std::uint32_t first, std::uint32_t some) {
      for (std::uint32_t e = 0; e < some; ++e)
        out[e] = static_cast<Code>(base - values[edges.place[first + e]]);
    });
  }

  void receive(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      ExitRecord record;
      std::memcpy(&record, bytes.data(), sizeof record);
      const int m = state_.row_info[record.row].seeds;
      const CaptureEdges& edges = tables_.edges({state_.n - m, {record.q, record.j}, record.k});
      Code* codes = state_.codes.data() + state_.offset(record.row, m);
      const auto* exits = reinterpret_cast<const Code*>(bytes.data() + sizeof record);
      for (std::uint32_t e = 0; e < record.count; ++e) {
        Code& best = codes[edges.column[record.first + e]];
        best = std::max(best, exits[e]);
      }
      bytes = bytes.subspan(sizeof record + record.count);
    }
  }

  SliceState& state_;
  const int captured_;
  ExitWalk walk_;
  SliceSource& source_;
  const Communicator& ranks_;
  Exchange& exchange_;
  CaptureTables& tables_;
  ExitMail<Exchange> mail_;

  PieceCrc crc_;
  double read_seconds_ = 0;
  std::vector<std::int8_t> values_;
  const std::int8_t* batch_ = nullptr;  // value of the first place of the batch
  std::vector<ExitWalk::Target> targets_;
  std::size_t row_ = 0, target_ = 0;
};

std::uint32_t check_digest(SliceSource& source, int n, const PieceCrc& own, const Communicator& ranks) {
  const std::vector<std::uint64_t> crcs = ranks.gather(own.crc), bytes = ranks.gather(own.bytes);
  PieceCrc all;
  for (std::size_t r = 0; r < crcs.size(); ++r) all.append({static_cast<std::uint32_t>(crcs[r]), bytes[r]});
  const std::uint32_t stated = source.stated_crc(n);
  if (all.crc != stated || all.bytes != slice_size(n)) fail_digest(source.path(n), all.crc, stated);
  return stated;
}

}  // namespace

std::uint32_t read_exits(SliceState& state, int captured, const ExitTools& tools, double& read_seconds) {
  ExitPass pass(state, captured, tools);
  const std::uint32_t crc = check_digest(tools.source, state.n - captured, pass.run(), tools.ranks);
  read_seconds += pass.read_seconds();
  return crc;
}

}  // namespace awele
