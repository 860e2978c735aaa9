// Tables of results, right-aligned. On a terminal that is too narrow columns first get as narrow as their
// content, then the least important ones are left out, which a last line tells; files and programs get all of
// them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace awele::cli {

class Table {
 public:
  struct Column {
    std::string title;
    std::size_t width;  ///< at least
    int least = 0;      ///< 0: always shown; else the column with the highest number goes first
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// A cell for each column.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print() const;

 private:
  struct Fit;
  Fit fit(std::optional<int> room) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace awele::cli
