#include "open_slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "awele/probe/probe.hpp"
#include "awele/store/database.hpp"
#include "awele/store/distances.hpp"

namespace awele {

namespace {

/// Runs `action`; what is wrong with a file becomes a ProbeError.
template <typename Action>
auto on_file(Action action) {
  try {
    return action();
  } catch (const ProbeError&) {
    throw;
  } catch (const Error& error) {
    throw ProbeError(ProbeFault::file, error.code(), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    throw ProbeError(ProbeFault::file, ExitCode::failure, error.what());
  }
}

[[noreturn]] void fail(const std::string& what) {
  throw ProbeError(ProbeFault::file, ExitCode::failure, what);
}

Decompressor& own_decompressor() {
  thread_local Decompressor decompressor;
  return decompressor;
}

}  // namespace

std::mutex& hdf5_lock() {
  static std::mutex lock;
  return lock;
}

OpenSlice::OpenSlice(const std::filesystem::path& path, int n) : path_(path) {
  const std::lock_guard lock(hdf5_lock());
  on_file([&] { reader_ = std::make_unique<SliceReader>(path); });
  info_ = reader_->info();
  bytes_ = reader_->file_bytes();
  if (info_.seeds == n) return;
  reader_.reset();
  fail(fmt::format("{} holds the slice of {} seeds, not of {}; rename it to its true name or remove it",
                   path.string(), info_.seeds, n));
}

OpenSlice::~OpenSlice() {
  const std::lock_guard lock(hdf5_lock());
  reader_.reset();
}

ChunkPtr OpenSlice::values(std::uint64_t index) const {
  return on_file([&] {
    std::vector<std::byte> stream;
    std::uint32_t stated = 0;
    {
      const std::lock_guard lock(hdf5_lock());
      reader_->read_stream(index, stream);
      stated = reader_->chunk_crc(index);
    }
    auto chunk = std::make_shared<Chunk>();
    chunk->values.resize(chunk_size(info_.seeds));
    inflate_chunk(path_, info_.seeds, index, stream, own_decompressor(), chunk->values);
    const auto own = std::span(std::as_const(chunk->values)).first(chunk_length(info_.seeds, index));
    require_chunk_digest(path_, "/values", index, crc32(0, own), stated);
    const auto [least, most] = std::ranges::minmax(chunk->values);
    const int width = info_.scope.width(info_.seeds);
    if (least < -width || most > width)
      fail(fmt::format(
          "{} is damaged: chunk {} of /values has a value of {}; remove it (or restore it from a copy) "
          "and solve it again",
          path_.string(), index, most > width ? most : least));
    return ChunkPtr(std::move(chunk));
  });
}

ChunkPtr OpenSlice::distances(std::uint64_t index) const {
  return on_file([&] {
    std::vector<std::byte> stream;
    std::uint32_t stated = 0;
    {
      const std::lock_guard lock(hdf5_lock());
      reader_->read_distance_stream(index, stream);
      stated = reader_->distance_chunk_crc(index);
    }
    auto chunk = std::make_shared<Chunk>();
    chunk->distances.resize(chunk_size(info_.seeds));
    if (!inflate_distances(stream, own_decompressor(), chunk->distances)) fail_distance_chunk(path_, index);
    const auto own = std::span(std::as_const(chunk->distances)).first(chunk_length(info_.seeds, index));
    require_chunk_digest(path_, "/distance", index, crc32(0, own), stated);
    return ChunkPtr(std::move(chunk));
  });
}

const SliceInfo* Shelf::first() const {
  for (const auto& slice : slices)
    if (slice) return &slice->info();
  return nullptr;
}

std::optional<RuleSet> Shelf::rules() const {
  const SliceInfo* known = first();
  return known ? std::optional(known->rules) : std::nullopt;
}

Scope Shelf::scope() const {
  const SliceInfo* known = first();
  return known ? known->scope : Scope{};
}

int Shelf::largest() const {
  int n = kMaxSeeds;
  while (n >= 0 && !slices[static_cast<std::size_t>(n)]) --n;
  return n;
}

int Shelf::open_new(const std::filesystem::path& dir, Accept accept) {
  std::error_code error;
  if (!std::filesystem::is_directory(dir, error))
    fail(fmt::format("{}: no such directory; build a database there with: awele solve --seeds 12 --db {}",
                     dir.string(), dir.string()));
  int opened = 0;
  for (int n = 0; n <= kMaxSeeds; ++n) {
    auto& slice = slices[static_cast<std::size_t>(n)];
    const auto path = slice_path(dir, n);
    if (slice || !std::filesystem::exists(path, error)) continue;
    auto fresh = std::make_shared<const OpenSlice>(path, n);
    if (accept == Accept::exact && !fresh->info().scope.exact())
      fail(fmt::format(
          "{} holds {}, and this program asks for exact values; give it an exact database, or let it "
          "open outcome databases (Accept::any, awele_open_any)",
          path.string(), describe(fresh->info().scope)));
    if (const SliceInfo* known = first()) on_file([&] { require_same_kind(path, fresh->info(), *known); });
    slice = std::move(fresh);
    ++opened;
  }
  return opened;
}

}  // namespace awele
