#include "awele/search/position_table.hpp"

namespace awele {

static_assert(sizeof(PositionTable::Entry) == 12);
static_assert(board_of(key_of({1, 0, 3, 0, 0, 7, 0, 0, 2, 0, 35, 0})) ==
              Board{1, 0, 3, 0, 0, 7, 0, 0, 2, 0, 35, 0});
static_assert(seeds_of(key_of({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48})) == 48);

PositionTable::Slot PositionTable::insert(BoardKey key, const Interval& proven, bool open) {
  Slot at = first_slot(key);
  while (slots_[at].used()) at = next(at);
  Entry& entry = slots_[at];
  entry.key_low_ = static_cast<std::uint32_t>(key);
  entry.key_high_ = static_cast<std::uint32_t>(key >> 32) | (open ? Entry::kOpen : 0);
  entry.low = static_cast<std::int8_t>(proven.low);
  entry.high = static_cast<std::int8_t>(proven.high);
  ++size_;
  return at;
}

void PositionTable::rebuild(std::size_t capacity) {
  capacity_ = capacity;
  std::vector<Entry> old(capacity + capacity / 7 + 2);
  old.swap(slots_);
  for (const Entry& entry : old) {
    if (!entry.used()) continue;
    Slot at = first_slot(entry.key());
    while (slots_[at].used()) at = next(at);
    slots_[at] = entry;
  }
}

}  // namespace awele
