#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace awele::cli {

namespace {

constexpr double kWidth = 800, kHeight = 400;                       // of the picture, in pixels
constexpr double kLeft = 80, kRight = 20, kTop = 60, kBottom = 50;  // around the columns
constexpr double kAcross = kWidth - kLeft - kRight, kUp = kHeight - kTop - kBottom;
constexpr double kLetter = 7;  // about the width of one, in pixels

/// Also without the characters that XML does not know.
std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (static_cast<unsigned char>(c) >= ' ')
      out += c;
  }
  return out;
}

double height_of(const Chart::Column& column) {
  return std::accumulate(column.parts.begin(), column.parts.end(), 0.0);
}

/// A step of 1, 2 or 5 times a power of ten that gives some five of them up to `most`.
double tick_step(double most) {
  const double power = std::pow(10, std::floor(std::log10(most / 5)));
  for (double step : {1.0, 2.0, 5.0})
    if (most / (step * power) <= 6) return step * power;
  return 10 * power;
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart) : chart_(chart) {
    for (const Chart::Column& column : chart.columns) most_ = std::max(most_, height_of(column));
    if (most_ == 0) most_ = 1;
  }

  std::string run() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" "
        "role=\"img\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n",
        kWidth, kHeight, kWidth, kHeight);
    add("<title>{}</title>\n", escaped(chart_.title));
    add("<text x=\"{}\" y=\"20\" font-size=\"15\">{}</text>\n", kLeft, escaped(chart_.title));
    legend();
    scale();
    const double step = kAcross / static_cast<double>(chart_.columns.size());
    for (std::size_t k = 0; k < chart_.columns.size(); ++k)
      column(chart_.columns[k], kLeft + static_cast<double>(k) * step, step);
    names(step);
    text(kLeft + kAcross / 2, kHeight - 10, "middle", chart_.across);
    add("<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n", kTop + kUp / 2,
        escaped(chart_.up));
    add("</svg>\n");
    return fmt::to_string(out_);
  }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void text(double x, double y, const char* anchor, const std::string& words) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(words));
  }

  double y_of(double height) const { return kTop + kUp * (1 - height / most_); }

  void legend() {
    double x = kLeft;
    for (const Chart::Series& each : chart_.series) {
      add("<rect x=\"{:.1f}\" y=\"32\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", x, escaped(each.colour));
      text(x + 14, 41, "start", each.name);
      x += 30 + kLetter * static_cast<double>(each.name.size());
    }
  }

  void scale() {
    const double step = tick_step(most_);
    for (int k = 0; k * step <= most_ * (1 + 1e-9); ++k) {
      const double y = y_of(k * step);
      add("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ccc\"/>\n", kLeft, kLeft + kAcross,
          y, y);
      text(kLeft - 6, y + 4, "end", fmt::format("{:.10g}", k * step));
    }
  }

  void column(const Chart::Column& column, double x, double step) {
    double below = 0;
    for (std::size_t k = 0; k < column.parts.size(); ++k) {
      if (column.parts[k] <= 0) continue;
      const double top = y_of(below + column.parts[k]);
      add("<rect x=\"{:.2f}\" y=\"{:.3f}\" width=\"{:.2f}\" height=\"{:.3f}\" fill=\"{}\"><title>{}: {} "
          "{:.6g}</title></rect>\n",
          x + step * 0.1, top, step * 0.8, y_of(below) - top, escaped(chart_.series[k].colour),
          escaped(column.name), escaped(chart_.series[k].name), column.parts[k]);
      below += column.parts[k];
    }
  }

  /// Below the columns, as many as there is room for.
  void names(double step) {
    std::size_t longest = 1;
    for (const Chart::Column& column : chart_.columns) longest = std::max(longest, column.name.size());
    const auto every = static_cast<std::size_t>(std::ceil(kLetter * static_cast<double>(longest + 1) / step));
    for (std::size_t k = 0; k < chart_.columns.size(); k += every)
      text(kLeft + (static_cast<double>(k) + 0.5) * step, kTop + kUp + 16, "middle", chart_.columns[k].name);
  }

  const Chart& chart_;
  double most_ = 0;
  fmt::memory_buffer out_;
};

}  // namespace

std::string to_svg(const Chart& chart) { return Drawing(chart).run(); }

}  // namespace awele::cli
