#include "catalogue.hpp"

#include <fmt/format.h>

#include <boost/crc.hpp>

#include "awele/support/version.hpp"
#include "page_files.hpp"

namespace awele::web {

namespace {

std::string fingerprint_of(const Catalogue::Snapshot& snapshot) {
  std::string all =
      fmt::format("{};{};{}", kVersion, snapshot.rules ? name(*snapshot.rules) : "", snapshot.scope.total());
  for (const SliceContents& slice : snapshot.slices)
    all += fmt::format(";{}:{}:{:08x}:{}", slice.seeds, slice.positions, slice.crc, slice.distances);
  boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~std::uint64_t{0}, ~std::uint64_t{0}, true, true> digest;
  digest.process_bytes(all.data(), all.size());
  for (const PageFile& file : page_files()) digest.process_bytes(file.text.data(), file.text.size());
  return fmt::format("{:016x}", digest.checksum());
}

}  // namespace

const SliceContents* Catalogue::Snapshot::find(int seeds) const {
  for (const SliceContents& slice : slices)
    if (slice.seeds == seeds) return &slice;
  return nullptr;
}

Catalogue::Catalogue(Prober& prober)
    : prober_(prober), looked_(std::chrono::steady_clock::now()), snapshot_(take()) {}

std::shared_ptr<const Catalogue::Snapshot> Catalogue::take() const {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->rules = prober_.rules();
  snapshot->scope = prober_.scope();
  snapshot->complete_up_to = prober_.complete_up_to();
  snapshot->slices = prober_.contents();
  snapshot->fingerprint = fingerprint_of(*snapshot);
  return snapshot;
}

std::shared_ptr<const Catalogue::Snapshot> Catalogue::look() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < std::chrono::seconds(1)) return snapshot_;
  looked_ = now;
  try {
    if (prober_.refresh() > 0) snapshot_ = take();
  } catch (const ProbeError&) {
    // What was open stays; the next look tries again.
  }
  return snapshot_;
}

}  // namespace awele::web
