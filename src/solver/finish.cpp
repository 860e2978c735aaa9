#include "finish.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "awele/index/slice_index.hpp"
#include "awele/store/slice_file.hpp"
#include "awele/support/stopwatch.hpp"
#include "delivery.hpp"

namespace awele {

namespace {

constexpr std::uint64_t kPieceChunks = 16;

/// The part of one row that lies in a piece: mover halves first..last-1 of column `column` of block `seeds`.
struct RowPart {
  int seeds;                  // of the mover's half
  std::uint64_t column;       // of the waiting half, among those with a hole
  std::uint64_t first, last;  // ranks of the mover's half
  std::uint64_t place;        // of the first in the piece
};

/// Cuts the file into pieces and lists the rows of each, in file order.
class Pieces {
 public:
  explicit Pieces(int n) : n_(n), size_(slice_size(n)), length_(kPieceChunks * chunk_size(n)) {}
  std::uint64_t count() const { return (size_ + length_ - 1) / length_; }
  std::uint64_t length(std::uint64_t piece) const { return std::min(length_, size_ - piece * length_); }

  /// The rows of the next piece.
  void next(std::vector<RowPart>& parts) {
    parts.clear();
    const std::uint64_t piece = at_ / length_, end = piece * length_ + length(piece);
    const std::uint64_t begin = at_;
    while (at_ < end) {
      const int mover = n_ - seeds(x_);
      const std::uint64_t row = half_count(mover), take = std::min(row - done_, end - at_);
      parts.push_back({mover, hole_rank(x_), done_, done_ + take, at_ - begin});
      at_ += take;
      done_ += take;
      if (done_ == row) {
        next_row(n_, x_);
        done_ = 0;
      }
    }
  }

 private:
  int n_;
  std::uint64_t size_, length_;
  Half x_{};
  std::uint64_t at_ = 0, done_ = 0;
};

/// Ranks of own mover halves among first..last-1 of a block: start, start + ranks, ...
struct OwnPart {
  std::uint64_t local, count;
};

OwnPart own_part(const Dealing& rows, const RowPart& part) {
  const std::uint64_t base = rows.base(part.seeds), local = rows.local_before(base + part.first);
  return {local, rows.local_before(base + part.last) - local};
}

/// Copies what this rank owns of a piece: part after part, in the order of the mover halves. `codes` grows.
class Gatherer {
 public:
  explicit Gatherer(const SliceState& state) : state_(state) {}

  void run(const std::vector<RowPart>& parts, std::vector<Code>& codes) {
    sources_.clear();
    std::uint64_t at = codes.size();
    for (const RowPart& part : parts) {
      const OwnPart own = own_part(state_.rows, part);
      sources_.push_back({part.seeds, part.column, own.local, own.local + own.count, at});
      at += own.count;
    }
    codes.resize(at);
    // Rows of one block side by side: their columns are neighbours in every state row.
    std::stable_sort(sources_.begin(), sources_.end(),
                     [](const Source& a, const Source& b) { return a.seeds < b.seeds; });
    for (auto first = sources_.begin(); first != sources_.end();) {
      auto last = first;
      while (last != sources_.end() && last->seeds == first->seeds) ++last;
      copy_block(first, last, codes.data());
      first = last;
    }
  }

 private:
  struct Source {
    int seeds;
    std::uint64_t column, local_begin, local_end, out;
  };
  using Iterator = std::vector<Source>::const_iterator;
  /// State rows gone through at a time, so that their cache lines serve all columns.
  static constexpr std::uint64_t kTile = 64;

  void copy_block(Iterator first, Iterator last, Code* out) const {
    const int m = first->seeds;
    const std::uint64_t stride = state_.stride(m);
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;
    for (auto s = first; s != last; ++s) {
      begin = std::min(begin, s->local_begin);
      end = std::max(end, s->local_end);
    }
    for (std::uint64_t tile = begin; tile < end; tile += kTile)
      for (auto s = first; s != last; ++s) {
        const std::uint64_t from = std::max(tile, s->local_begin), to = std::min(tile + kTile, s->local_end);
        if (from >= to) continue;
        const Code* in = state_.codes.data() + state_.offset(from, m) + s->column;
        Code* place = out + s->out + (from - s->local_begin);
        for (std::uint64_t k = 0; k < to - from; ++k) place[k] = in[k * stride];
      }
  }

  const SliceState& state_;
  std::vector<Source> sources_;
};

void to_values(std::span<const Code> codes, std::span<std::int8_t> values) {
  for (std::size_t k = 0; k < codes.size(); ++k) values[k] = code::value(codes[k]);
}

/// Brings together a piece from the parts of all ranks.
class Assembly {
 public:
  Assembly(const SliceState& state, const Communicator& ranks, Exchange& exchange)
      : state_(state), ranks_(ranks), delivery_(ranks, exchange) {}

  /// Collective: the pieces `first` .. `first` + ranks - 1 (those that exist), one to each rank; its own to
  /// `values`.
  void run(Pieces& pieces, std::uint64_t first, std::vector<std::int8_t>& values) {
    const auto all = static_cast<std::uint64_t>(ranks_.size());
    const std::uint64_t now = std::min(all, pieces.count() - first);
    codes_.clear();
    starts_.assign(1, 0);
    mine_.clear();
    Gatherer gatherer(state_);
    for (std::uint64_t d = 0; d < now; ++d) {
      pieces.next(parts_);
      gatherer.run(parts_, codes_);
      starts_.push_back(codes_.size());
      if (static_cast<int>(d) == ranks_.rank()) mine_ = parts_;
    }
    starts_.resize(all + 1, codes_.size());
    delivery_.run(codes_, starts_);
    merge(values);
  }

 private:
  void merge(std::vector<std::int8_t>& values) {
    values.clear();
    if (mine_.empty()) return;
    values.resize(mine_.back().place + (mine_.back().last - mine_.back().first));
    const auto all = static_cast<std::uint64_t>(ranks_.size());
    if (all == 1) return to_values(delivery_.stream(0), values);
    std::vector<const Code*> at;
    for (int r = 0; r < ranks_.size(); ++r) at.push_back(delivery_.stream(r).data());
    for (const RowPart& part : mine_) {
      const std::uint64_t row = state_.rows.base(part.seeds) + part.first, length = part.last - part.first;
      for (std::uint64_t s = 0; s < std::min(all, length); ++s) {
        const Code*& in = at[static_cast<std::size_t>(state_.rows.owner(row + s))];
        for (std::uint64_t k = s; k < length; k += all) values[part.place + k] = code::value(*in++);
      }
    }
  }

  const SliceState& state_;
  const Communicator& ranks_;
  Delivery delivery_;
  std::vector<Code> codes_;
  std::vector<std::uint64_t> starts_;
  std::vector<RowPart> parts_, mine_;
};

/// A deflated piece on its way to the writer: this, then a ChunkHeader for each chunk, then the streams.
struct PieceHeader {
  std::uint64_t first_chunk = 0, chunks = 0;
};
struct ChunkHeader {
  std::uint64_t bytes = 0;
  PieceCrc crc;
};

class Histogram {
 public:
  void add(std::span<const std::int8_t> values) {
    // Four tables, so that equal neighbours do not wait for one another.
    std::size_t k = 0;
    for (; k + 4 <= values.size(); k += 4)
      for (std::size_t lane = 0; lane < 4; ++lane)
        ++lanes_[lane][static_cast<std::uint8_t>(values[k + lane])];
    for (; k < values.size(); ++k) ++lanes_[0][static_cast<std::uint8_t>(values[k])];
  }
  std::vector<std::uint64_t> counts(int n) const {
    std::vector<std::uint64_t> counts;
    for (int v = -n; v <= n; ++v) {
      counts.push_back(0);
      for (const auto& lane : lanes_) counts.back() += lane[static_cast<std::uint8_t>(v)];
    }
    return counts;
  }

 private:
  std::array<std::array<std::uint64_t, 256>, 4> lanes_{};
};

/// Deflates the chunks of a piece into one message.
void deflate_piece(int n, std::uint64_t piece, std::vector<std::int8_t>& values, Compressor& compressor,
                   std::vector<std::byte>& message) {
  const std::uint64_t chunk = chunk_size(n);
  const PieceHeader header{piece * kPieceChunks, (values.size() + chunk - 1) / chunk};
  values.resize(header.chunks * chunk, 0);  // HDF5 chunks are whole
  message.resize(sizeof header + header.chunks * sizeof(ChunkHeader));
  std::memcpy(message.data(), &header, sizeof header);
  for (std::uint64_t c = 0; c < header.chunks; ++c) {
    const auto part = std::span<const std::int8_t>(values).subspan(c * chunk, chunk);
    ChunkHeader head;
    head.crc.add(part.first(chunk_length(n, header.first_chunk + c)));
    head.bytes = compressor.append(part, message);
    std::memcpy(message.data() + sizeof header + c * sizeof head, &head, sizeof head);
  }
}

void write_piece(SliceWriter& writer, std::span<const std::byte> message, PieceCrc& crc) {
  PieceHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  std::size_t at = sizeof header + header.chunks * sizeof(ChunkHeader);
  for (std::uint64_t c = 0; c < header.chunks; ++c) {
    ChunkHeader head;
    std::memcpy(&head, message.data() + sizeof header + c * sizeof head, sizeof head);
    writer.write_stream(header.first_chunk + c, message.subspan(at, head.bytes), head.crc.crc);
    crc.append(head.crc);
    at += head.bytes;
  }
}

}  // namespace

std::uint64_t finish_memory(int n, int ranks) {
  const std::uint64_t piece = kPieceChunks * chunk_size(n);
  // Own parts of all pieces under way, the parts received, the piece, its streams (and one more at the
  // writer).
  const std::uint64_t parts = 2 * sizeof(RowPart) * piece / 64;
  const std::uint64_t chunk_crcs = chunk_count(n) * sizeof(std::uint32_t);
  return (ranks == 1 ? 4 : 5) * piece + parts + chunk_crcs +
         static_cast<std::uint64_t>(ranks) * sizeof(std::vector<Code>);
}

FinishedSlice finish_slice(const SliceState& state, const std::filesystem::path& dir,
                           const Communicator& ranks, Exchange& exchange, SolveControl& control,
                           const PiecesWritten& pieces_written, FinishTimes& times) {
  std::optional<SliceWriter> writer;
  if (ranks.root()) writer.emplace(dir, state.n, state.rules, control.token());
  Pieces pieces(state.n);
  const std::uint64_t count = pieces.count();
  Assembly assembly(state, ranks, exchange);
  Compressor compressor;
  Histogram histogram;
  PieceCrc crc;
  std::vector<std::int8_t> values;
  std::vector<std::byte> message, other;
  const auto all = static_cast<std::uint64_t>(ranks.size());
  Stopwatch watch;
  for (std::uint64_t first = 0; first < count; first += all) {
    assembly.run(pieces, first, values);
    const std::uint64_t mine = first + static_cast<std::uint64_t>(ranks.rank());
    times.transposition += watch.lap();
    if (mine < count) {
      histogram.add(values);
      deflate_piece(state.n, mine, values, compressor, message);
    }
    times.compress += watch.lap();
    if (!ranks.root()) {
      if (mine < count) ranks.send(0, message);
    } else {
      write_piece(*writer, message, crc);
      for (std::uint64_t r = 1; r < all && first + r < count; ++r) {
        ranks.receive(static_cast<int>(r), other);
        write_piece(*writer, other, crc);
      }
    }
    times.write += watch.lap();
    pieces_written(static_cast<double>(std::min(first + all, count)) / static_cast<double>(count));
  }
  FinishedSlice finished;
  finished.histogram = histogram.counts(state.n);
  ranks.sum(finished.histogram);
  if (writer)
    finished.file_bytes = writer->finish(crc.crc, finished.histogram, [&] {
      control.wish(Stage::renaming, state.n, {});
      control.before_rename();
    });
  finished.crc = static_cast<std::uint32_t>(ranks.max(crc.crc));
  finished.file_bytes = ranks.max(finished.file_bytes);
  times.write += watch.lap();
  return finished;
}

}  // namespace awele
