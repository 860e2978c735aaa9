#include "game_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "awele/play/notation.hpp"
#include "awele/support/error.hpp"

namespace awele::cli {

Game read_game(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file) text << file.rdbuf();
  if (!file || text.fail())
    throw Error(ExitCode::usage, fmt::format("the saved game {} cannot be read: {}", path,
                                             std::strerror(errno ? errno : EIO)));
  return load_game(text.str(), path);
}

void write_game(const std::string& path, const Game& game) {
  std::ofstream file(path, std::ios::binary);
  file << save_game(game);
  if (!file.flush())
    throw Error(
        fmt::format("the game cannot be written to {}: {}", path, std::strerror(errno ? errno : EIO)));
}

}  // namespace awele::cli
