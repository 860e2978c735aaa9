#include "open_slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
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

Decompressor& own_decompressor() {
  thread_local Decompressor decompressor;
  return decompressor;
}

}  // namespace

std::mutex& hdf5_lock() {
  static std::mutex lock;
  return lock;
}

OpenSlice::OpenSlice(const std::filesystem::path& dir, int n) : path_(slice_path(dir, n)) {
  const std::lock_guard lock(hdf5_lock());
  on_file([&] { reader_ = std::make_unique<SliceReader>(open_slice_file(dir, n)); });
  info_ = reader_->info();
  bytes_ = reader_->file_bytes();
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
    inflate_chunk(path_, info_.seeds, info_.scope.width(info_.seeds), index, stream, own_decompressor(),
                  chunk->values);
    const auto own = std::span(std::as_const(chunk->values)).first(chunk_length(info_.seeds, index));
    require_chunk_digest(path_, "/values", index, crc32(0, own), stated);
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
  std::vector<std::shared_ptr<const OpenSlice>> fresh;
  for (int n : on_file([&] { return slices_in(dir); }))
    if (!slices[static_cast<std::size_t>(n)]) fresh.push_back(std::make_shared<const OpenSlice>(dir, n));
  // Those that are in use already say which kind it is.
  std::vector<const SliceInfo*> all;
  for (const auto& slice : fresh) all.push_back(&slice->info());
  const SliceInfo* kind = first() ? first() : all.empty() ? nullptr : &prevailing(all);
  for (const auto& slice : fresh) {
    if (accept == Accept::exact && !slice->info().scope.exact())
      throw ProbeError(
          ProbeFault::file, ExitCode::failure,
          fmt::format(
              "{} holds {}, and this program asks for exact values; give it an exact database, or let it "
              "open outcome databases (Accept::any, awele_open_any)",
              slice->path().string(), describe(slice->info().scope)));
    on_file([&] { require_same_kind(slice->path(), slice->info(), *kind); });
  }
  for (auto& slice : fresh) slices[static_cast<std::size_t>(slice->info().seeds)] = slice;
  return static_cast<int>(fresh.size());
}

}  // namespace awele
