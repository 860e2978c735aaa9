// Runs the program as users do and keeps what it says.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace awele::test {

struct ProgramResult {
  int code;
  std::string out, err;

  /// Lines of the program's own on standard error; launchers add theirs.
  std::vector<std::string> messages() const {
    std::vector<std::string> own;
    std::istringstream lines(err);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("awele: ")) own.push_back(line);
    return own;
  }
};

/// `arguments` for the shell; without a launcher for 0 ranks, else under mpirun. After `seconds` it is ended
/// (exit code 124): a hang.
inline ProgramResult run_program(const std::filesystem::path& scratch, int ranks,
                                 const std::string& arguments, const std::string& environment = "",
                                 int seconds = 120) {
  const std::string out = (scratch / "stdout").string(), err = (scratch / "stderr").string();
  std::string command = environment + " timeout -k 5 " + std::to_string(seconds) + " ";
  if (ranks > 0) command += std::string(AWELE_MPIEXEC) + " " + std::to_string(ranks) + " ";
  command += std::string(AWELE_BINARY) + " " + arguments + " >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  const auto text = [](const std::string& path) {
    std::stringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text(out), text(err)};
}

}  // namespace awele::test
