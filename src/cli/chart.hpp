// Bar charts as SVG: plain shapes and text, for papers, slides and browsers; no script, no style sheet, no
// font of its own.
#pragma once

#include <string>
#include <vector>

namespace awele::cli {

/// A column for each entry of `columns`, made of a part for each entry of `series`, the first at the bottom.
struct Chart {
  struct Series {
    std::string name;
    std::string colour;  ///< as in CSS
  };
  struct Column {
    std::string name;           ///< below it, where there is room
    std::vector<double> parts;  ///< finite, not negative; one for each series
  };
  std::string title;
  std::string across, up;  ///< what the axes show
  std::vector<Series> series;
  std::vector<Column> columns;  ///< at least one
};

/// A document of its own. Each part that is not empty has its numbers in a title, which browsers show and
/// screen readers read.
std::string to_svg(const Chart& chart);

}  // namespace awele::cli
