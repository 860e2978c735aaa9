#include "awele/store/database.hpp"

#include <fmt/format.h>

#include "awele/support/error.hpp"

namespace awele {

void require_same_kind(const std::filesystem::path& path, const SliceInfo& info, const SliceInfo& other) {
  if (info.rules != other.rules)
    throw Error(fmt::format(
        "{} is of the rule set {}, other slices of its directory are of {}; keep each rule set in "
        "a directory of its own",
        path.string(), name(info.rules), name(other.rules)));
  if (info.scope != other.scope)
    throw Error(fmt::format(
        "{} holds {}, other slices of its directory hold {}; keep each kind of database in a directory of "
        "its own",
        path.string(), describe(info.scope), describe(other.scope)));
}

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
    if (!readers_.empty()) require_same_kind(path, reader.info(), readers_.begin()->second.info());
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
Scope Database::scope() const { return readers_.begin()->second.info().scope; }

const SliceReader& Database::slice(int n) const {
  const auto found = readers_.find(n);
  if (found == readers_.end())
    throw Error(fmt::format(
        "{} is missing; solve it with: awele solve --seeds {} --db {}{}", slice_path(dir_, n).string(), n,
        dir_.string(), empty() ? "" : fmt::format(" --rules {}{}", name(rules()), solve_options(scope()))));
  return found->second;
}

void Database::require_rules(RuleSet wanted) const {
  for (const auto& [n, reader] : readers_)
    if (reader.info().rules != wanted)
      throw Error(fmt::format(
          "{} is of the rule set {}, not {}; give --rules {} where the command has it, or another directory",
          reader.path().string(), name(reader.info().rules), name(wanted), name(reader.info().rules)));
}

void Database::require_scope(Scope wanted) const {
  if (empty() || scope() == wanted) return;
  throw Error(fmt::format("{} holds {}, not {}; give another directory", dir_.string(), describe(scope()),
                          describe(wanted)));
}

}  // namespace awele
