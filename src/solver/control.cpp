#include "awele/solver/control.hpp"

#include <array>

namespace awele {

std::string_view name(Stage stage) {
  constexpr std::array<std::string_view, 8> names = {
      "between", "exits",      "rounds",   "transposition",
      "writing", "checkpoint", "renaming", "renaming-checkpoint"};
  return names[static_cast<std::size_t>(stage)];
}

}  // namespace awele
