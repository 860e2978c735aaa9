// A directory of slice files of one rule set and one kind: exact, or outcomes of games of so many seeds.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "awele/store/slice_file.hpp"

namespace awele {

/// Version of the HDF5 library in use.
std::string hdf5_version();

/// An Error that names `path` unless its slice may lie beside `other` in one directory: both of one rule set
/// and one kind.
void require_same_kind(const std::filesystem::path& path, const SliceInfo& info, const SliceInfo& other);

/// Before HDF5 is used, by a program that closes what it opens: when the process exits, HDF5 leaves alone
/// what is still open, which means what it could not close. A second attempt would crash.
void leave_hdf5_at_exit();

/// Seeds of the slice files in `dir`, ascending; none of them is opened. Names that lead nowhere are among
/// them. Throws awele::Error when there is no such directory, or its names may not be looked up.
std::vector<int> slices_in(const std::filesystem::path& dir);

/// Slice n of `dir`, opened. Throws awele::Error when the file holds another slice than its name says.
SliceReader open_slice_file(const std::filesystem::path& dir, int n);

/// Of which kind a directory is: of that of the most slices; of the first among equals.
const SliceInfo& prevailing(std::span<const SliceInfo* const> slices);

/// Opens every slice_NN.h5 of a directory for reading. Throws awele::Error when the directory does not exist,
/// a file is damaged or holds another slice than its name says, or the files are of different rule sets or
/// kinds.
class Database {
 public:
  explicit Database(const std::filesystem::path& dir);

  const std::filesystem::path& dir() const { return dir_; }
  bool has(int n) const { return readers_.contains(n); }
  bool empty() const { return readers_.empty(); }
  /// Seeds of the slices present, ascending.
  std::vector<int> slices() const;
  /// The largest n such that every slice a position of at most n seeds needs is present; -1 when none is.
  int complete_up_to() const;
  /// The rule set of the files. Precondition: not empty().
  RuleSet rules() const;
  /// Their kind. Precondition: not empty().
  Scope scope() const;
  /// The reader of slice n; an Error that says which slice is missing and how to get it.
  const SliceReader& slice(int n) const;
  /// An Error unless the files are of `rules` (an empty directory passes).
  void require_rules(RuleSet rules) const;
  /// An Error unless the files are of the kind `scope` (an empty directory passes).
  void require_scope(Scope scope) const;

 private:
  std::filesystem::path dir_;
  std::map<int, SliceReader> readers_;
};

}  // namespace awele
