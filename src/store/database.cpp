#include "awele/store/database.hpp"

#include <fmt/format.h>

#include "awele/support/error.hpp"

namespace awele {

Database::Database(const std::filesystem::path& dir) : dir_(dir) {
  if (!std::filesystem::is_directory(dir))
    throw Error(
        fmt::format("{}: no such directory; build a database there with: awele solve --seeds 12 --db {}",
                    dir.string(), dir.string()));
  for (int n = 0; n <= kMaxSeeds; ++n) {
    const auto path = slice_path(dir, n);
    if (!std::filesystem::exists(path)) continue;
    SliceReader reader(path);
    if (reader.info().seeds != n)
      throw Error(
          fmt::format("{} holds the slice of {} seeds, not of {}; rename it to its true name or remove it",
                      path.string(), reader.info().seeds, n));
    if (!readers_.empty()) require_rules(reader.info().rules);
    readers_.emplace(n, std::move(reader));
  }
}

std::vector<int> Database::slices() const {
  std::vector<int> present;
  for (const auto& [n, reader] : readers_) present.push_back(n);
  return present;
}

int Database::complete_up_to() const {
  int top = -1;
  while (has(top + 1)) ++top;
  // A 48-seed solve leaves 47 out: one seed alone can never be captured.
  if (top == kMaxSeeds - 2 && has(kMaxSeeds)) top = kMaxSeeds;
  return top;
}

RuleSet Database::rules() const { return readers_.begin()->second.info().rules; }

const SliceReader& Database::slice(int n) const {
  const auto found = readers_.find(n);
  if (found == readers_.end())
    throw Error(fmt::format("{} is missing; solve it with: awele solve --seeds {} --db {}{}",
                            slice_path(dir_, n).string(), n, dir_.string(),
                            empty() ? "" : fmt::format(" --rules {}", name(rules()))));
  return found->second;
}

void Database::require_rules(RuleSet wanted) const {
  for (const auto& [n, reader] : readers_)
    if (reader.info().rules != wanted)
      throw Error(fmt::format(
          "{} is of the rule set {}, not {}; give --rules {} where the command has it, or another directory",
          reader.path().string(), name(reader.info().rules), name(wanted), name(reader.info().rules)));
}

}  // namespace awele
