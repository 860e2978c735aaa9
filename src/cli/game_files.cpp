#include "game_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "awele/play/notation.hpp"
#include "awele/support/error.hpp"

namespace awele::cli {

Game read_game(const std::string& path) {
  const auto refuse = [&](const char* why) {
    throw Error(ExitCode::usage, fmt::format("the saved game {} cannot be read: {}", path, why));
  };
  if (std::filesystem::is_directory(path)) refuse("it is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  std::string text;
  for (char c; file.get(c);) text += c;
  if (file.bad()) refuse(std::strerror(EIO));
  return load_game(text, path);
}

void write_game(const std::string& path, const Game& game) {
  std::ofstream file(path, std::ios::binary);
  file << save_game(game);
  if (!file.flush())
    throw Error(
        fmt::format("the game cannot be written to {}: {}", path, std::strerror(errno ? errno : EIO)));
}

}  // namespace awele::cli
