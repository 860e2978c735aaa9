#include "checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/map.hpp>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "awele/index/slice_index.hpp"
#include "awele/store/state_part.hpp"
#include "awele/support/error.hpp"
#include "awele/support/files.hpp"
#include "exits.hpp"
#include "state_order.hpp"

namespace awele {

namespace fs = std::filesystem;

namespace {

/// To be raised whenever a checkpoint of the version before would be read wrongly or not at all: with every
/// change of what Control, Part or SliceProgress serialize, of the state's codes and counts, of the order of
/// positions, or of the files of the parts. A checkpoint of another version is skipped.
constexpr int kControlVersion = 3;
constexpr const char* kControlName = "control";

std::uint64_t no_piece() { return ~std::uint64_t{0}; }

std::span<const std::int8_t> as_signed(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const std::int8_t*>(bytes.data()), bytes.size()};
}
std::span<std::int8_t> as_signed(std::span<std::uint8_t> bytes) {
  return {reinterpret_cast<std::int8_t*>(bytes.data()), bytes.size()};
}

std::uint8_t nibble(const std::uint8_t* counts, std::uint64_t at) {
  return counts[at >> 1] >> (4 * (at & 1)) & 15;
}
void put_nibble(std::uint8_t* counts, std::uint64_t at, std::uint8_t value) {
  const int shift = 4 * static_cast<int>(at & 1);
  counts[at >> 1] = static_cast<std::uint8_t>((counts[at >> 1] & ~(15 << shift)) | value << shift);
}
void copy_nibbles(std::uint8_t* to, std::uint64_t to_at, const std::uint8_t* from, std::uint64_t from_at,
                  std::uint64_t count) {
  if ((to_at & 1) == (from_at & 1)) {
    // Equal parity: whole bytes in the middle.
    if (count && (to_at & 1)) {
      put_nibble(to, to_at++, nibble(from, from_at++));
      --count;
    }
    std::memcpy(to + to_at / 2, from + from_at / 2, count / 2);
    const std::uint64_t done = count & ~std::uint64_t{1};
    to_at += done;
    from_at += done;
    count -= done;
  }
  for (; count; --count) put_nibble(to, to_at++, nibble(from, from_at++));
}

/// Moves are not counted before the rounds (finish_exits).
PlaneSet planes_of(const SliceState& state, const SliceProgress& progress) {
  return {!state.meaning.joined() && progress.at != SliceProgress::At::exits, state.with_distances()};
}

/// Bytes in which a range of columns travels: its codes, then its counts, then its distances.
std::uint64_t travelling(const PlaneSet& set, std::uint64_t columns) {
  std::uint64_t bytes = 0;
  for (std::size_t plane = 0; plane < kMostPlanes; ++plane)
    if (set.has(plane)) bytes += plane_bytes(plane, columns);
  return bytes;
}

/// Where the planes of an array lie: of the state, or of a piece.
struct Planes {
  std::uint8_t *codes, *counts, *distances;
};
Planes planes_in(const SliceState& state) {
  return {state.codes.data(), state.counts.data(), reinterpret_cast<std::uint8_t*>(state.distances.data())};
}
Planes planes_in(std::array<std::vector<std::uint8_t>, kMostPlanes>& piece) {
  return {piece[0].data(), piece[1].data(), piece[2].data()};
}

/// Copies `count` columns from place `at` to bytes as they travel, and returns their end.
std::uint8_t* pack(const PlaneSet& set, const Planes& from, std::uint64_t at, std::uint64_t count,
                   std::uint8_t* out) {
  std::memcpy(out, from.codes + at, count);
  out += count;
  if (set.counts) {
    copy_nibbles(out, 0, from.counts, at, count);
    out += plane_bytes(1, count);
  }
  if (!set.distances) return out;
  std::memcpy(out, from.distances + 2 * at, 2 * count);
  return out + 2 * count;
}

/// The reverse.
const std::uint8_t* unpack(const PlaneSet& set, const std::uint8_t* in, std::uint64_t count, const Planes& to,
                           std::uint64_t at) {
  std::memcpy(to.codes + at, in, count);
  in += count;
  if (set.counts) {
    copy_nibbles(to.counts, at, in, 0, count);
    in += plane_bytes(1, count);
  }
  if (!set.distances) return in;
  std::memcpy(to.distances + 2 * at, in, 2 * count);
  return in + 2 * count;
}

std::uint64_t place_of(const SliceState& state, const PieceRow& part) {
  return state.offset(state.rows.local(part.row), part.seeds) + part.column;
}

std::string checkpoint_name(int n, int number) { return fmt::format("checkpoint_{:02}_{:04}", n, number); }

/// The checkpoints of slice n by number.
std::map<int, fs::path> checkpoints_in(const fs::path& dir, int n) {
  static const std::regex pattern("checkpoint_([0-9]{2})_([0-9]{4,9})");
  std::map<int, fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(dir, ignored)) {
    std::smatch match;
    const std::string file = entry.path().filename().string();
    if (std::regex_match(file, match, pattern) && std::stoi(match[1]) == n)
      found[std::stoi(match[2])] = entry.path();
  }
  return found;
}

/// One of another user of the group, for example, cannot be removed.
void remove_or_say(const fs::path& checkpoint, std::vector<std::string>& sentences) {
  std::error_code error;
  fs::remove_all(checkpoint, error);
  if (error)
    sentences.push_back(fmt::format("{} is no longer needed but cannot be removed ({}); remove it",
                                    checkpoint.string(), error.message()));
}

fs::path part_path(const fs::path& dir, std::size_t part) { return dir / fmt::format("part_{:04}.h5", part); }

/// A piece on its way to the rank that writes it, or from the one that read it: this, then the streams.
struct PieceHeader {
  std::array<std::uint32_t, kMostPlanes> crc;
  std::array<std::uint64_t, kMostPlanes> bytes;
};

std::vector<std::byte> to_message(const PieceStreams& streams) {
  PieceHeader header{streams.crc, {}};
  std::size_t size = sizeof header;
  for (std::size_t k = 0; k < kMostPlanes; ++k) size += header.bytes[k] = streams.stream[k].size();
  std::vector<std::byte> message(size);
  std::memcpy(message.data(), &header, sizeof header);
  auto out = message.begin() + sizeof header;
  for (const auto& stream : streams.stream) out = std::copy(stream.begin(), stream.end(), out);
  return message;
}

PieceStreams from_message(std::span<const std::byte> message) {
  PieceHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  message = message.subspan(sizeof header);
  PieceStreams streams{header.crc, {}};
  for (std::size_t k = 0; k < kMostPlanes; ++k) {
    const auto stream = message.first(header.bytes[k]);
    streams.stream[k].assign(stream.begin(), stream.end());
    message = message.subspan(header.bytes[k]);
  }
  return streams;
}

using PiecePlanes = std::array<std::vector<std::uint8_t>, kMostPlanes>;

/// Room for the positions of a piece, all zeros.
void clear(PiecePlanes& planes, const PlaneSet& set, std::uint64_t positions) {
  for (std::size_t k = 0; k < kMostPlanes; ++k)
    if (set.has(k)) planes[k].assign(plane_bytes(k, positions), 0);
}

void deflate(const PiecePlanes& planes, const PlaneSet& set, Compressor& compressor, PieceStreams& streams) {
  for (std::size_t k = 0; k < kMostPlanes; ++k) {
    streams.crc[k] = 0;
    streams.stream[k].clear();
    if (!set.has(k)) continue;
    const auto bytes = as_signed(std::span<const std::uint8_t>(planes[k]));
    streams.crc[k] = crc32(0, bytes);
    compressor.append(bytes, streams.stream[k]);
  }
}

bool inflate(const PieceStreams& streams, Decompressor& decompressor, PiecePlanes& planes,
             const PlaneSet& set) {
  for (std::size_t k = 0; k < kMostPlanes; ++k)
    if (set.has(k) && (!decompressor.run(streams.stream[k], as_signed(std::span(planes[k]))) ||
                       streams.crc[k] != crc32(0, as_signed(std::span<const std::uint8_t>(planes[k])))))
      return false;
  return true;
}

/// Elements that a piece takes in its file: chunks are as long as the largest piece of the part.
std::uint64_t padded_length(std::uint64_t positions_in_part) {
  return std::min(positions_in_part, kPiecePositions);
}

}  // namespace

std::vector<std::string> remove_leftovers(const fs::path& dir) {
  static const std::regex pattern(
      R"((slice_[0-9]{2}\.h5|checkpoint_[0-9]{2}_[0-9]{4,9}|status\.json|\.writable)(\..*)?\.tmp)"
      R"(|\.writable\..*|lock\.[0-9a-f]{8}\.(new|old))");
  std::vector<std::string> removed;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(dir, ignored)) {
    const std::string file = entry.path().filename().string();
    if (!std::regex_match(file, pattern) && !file.starts_with(".afresh-")) continue;
    if (fs::remove_all(entry.path(), ignored) > 0 && !ignored) removed.push_back(file);
  }
  return removed;
}

std::uint64_t Checkpoints::memory(int n, const StateForm& form) {
  // Outgoing, received, put together, deflated, as a message and received once more.
  return 6 * travelling({!form.joined, form.with_distances}, std::min(kPiecePositions, slice_size(n)));
}

Checkpoints::Checkpoints(fs::path dir, RuleSet rules, Scope scope, const Communicator& ranks,
                         const Communicator& node, Exchange& exchange, SolveControl& control)
    : dir_(std::move(dir)),
      rules_(rules),
      scope_(scope),
      ranks_(ranks),
      node_(node),
      control_(control),
      delivery_(ranks, exchange) {
  const std::uint64_t leader = node.min(static_cast<std::uint64_t>(ranks.rank()));
  for (std::uint64_t each : ranks.gather(leader)) node_of_.push_back(static_cast<int>(each));
}

std::vector<Checkpoints::NodeShare> Checkpoints::shares(std::uint64_t pieces) const {
  std::map<int, NodeShare> nodes;
  for (int r = 0; r < ranks_.size(); ++r) {
    NodeShare& share = nodes[node_of_[static_cast<std::size_t>(r)]];
    share.leader = node_of_[static_cast<std::size_t>(r)];
    share.ranks.push_back(r);
  }
  std::vector<NodeShare> all;
  std::uint64_t before = 0;  // ranks of the nodes before
  for (auto& [leader, share] : nodes) {
    const auto ranks = static_cast<std::uint64_t>(ranks_.size());
    share.first = pieces * before / ranks;
    before += share.ranks.size();
    share.end = pieces * before / ranks;
    all.push_back(std::move(share));
  }
  return all;
}

/// The piece of each rank in a wave; no_piece() for those that have none left. Empty when nobody has one.
std::vector<std::uint64_t> Checkpoints::pieces_of_wave(const std::vector<NodeShare>& shares,
                                                       std::uint64_t wave) const {
  std::vector<std::uint64_t> pieces(static_cast<std::size_t>(ranks_.size()), no_piece());
  bool some = false;
  for (const NodeShare& share : shares)
    for (std::size_t l = 0; l < share.ranks.size(); ++l) {
      const std::uint64_t piece = share.first + wave * share.ranks.size() + l;
      if (piece >= share.end) continue;
      pieces[static_cast<std::size_t>(share.ranks[l])] = piece;
      some = true;
    }
  if (!some) pieces.clear();
  return pieces;
}

/// The message of the first rank that has one; empty when none has.
std::string Checkpoints::agree_on_error(const std::string& own) const {
  const std::uint64_t none = ~std::uint64_t{0};
  const std::uint64_t first = ranks_.min(own.empty() ? none : static_cast<std::uint64_t>(ranks_.rank()));
  if (first == none) return "";
  std::string text = own;
  if (first != 0 && static_cast<int>(first) == ranks_.rank()) ranks_.send(0, std::as_bytes(std::span(own)));
  if (first != 0 && ranks_.root()) {
    std::vector<std::byte> bytes;
    ranks_.receive(static_cast<int>(first), bytes);
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return ranks_.broadcast(text);
}

// ----------------------------------------------------------------------------------------------- saving

/// Sends what this rank owns of each piece to the piece's rank.
void Checkpoints::gather_wave(const SliceState& state, const std::vector<std::uint64_t>& pieces) {
  const StateOrder order(state.rows);
  outgoing_.clear();
  starts_.clear();
  for (std::uint64_t piece : pieces) {
    starts_.push_back(outgoing_.size());
    if (piece == no_piece()) continue;
    order.each_row(piece, [&](const PieceRow& part) {
      if (state.rows.owner(part.row) != state.rank) return;
      const std::uint64_t at = outgoing_.size();
      outgoing_.resize(at + travelling(set_, part.count));
      pack(set_, planes_in(state), place_of(state, part), part.count, outgoing_.data() + at);
    });
  }
  starts_.push_back(outgoing_.size());
  delivery_.run(outgoing_, starts_);
}

/// Puts a piece together from what the ranks sent.
void Checkpoints::assemble(const SliceState& state, std::uint64_t piece) {
  std::vector<const std::uint8_t*> at;
  for (int r = 0; r < ranks_.size(); ++r) at.push_back(delivery_.stream(r).data());
  StateOrder(state.rows).each_row(piece, [&](const PieceRow& part) {
    const std::uint8_t*& in = at[static_cast<std::size_t>(state.rows.owner(part.row))];
    in = unpack(set_, in, part.count, planes_in(planes_), part.place);
  });
}

/// Empty, or why it failed. All ranks go through all waves whatever happens: the error is agreed upon at the
/// end.
std::string Checkpoints::write_parts(const SliceState& state, const fs::path& dir, std::vector<Part>& parts) {
  const StateOrder order(state.rows);
  const std::vector<NodeShare> all = shares(order.pieces());
  std::optional<StatePartWriter> writer;
  std::string error;
  std::size_t own_part = 0;
  std::vector<NodeShare> files;
  for (const NodeShare& share : all)
    if (share.first < share.end) files.push_back(share);
  for (const NodeShare& share : files)
    parts.push_back({share.first,
                     std::min(order.positions(), share.end * kPiecePositions) - share.first * kPiecePositions,
                     0, 0});
  const auto attempt = [&](auto&& work) {
    if (!error.empty()) return;
    try {
      work();
    } catch (const Error& failure) {
      error = failure.what();
    } catch (const fs::filesystem_error& failure) {
      error = failure.what();
    }
  };
  const NodeShare* mine = nullptr;
  for (std::size_t k = 0; k < files.size(); ++k)
    if (files[k].leader == node_of_[static_cast<std::size_t>(ranks_.rank())]) mine = &files[own_part = k];
  if (mine && node_.root())
    attempt([&] { writer.emplace(part_path(dir, own_part), parts[own_part].positions, set_); });
  Compressor compressor;
  PieceStreams streams;
  std::vector<std::byte> message;
  for (std::uint64_t wave = 0;; ++wave) {
    const std::vector<std::uint64_t> pieces = pieces_of_wave(all, wave);
    if (pieces.empty()) break;
    gather_wave(state, pieces);
    const std::uint64_t piece = pieces[static_cast<std::size_t>(ranks_.rank())];
    if (piece != no_piece()) {
      // HDF5 chunks are whole: the last piece of a part is padded.
      clear(planes_, set_, padded_length(parts[own_part].positions));
      assemble(state, piece);
      deflate(planes_, set_, compressor, streams);
      if (!node_.root()) node_.send(0, to_message(streams));
    }
    if (node_.root() && mine)
      for (std::size_t l = 0; l < mine->ranks.size(); ++l) {
        const std::uint64_t each = pieces[static_cast<std::size_t>(mine->ranks[l])];
        if (each == no_piece()) continue;
        if (l > 0) {
          node_.receive(static_cast<int>(l), message);
          streams = from_message(message);
        }
        attempt([&] { writer->write(each - mine->first, streams); });
      }
    control_.wish(Stage::checkpoint, state.n, {});
  }
  Part written;
  if (writer)
    attempt([&] {
      written.bytes = writer->finish();
      written.digest = writer->digest();
    });
  writer.reset();
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const bool own = mine && node_.root() && k == own_part;
    parts[k].bytes = ranks_.max(own ? written.bytes : 0);
    parts[k].digest = ranks_.max(own ? written.digest : 0);
  }
  return agree_on_error(error);
}

/// On rank 0: control file, flush, rename.
std::string Checkpoints::publish(const fs::path& temporary, const fs::path& path,
                                 const Control& control) const {
  std::ostringstream archive;
  boost::archive::text_oarchive(archive) << control;
  const std::string text = archive.str();
  try {
    write_file(temporary / kControlName,
               fmt::format("awele checkpoint, version {}, crc32 {:08x}\n{}", kControlVersion,
                           crc32(0, std::as_bytes(std::span(text))), text));
    flush_directory(temporary);
    control_.wish(Stage::renaming_checkpoint, control.seeds, {});
    control_.before_rename();
    fs::rename(temporary, path);
    flush_directory(dir_);
  } catch (const fs::filesystem_error& failure) {
    return failure.what();
  }
  return "";
}

Checkpoints::Saved Checkpoints::save(const SliceState& state, const SliceProgress& progress) {
  fs::path path, temporary;
  std::string error;
  if (ranks_.root()) {
    const auto before = checkpoints_in(dir_, state.n);
    path = dir_ / checkpoint_name(state.n, before.empty() ? 1 : before.rbegin()->first + 1);
    temporary = fmt::format("{}.{}.tmp", path.string(), control_.token());
    std::error_code failure;
    fs::remove_all(temporary, failure);  // an earlier attempt of this run
    fs::create_directory(temporary, failure);
    if (failure) error = fmt::format("{} cannot be made: {}", temporary.string(), failure.message());
  }
  path = ranks_.broadcast(path.string());
  temporary = ranks_.broadcast(temporary.string());
  error = ranks_.broadcast(error);
  Control control{state.n,
                  static_cast<int>(rules_),
                  scope_.total(),
                  state.meaning.joined(),
                  state.with_distances(),
                  progress,
                  {}};
  set_ = planes_of(state, progress);
  if (error.empty()) error = write_parts(state, temporary, control.parts);
  if (error.empty() && ranks_.root()) error = publish(temporary, path, control);
  error = ranks_.broadcast(error);
  Saved saved{error.empty() ? path : fs::path(), error, 0, {}};
  for (const Part& part : control.parts) saved.bytes += part.bytes;
  if (ranks_.root()) {
    std::error_code ignored;
    if (!error.empty()) {
      fs::remove_all(temporary, ignored);
      control_.before_rename();  // files may be missing because another run has taken the directory over
    }
    if (error.empty())
      for (const auto& [number, old] : checkpoints_in(dir_, state.n))
        if (old != path) remove_or_say(old, saved.notes);
  }
  return saved;
}

// -------------------------------------------------------------------------------------------- restoring

namespace {

/// The archive of a control file after its header line; an Error when it is not whole.
std::string control_text(const fs::path& path) {
  const std::string all = read_file(path);
  static const std::regex header("awele checkpoint, version ([0-9]{1,6}), crc32 ([0-9a-f]{8})\n");
  std::smatch match;
  if (!std::regex_search(all, match, header, std::regex_constants::match_continuous))
    throw Error(fmt::format("{} is damaged: it does not begin as a control file does", path.string()));
  if (std::stoi(match[1]) != kControlVersion)
    throw Error(fmt::format("{} has version {}, this program reads and writes version {}", path.string(),
                            match[1].str(), kControlVersion));
  const std::string text = match.suffix();
  if (fmt::format("{:08x}", crc32(0, std::as_bytes(std::span(text)))) != match[2].str())
    throw Error(fmt::format("{} is damaged: its checksum is wrong", path.string()));
  return text;
}

}  // namespace

/// Sends what was read of each piece to the owners of its rows, who put it into their state.
void Checkpoints::scatter_wave(SliceState& state, const std::vector<std::uint64_t>& pieces) {
  const StateOrder order(state.rows);
  const std::uint64_t own = pieces[static_cast<std::size_t>(ranks_.rank())];
  std::vector<std::vector<std::uint8_t>> out(static_cast<std::size_t>(ranks_.size()));
  if (own != no_piece())
    order.each_row(own, [&](const PieceRow& part) {
      auto& to = out[static_cast<std::size_t>(state.rows.owner(part.row))];
      const std::uint64_t at = to.size();
      to.resize(at + travelling(set_, part.count));
      pack(set_, planes_in(planes_), part.place, part.count, to.data() + at);
    });
  outgoing_.clear();
  starts_.clear();
  for (const auto& each : out) {
    starts_.push_back(outgoing_.size());
    outgoing_.insert(outgoing_.end(), each.begin(), each.end());
  }
  starts_.push_back(outgoing_.size());
  delivery_.run(outgoing_, starts_);
  for (std::size_t r = 0; r < pieces.size(); ++r) {
    if (pieces[r] == no_piece()) continue;
    const std::uint8_t* in = delivery_.stream(static_cast<int>(r)).data();
    order.each_row(pieces[r], [&](const PieceRow& part) {
      if (state.rows.owner(part.row) != state.rank) return;
      in = unpack(set_, in, part.count, planes_in(state), place_of(state, part));
    });
  }
}

std::string Checkpoints::read_parts(SliceState& state, const fs::path& dir, const Control& control) {
  const StateOrder order(state.rows);
  const std::vector<NodeShare> all = shares(order.pieces());
  std::map<std::size_t, StatePartReader> readers;  // at the node's first rank; parts are read in order
  std::string error;
  const auto part_of = [&](std::uint64_t piece) {
    std::size_t k = control.parts.size() - 1;
    while (k > 0 && control.parts[k].first > piece) --k;
    return k;
  };
  const auto read = [&](std::uint64_t piece) {
    PieceStreams streams;
    const std::size_t k = part_of(piece);
    try {
      if (!readers.contains(k)) {
        readers.clear();
        const StatePartReader& reader =
            readers.emplace(k, StatePartReader(part_path(dir, k), control.parts[k].positions, set_))
                .first->second;
        if (reader.digest() != control.parts[k].digest)
          throw Error(fmt::format("{} is not the part that this checkpoint was saved with",
                                  part_path(dir, k).string()));
      }
      readers.at(k).read(piece - control.parts[k].first, streams);
    } catch (const std::exception& failure) {
      if (error.empty()) error = failure.what();
      readers.clear();
      streams = {};
    }
    return streams;
  };
  const NodeShare* mine = nullptr;
  for (const NodeShare& share : all)
    if (share.leader == node_of_[static_cast<std::size_t>(ranks_.rank())]) mine = &share;
  Decompressor decompressor;
  std::vector<std::byte> message;
  for (std::uint64_t wave = 0;; ++wave) {
    const std::vector<std::uint64_t> pieces = pieces_of_wave(all, wave);
    if (pieces.empty()) break;
    const std::uint64_t piece = pieces[static_cast<std::size_t>(ranks_.rank())];
    PieceStreams streams;
    if (node_.root())
      for (std::size_t l = 0; l < mine->ranks.size(); ++l) {
        const std::uint64_t each = pieces[static_cast<std::size_t>(mine->ranks[l])];
        if (each == no_piece()) continue;
        if (l == 0)
          streams = read(each);
        else
          node_.send(static_cast<int>(l), to_message(read(each)));
      }
    if (piece != no_piece()) {
      if (!node_.root()) {
        node_.receive(0, message);
        streams = from_message(message);
      }
      clear(planes_, set_, padded_length(control.parts[part_of(piece)].positions));
      if (!inflate(streams, decompressor, planes_, set_) && error.empty())
        error = fmt::format("{} is damaged: a piece does not match its checksum",
                            part_path(dir, part_of(piece)).string());
    }
    if (ranks_.any(!error.empty())) break;
    scatter_wave(state, pieces);
  }
  return agree_on_error(error);
}

/// Why a control file that could be read does not describe a state of this slice; empty when it does.
std::string Checkpoints::fault_of(const Control& control, const SliceState& state) const {
  if (control.seeds != state.n) return fmt::format("it is of slice {}", control.seeds);
  if (control.rules != static_cast<int>(rules_)) return "it is of another rule set";
  if (control.total != scope_.total()) return fmt::format("it is not of {}", describe(scope_));
  if (control.joined != state.meaning.joined())
    return fmt::format("it was saved {} --counts-apart", control.joined ? "without" : "with");
  if (control.distances != state.with_distances())
    return fmt::format("it was saved {} distances", control.distances ? "with" : "without");
  const SliceProgress& at = control.progress;
  const int all = std::max(1, most_captured(state.n)), least = at.at == SliceProgress::At::exits ? 1 : all;
  bool possible = at.at >= SliceProgress::At::exits && at.at <= SliceProgress::At::done &&
                  at.captured >= least && at.captured <= all && at.threshold >= 0 &&
                  at.threshold <= state.meaning.width() && at.level >= 0 &&
                  at.exit_crcs.size() == static_cast<std::size_t>(at.captured - 1);
  for (const auto& [n, crc] : at.exit_crcs)
    possible = possible && n <= state.n - 2 && n >= state.n - at.captured;
  if (!possible) return "it names a stage of the slice that does not exist";
  const StateOrder order(state.rows);
  std::uint64_t next = 0;
  for (std::size_t k = 0; k < control.parts.size(); ++k) {
    const bool last = k + 1 == control.parts.size();
    const std::uint64_t end = last ? order.pieces() : control.parts[k + 1].first;
    if (control.parts[k].first != next || end <= next || end > order.pieces() ||
        control.parts[k].positions !=
            std::min(order.positions(), end * kPiecePositions) - next * kPiecePositions)
      break;
    next = end;
  }
  return next == order.pieces() ? "" : "its parts are not those of the slice";
}

/// Collective. Reads DIR/control of a checkpoint; empty, or why it cannot be used.
std::string Checkpoints::read_control(const fs::path& path, const SliceState& state, Control& control) const {
  std::string text, error;
  const auto attempt = [&](auto&& work) {
    if (!error.empty()) return;
    try {
      work();
    } catch (const Error& failure) {
      error = failure.what();
    } catch (const std::exception& failure) {
      // Boost's, or a number of elements for which there is no memory.
      error = fmt::format("{} cannot be understood ({}): it was written by another program or a newer Boost",
                          path.string(), failure.what());
    }
  };
  if (ranks_.root()) attempt([&] { text = control_text(path); });
  error = ranks_.broadcast(error);
  text = ranks_.broadcast(text);
  attempt([&] {
    std::istringstream in(text);
    boost::archive::text_iarchive(in) >> control;
    if (const std::string fault = fault_of(control, state); !fault.empty())
      error = fmt::format("{} does not fit: {}", path.string(), fault);
  });
  return agree_on_error(error);
}

/// Collective. The first slice that is not the one whose exits are in the state; empty when all are.
std::string Checkpoints::other_slice(const SliceProgress& progress, const SliceCrc& slice_crc) const {
  for (const auto& [n, before] : progress.exit_crcs)
    if (const std::uint32_t now = slice_crc(n); now != before)
      return fmt::format(
          "it rests on a slice {} whose values have the CRC-32 {:08x}, but those of {} have {:08x}", n,
          before, slice_path(dir_, n).string(), now);
  return "";
}

std::optional<Checkpoints::Restored> Checkpoints::restore(SliceState& state, const SliceCrc& slice_crc,
                                                          const Bad& bad) {
  std::map<int, fs::path> found;
  if (ranks_.root()) found = checkpoints_in(dir_, state.n);
  while (ranks_.any(!found.empty())) {
    std::string path;
    if (ranks_.root()) {
      path = found.rbegin()->second.string();
      found.erase(std::prev(found.end()));
    }
    path = ranks_.broadcast(path);
    Control control;
    std::string error = read_control(fs::path(path) / kControlName, state, control);
    if (error.empty()) error = other_slice(control.progress, slice_crc);
    if (error.empty()) {
      set_ = planes_of(state, control.progress);
      std::fill(state.codes.begin(), state.codes.end(), state.meaning.padding());
      std::fill(state.counts.begin(), state.counts.end(), std::uint8_t{0});
      error = read_parts(state, path, control);
    }
    if (error.empty()) return Restored{path, control.progress};
    if (ranks_.root()) bad(path, error);
  }
  return std::nullopt;
}

std::vector<std::string> Checkpoints::remove(int n) const {
  std::vector<std::string> sentences;
  for (const auto& [number, path] : checkpoints_in(dir_, n)) remove_or_say(path, sentences);
  return sentences;
}

}  // namespace awele
