#include "exits.hpp"

#include <algorithm>
#include <cstring>

#include "awele/index/slice_index.hpp"
#include "awele/support/stopwatch.hpp"

namespace awele {

CaptureTables::Table CaptureTables::make(int waiting_seeds, int q, int k) {
  Table table{waiting_seeds, q, k, {}, 0};
  std::uint32_t column = 0;
  Half b = half_at(waiting_seeds, 0);
  do {
    if (!has_hole(b)) continue;
    for (int j = 1; j <= kHalfPits; ++j) {
      const Pattern p{q, j};
      const int last = b[static_cast<std::size_t>(j - 1)] + q + 1;
      if (last != 2 && last != 3) continue;
      Half after = b;
      for (int pit = 0; pit < kHalfPits; ++pit)
        after[static_cast<std::size_t>(pit)] += static_cast<std::uint8_t>(p.at(pit));
      if (capture(after, p) != k || seeds(after) == 0) continue;  // a grand slam: the rules know its value
      CaptureEdges& edges = table.edges[static_cast<std::size_t>(j)];
      edges.place.push_back(static_cast<std::uint32_t>(half_rank(after)));
      edges.column.push_back(column);
    }
    ++column;
  } while (next_half(b));
  for (CaptureEdges& edges : table.edges) {
    edges.place.shrink_to_fit();
    edges.column.shrink_to_fit();
    table.bytes += edges.place.size() * 2 * sizeof(std::uint32_t);
  }
  return table;
}

const CaptureEdges& CaptureTables::edges(int waiting_seeds, const Pattern& p, int k) {
  static const CaptureEdges none;
  if (p.q > 2) return none;  // every pit of the waiting side then holds four or more
  const auto q = static_cast<std::size_t>(p.q);
  Table*& known = index_[static_cast<std::size_t>(waiting_seeds)][q][static_cast<std::size_t>(k)];
  if (!known) {
    tables_.push_front(make(waiting_seeds, p.q, k));
    known = &tables_.front();
    bytes_ += known->bytes;
    while (bytes_ > kMostBytes && tables_.size() > 1) drop_oldest();
  }
  return known->edges[static_cast<std::size_t>(p.j)];
}

void CaptureTables::drop_oldest() {
  const Table& oldest = tables_.back();
  bytes_ -= oldest.bytes;
  index_[static_cast<std::size_t>(oldest.waiting_seeds)][static_cast<std::size_t>(oldest.q)]
        [static_cast<std::size_t>(oldest.k)] = nullptr;
  tables_.pop_back();
}

namespace {

/// What a rank reads of a slice at a time.
constexpr std::uint64_t kBatchValues = std::uint64_t{4} << 20;

/// Exit codes for columns edges[first..first+count) of a state row: count bytes follow.
struct ExitRecord {
  std::uint32_t row;    ///< local at its owner
  std::uint32_t first;  ///< in the edges of (waiting seeds of the row, q, j, k)
  std::uint32_t count;
  std::uint8_t q, j, k, unused = 0;
};

/// Walks over one smaller slice and turns its rows into exits.
class ExitPass {
 public:
  ExitPass(SliceState& state, int captured, SliceSource& source, const Communicator& ranks,
           Exchange& exchange, CaptureTables& tables)
      : state_(state),
        captured_(captured),
        slice_(state.n - captured),
        source_(source),
        ranks_(ranks),
        exchange_(exchange),
        tables_(tables) {
    const std::uint64_t size = slice_size(slice_);
    const auto r = static_cast<std::uint64_t>(ranks.rank()), all = static_cast<std::uint64_t>(ranks.size());
    seek(share(size, r, all));
    end_ = share(size, r + 1, all);
  }

  double read_seconds() const { return read_seconds_; }

  PieceCrc run() {
    // All ranks go round together: a batch, its exits, and as many exchanges as the fullest rank needs.
    do {
      load_batch();
      bool sent = false;
      do {
        sent = send_batch();
        exchange_.run([&](int, std::span<const std::byte> bytes) { receive(bytes); });
      } while (ranks_.any(!sent));
    } while (ranks_.any(more_));
    return crc_;
  }

 private:
  struct Row {
    Half x;
    int seeds;
    const std::int8_t* values;
  };
  struct Target {
    std::uint64_t row;
    Pattern laid;
    int waiting_seeds;
  };

  static std::uint64_t share(std::uint64_t size, std::uint64_t r, std::uint64_t all) {
    return size / all * r + size % all * r / all;  // no overflow: at most 2^38 positions, 2^26 ranks
  }

  /// The first row that starts at or after `place`.
  void seek(std::uint64_t place) {
    more_ = place < slice_size(slice_);
    if (!more_) return;
    x_ = row_at(slice_, place);
    start_ = row_start(slice_, x_);
    if (start_ < place) step();
  }

  void step() {
    start_ += row_length(slice_, x_);
    more_ = next_row(slice_, x_);
  }

  void load_batch() {
    rows_.clear();
    row_ = target_ = edge_ = 0;
    targets_.clear();
    more_ = more_ && start_ < end_;
    const std::uint64_t first = start_;
    std::uint64_t last = start_;
    std::vector<std::uint64_t> starts;
    while (more_ && last - first < kBatchValues) {
      rows_.push_back({x_, seeds(x_), nullptr});
      starts.push_back(start_);
      step();
      last = start_;
      more_ = more_ && start_ < end_;
    }
    const std::uint64_t chunk = chunk_size(slice_), first_chunk = first / chunk;
    const std::uint64_t chunks = rows_.empty() ? 0 : (last - 1) / chunk - first_chunk + 1;
    const Stopwatch watch;
    source_.fetch(slice_, first_chunk, chunks, values_);
    read_seconds_ += watch.seconds();
    if (rows_.empty()) return;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      rows_[k].values = values_.data() + (starts[k] - first_chunk * chunk);
    crc_.add({rows_.front().values, last - first});
    // Rows with as many seeds use the same edges: side by side they find them in the cache.
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const Row& a, const Row& b) { return a.seeds < b.seeds; });
    find_targets();
  }

  /// The state rows that can capture into row `row_`.
  void find_targets() {
    targets_.clear();
    target_ = edge_ = 0;
    if (row_ == rows_.size()) return;
    const Row& row = rows_[row_];
    const int mover_seeds = slice_ - row.seeds;  // of the side that moves next, after the capture
    if (mover_seeds == 0) return;                // the capture starved
    each_unsowing(prefix_sums(pack(row.x), row.seeds), mover_seeds + captured_, [&](const Unsowing& back) {
      if (back.laid.j == 0) return;
      const int m = row.seeds + back.given;
      const std::uint64_t number = state_.rows.base(m) + rank_of(back.before);
      targets_.push_back({number, back.laid, state_.n - m});
    });
  }

  /// Sends and applies until the batch is done (true) or the slot of some rank is full (false).
  bool send_batch() {
    for (; row_ < rows_.size(); ++row_, find_targets())
      for (; target_ < targets_.size(); ++target_, edge_ = 0)
        if (!send_target(targets_[target_])) return false;
    return true;
  }

  bool send_target(const Target& target) {
    const CaptureEdges& edges = tables_.edges(target.waiting_seeds, target.laid, captured_);
    const std::uint64_t count = edges.column.size();
    const std::int8_t* values = rows_[row_].values;
    const Code base = code::open_exit(captured_);
    const std::uint64_t local = state_.rows.local(target.row);
    const int owner = state_.rows.owner(target.row);
    if (owner == state_.rank) {
      Code* codes = state_.codes.data() + state_.offset(local, state_.n - target.waiting_seeds);
      for (std::uint64_t e = 0; e < count; ++e) {
        Code& best = codes[edges.column[e]];
        best = std::max(best, static_cast<Code>(base - values[edges.place[e]]));
      }
      return true;
    }
    while (edge_ < count) {
      const std::size_t room = exchange_.room(owner);
      if (room <= sizeof(ExitRecord)) return false;
      const std::uint64_t take = std::min<std::uint64_t>(room - sizeof(ExitRecord), count - edge_);
      const ExitRecord record{static_cast<std::uint32_t>(local),
                              static_cast<std::uint32_t>(edge_),
                              static_cast<std::uint32_t>(take),
                              static_cast<std::uint8_t>(target.laid.q),
                              static_cast<std::uint8_t>(target.laid.j),
                              static_cast<std::uint8_t>(captured_),
                              0};
      std::byte* out = exchange_.end(owner);
      std::memcpy(out, &record, sizeof record);
      auto* exits = reinterpret_cast<Code*>(out + sizeof record);
      for (std::uint64_t e = 0; e < take; ++e)
        exits[e] = static_cast<Code>(base - values[edges.place[edge_ + e]]);
      exchange_.add(owner, sizeof record + take);
      edge_ += take;
    }
    return true;
  }

  void receive(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      ExitRecord record;
      std::memcpy(&record, bytes.data(), sizeof record);
      const int m = state_.row_info[record.row].seeds;
      const CaptureEdges& edges = tables_.edges(state_.n - m, {record.q, record.j}, record.k);
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
  const int captured_, slice_;
  SliceSource& source_;
  const Communicator& ranks_;
  Exchange& exchange_;
  CaptureTables& tables_;

  Half x_{};
  std::uint64_t start_ = 0, end_ = 0;
  bool more_ = false;
  PieceCrc crc_;
  double read_seconds_ = 0;

  std::vector<std::int8_t> values_;
  std::vector<Row> rows_;
  std::vector<Target> targets_;
  std::size_t row_ = 0, target_ = 0;
  std::uint64_t edge_ = 0;
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

std::uint32_t read_exits(SliceState& state, int captured, SliceSource& source, const Communicator& ranks,
                         Exchange& exchange, CaptureTables& tables, double& read_seconds) {
  ExitPass pass(state, captured, source, ranks, exchange, tables);
  const std::uint32_t crc = check_digest(source, state.n - captured, pass.run(), ranks);
  read_seconds += pass.read_seconds();
  return crc;
}

}  // namespace awele
