#include "finish.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "awele/index/slice_index.hpp"
#include "awele/store/distances.hpp"
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

/// Copies what this rank owns of a piece, from an array of the state: part after part, in the order of the
/// mover halves. The output grows.
template <typename T>
class Gatherer {
 public:
  Gatherer(const SliceState& state, std::span<const T> array) : state_(state), array_(array) {}

  void run(const std::vector<RowPart>& parts, std::vector<T>& all) {
    sources_.clear();
    std::uint64_t at = all.size();
    for (const RowPart& part : parts) {
      const OwnPart own = own_part(state_.rows, part);
      sources_.push_back({part.seeds, part.column, own.local, own.local + own.count, at});
      at += own.count;
    }
    all.resize(at);
    // Rows of one block side by side: their columns are neighbours in every state row.
    std::stable_sort(sources_.begin(), sources_.end(),
                     [](const Source& a, const Source& b) { return a.seeds < b.seeds; });
    for (auto first = sources_.begin(); first != sources_.end();) {
      auto last = first;
      while (last != sources_.end() && last->seeds == first->seeds) ++last;
      copy_block(first, last, all.data());
      first = last;
    }
  }

 private:
  struct Source {
    int seeds;
    std::uint64_t column, local_begin, local_end, out;
  };
  using Iterator = typename std::vector<Source>::const_iterator;
  /// State rows gone through at a time, so that their cache lines serve all columns.
  static constexpr std::uint64_t kTile = 64;

  void copy_block(Iterator first, Iterator last, T* out) const {
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
        const T* in = array_.data() + state_.offset(from, m) + s->column;
        T* place = out + s->out + (from - s->local_begin);
        for (std::uint64_t k = 0; k < to - from; ++k) place[k] = in[k * stride];
      }
  }

  const SliceState& state_;
  const std::span<const T> array_;
  std::vector<Source> sources_;
};

/// Brings together pieces from the parts of all ranks.
class Assembly {
 public:
  Assembly(const SliceState& state, const Communicator& ranks, Exchange& exchange)
      : state_(state), ranks_(ranks), delivery_(ranks, exchange) {}

  /// Turns to the next pieces, `now` of them, one to each rank.
  void next(Pieces& pieces, std::uint64_t now) {
    parts_.resize(now);
    for (auto& parts : parts_) pieces.next(parts);
  }

  /// Collective: what an array of the state holds for the own piece, in file order.
  void run(std::span<const Code> codes, std::vector<std::int8_t>& values) {
    gather(codes);
    merge<Code>(values, [meaning = state_.meaning](Code c) { return meaning.value(c); });
  }
  void run(std::span<const std::uint16_t> array, std::vector<std::uint16_t>& distances) {
    gather(array);
    merge<std::uint16_t>(distances, [](std::uint16_t d) { return d; });
  }

 private:
  template <typename T>
  void gather(std::span<const T> array) {
    std::vector<T> all;
    starts_.assign(1, 0);
    Gatherer<T> gatherer(state_, array);
    for (const auto& parts : parts_) {
      gatherer.run(parts, all);
      starts_.push_back(all.size() * sizeof(T));
    }
    starts_.resize(static_cast<std::size_t>(ranks_.size()) + 1, all.size() * sizeof(T));
    delivery_.run({reinterpret_cast<const std::uint8_t*>(all.data()), all.size() * sizeof(T)}, starts_);
  }

  template <typename T, typename Out, typename Convert>
  void merge(std::vector<Out>& out, Convert convert) {
    out.clear();
    if (static_cast<std::size_t>(ranks_.rank()) >= parts_.size()) return;
    const std::vector<RowPart>& mine = parts_[static_cast<std::size_t>(ranks_.rank())];
    out.resize(mine.back().place + (mine.back().last - mine.back().first));
    const auto all = static_cast<std::uint64_t>(ranks_.size());
    std::vector<const T*> at;
    for (int r = 0; r < ranks_.size(); ++r)
      at.push_back(reinterpret_cast<const T*>(delivery_.stream(r).data()));
    if (all == 1) {
      std::transform(at[0], at[0] + out.size(), out.begin(), convert);
      return;
    }
    for (const RowPart& part : mine) {
      const std::uint64_t row = state_.rows.base(part.seeds) + part.first, length = part.last - part.first;
      for (std::uint64_t s = 0; s < std::min(all, length); ++s) {
        const T*& in = at[static_cast<std::size_t>(state_.rows.owner(row + s))];
        for (std::uint64_t k = s; k < length; k += all) out[part.place + k] = convert(*in++);
      }
    }
  }

  const SliceState& state_;
  const Communicator& ranks_;
  Delivery delivery_;
  std::vector<std::uint64_t> starts_;
  std::vector<std::vector<RowPart>> parts_;  ///< of the pieces at hand, by rank
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

std::size_t append_chunk(Compressor& compressor, std::span<const std::int8_t> values,
                         std::vector<std::byte>& out) {
  return compressor.append(values, out);
}
std::size_t append_chunk(Compressor& compressor, std::span<const std::uint16_t> distances,
                         std::vector<std::byte>& out) {
  return append_distances(compressor, distances, out);
}

/// Deflates the chunks of a piece, of values or of distances, into one message.
template <typename T>
void deflate_piece(int n, std::uint64_t piece, std::vector<T>& numbers, Compressor& compressor,
                   std::vector<std::byte>& message) {
  const std::uint64_t chunk = chunk_size(n);
  const PieceHeader header{piece * kPieceChunks, (numbers.size() + chunk - 1) / chunk};
  numbers.resize(header.chunks * chunk, 0);  // HDF5 chunks are whole
  message.resize(sizeof header + header.chunks * sizeof(ChunkHeader));
  std::memcpy(message.data(), &header, sizeof header);
  for (std::uint64_t c = 0; c < header.chunks; ++c) {
    const auto part = std::span<const T>(numbers).subspan(c * chunk, chunk);
    const auto own = part.first(chunk_length(n, header.first_chunk + c));
    ChunkHeader head;
    head.crc = {crc32(0, own), own.size() * sizeof(T)};
    head.bytes = append_chunk(compressor, part, message);
    std::memcpy(message.data() + sizeof header + c * sizeof head, &head, sizeof head);
  }
}

/// Calls write(chunk, stream, crc) for the chunks of a piece.
template <typename Write>
void each_chunk(std::span<const std::byte> message, Write write) {
  PieceHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  std::size_t at = sizeof header + header.chunks * sizeof(ChunkHeader);
  for (std::uint64_t c = 0; c < header.chunks; ++c) {
    ChunkHeader head;
    std::memcpy(&head, message.data() + sizeof header + c * sizeof head, sizeof head);
    write(header.first_chunk + c, message.subspan(at, head.bytes), head.crc);
    at += head.bytes;
  }
}

/// Hands the messages of all ranks, those of one piece each while there are pieces, to rank 0, which writes
/// piece after piece: the file is laid out alike whatever the number of ranks. `distances`: empty without
/// any.
template <typename WriteValues, typename WriteDistances>
void collect(const Communicator& ranks, std::uint64_t pieces, const std::vector<std::byte>& values,
             const std::vector<std::byte>& distances, WriteValues write_values,
             WriteDistances write_distances) {
  if (!ranks.root()) {
    if (static_cast<std::uint64_t>(ranks.rank()) >= pieces) return;
    ranks.send(0, values);
    if (!distances.empty()) ranks.send(0, distances);
    return;
  }
  each_chunk(values, write_values);
  if (!distances.empty()) each_chunk(distances, write_distances);
  std::vector<std::byte> other;
  for (std::uint64_t r = 1; r < pieces; ++r) {
    ranks.receive(static_cast<int>(r), other);
    each_chunk(other, write_values);
    if (distances.empty()) continue;
    ranks.receive(static_cast<int>(r), other);
    each_chunk(other, write_distances);
  }
}

}  // namespace

std::uint64_t finish_memory(int n, int ranks, bool with_distances) {
  // Distances are the larger; with them the streams of the values wait for those of the distances.
  const std::uint64_t values = kPieceChunks * chunk_size(n), piece = values * (with_distances ? 2 : 1);
  // Own parts of all pieces under way, the parts received, the piece, its streams (and one more at the
  // writer).
  const std::uint64_t parts = 2 * sizeof(RowPart) * piece / 64;
  const std::uint64_t chunk_crcs = chunk_count(n) * sizeof(std::uint32_t);
  return (ranks == 1 ? 4 : 5) * piece + (with_distances ? values : 0) + parts + chunk_crcs +
         static_cast<std::uint64_t>(ranks) * sizeof(std::vector<Code>);
}

FinishedSlice finish_slice(const SliceState& state, Scope scope, const std::filesystem::path& dir,
                           const Communicator& ranks, Exchange& exchange, SolveControl& control,
                           const std::vector<std::uint32_t>& exit_crcs, const PiecesWritten& pieces_written,
                           FinishTimes& times) {
  std::optional<SliceWriter> writer;
  if (ranks.root()) writer.emplace(dir, state.n, state.rules, control.token(), scope);
  Pieces pieces(state.n);
  const std::uint64_t count = pieces.count();
  Assembly assembly(state, ranks, exchange);
  Compressor compressor;
  Histogram histogram;
  PieceCrc crc;
  std::vector<std::int8_t> values;
  std::vector<std::uint16_t> distances;
  std::vector<std::byte> value_streams, distance_streams;
  const auto all = static_cast<std::uint64_t>(ranks.size());
  Stopwatch watch;
  for (std::uint64_t first = 0; first < count; first += all) {
    const std::uint64_t now = std::min(all, count - first);
    const std::uint64_t mine = first + static_cast<std::uint64_t>(ranks.rank());
    assembly.next(pieces, now);
    assembly.run(state.codes, values);
    times.transposition += watch.lap();
    if (mine < count) {
      histogram.add(values);
      deflate_piece(state.n, mine, values, compressor, value_streams);
    }
    times.compress += watch.lap();
    if (state.with_distances()) {
      assembly.run(state.distances, distances);
      if (mine < count) deflate_piece(state.n, mine, distances, compressor, distance_streams);
      times.distances += watch.lap();
    }
    collect(
        ranks, now, value_streams, distance_streams,
        [&](std::uint64_t chunk, std::span<const std::byte> stream, const PieceCrc& each) {
          writer->write_stream(chunk, stream, each.crc);
          crc.append(each);
        },
        [&](std::uint64_t chunk, std::span<const std::byte> stream, const PieceCrc& each) {
          writer->write_distance_stream(chunk, stream, each.crc);
        });
    times.write += watch.lap();
    pieces_written(static_cast<double>(first + now) / static_cast<double>(count));
  }
  FinishedSlice finished;
  finished.histogram = histogram.counts(state.n);
  ranks.sum(finished.histogram);
  if (writer) {
    writer->made_from(exit_crcs);
    finished.file_bytes = writer->finish(crc.crc, finished.histogram, [&] {
      control.wish(Stage::renaming, state.n, {});
      control.before_rename();
    });
  }
  finished.crc = static_cast<std::uint32_t>(ranks.max(crc.crc));
  finished.file_bytes = ranks.max(finished.file_bytes);
  times.write += watch.lap();
  return finished;
}

}  // namespace awele
