#include "table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "results.hpp"
#include "terminal.hpp"

namespace awele::cli {

namespace {

constexpr std::size_t kGap = 2;

struct Shown {
  std::size_t column, width;
};

std::size_t width_of(const std::vector<Shown>& all) {
  std::size_t width = 0;
  for (const Shown& each : all) width += each.width + kGap;
  return width - std::min(width, kGap);
}

void print_row(const std::vector<Shown>& all, auto text_of) {
  std::string line;
  for (const Shown& each : all)
    line += fmt::format("{:>{}}", text_of(each.column), each.width + (line.empty() ? 0 : kGap));
  put("{}\n", line);
}

}  // namespace

struct Table::Fit {
  std::vector<Shown> shown;
  std::vector<std::string> left_out;
};

Table::Fit Table::fit(std::optional<int> room) const {
  Fit fit;
  for (std::size_t k = 0; k < columns_.size(); ++k) fit.shown.push_back({k, columns_[k].width});
  const auto too_wide = [&] { return room && width_of(fit.shown) > static_cast<std::size_t>(*room); };
  if (!too_wide()) return fit;
  for (Shown& each : fit.shown) {
    each.width = columns_[each.column].title.size();
    for (const auto& row : rows_) each.width = std::max(each.width, row[each.column].size());
  }
  const auto less = [&](const Shown& a, const Shown& b) {
    return columns_[a.column].least < columns_[b.column].least;
  };
  while (too_wide()) {
    const auto least = std::max_element(fit.shown.begin(), fit.shown.end(), less);
    if (columns_[least->column].least == 0) break;
    fit.left_out.push_back(columns_[least->column].title);
    fit.shown.erase(least);
  }
  return fit;
}

void Table::print() const {
  const Fit fit = this->fit(columns_of_results());
  print_row(fit.shown, [&](std::size_t k) { return columns_[k].title; });
  for (const auto& row : rows_) print_row(fit.shown, [&](std::size_t k) { return row[k]; });
  if (!fit.left_out.empty())
    put("Left out, as the terminal is too narrow: {}.\n", fmt::join(fit.left_out, ", "));
}

}  // namespace awele::cli
