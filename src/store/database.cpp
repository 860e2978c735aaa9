#include "awele/store/database.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "awele/store/read_errors.hpp"

namespace awele {

void require_same_kind(const std::filesystem::path& path, const SliceInfo& info, const SliceInfo& other) {
  if (info.rules != other.rules)
    throw Error(
        fmt::format("{} has the rule set {}, other slices in its directory have {}; keep each rule set in "
                    "a directory of its own",
                    path.string(), name(info.rules), name(other.rules)));
  if (info.scope != other.scope)
    throw Error(fmt::format(
        "{} holds {}, other slices in its directory hold {}; keep each kind of database in a directory of "
        "its own",
        path.string(), describe(info.scope), describe(other.scope)));
}

std::vector<int> slices_in(const std::filesystem::path& dir) {
  if (struct stat status{}; ::stat(dir.c_str(), &status) != 0 && errno != ENOENT)
    fail_unreadable(dir, errno);
  else if (!S_ISDIR(status.st_mode))
    throw Error(
        fmt::format("{}: no such directory; build a database there with: awele solve --seeds 12 --db {}",
                    dir.string(), dir.string()));
  std::vector<int> found;
  for (int n = 0; n <= kMaxSeeds; ++n) {
    struct stat status {};
    if (::lstat(slice_path(dir, n).c_str(), &status) == 0)
      found.push_back(n);
    else if (errno != ENOENT)
      fail_unreadable(dir, errno);
  }
  return found;
}

SliceReader open_slice_file(const std::filesystem::path& dir, int n) {
  SliceReader reader(slice_path(dir, n));
  if (reader.info().seeds != n)
    throw Error(fmt::format("{} holds the slice of {} seeds, not of {}; rename it to match or remove it",
                            reader.path().string(), reader.info().seeds, n));
  return reader;
}

const SliceInfo& prevailing(std::span<const SliceInfo* const> slices) {
  const auto like = [&](const SliceInfo* one) {
    return std::ranges::count_if(slices, [&](const SliceInfo* other) {
      return other->rules == one->rules && other->scope == one->scope;
    });
  };
  return **std::ranges::max_element(slices, {}, like);
}

Database::Database(const std::filesystem::path& dir) : dir_(dir) {
  for (int n : slices_in(dir)) readers_.emplace(n, open_slice_file(dir, n));
  std::vector<const SliceInfo*> all;
  for (const auto& [n, reader] : readers_) all.push_back(&reader.info());
  for (const auto& [n, reader] : readers_) require_same_kind(reader.path(), reader.info(), prevailing(all));
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
          "{} has the rule set {}, not {}; give --rules {} where the command has it, or another directory",
          reader.path().string(), name(reader.info().rules), name(wanted), name(reader.info().rules)));
}

void Database::require_scope(Scope wanted) const {
  if (empty() || scope() == wanted) return;
  throw Error(fmt::format("{} holds {}, not {}; give another directory", dir_.string(), describe(scope()),
                          describe(wanted)));
}

}  // namespace awele
