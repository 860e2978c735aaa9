// Tables of the test data.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace awele::test {

/// The lines of a comma-separated file of tests/data without its header, split.
inline std::vector<std::vector<std::string>> table(const std::string& file) {
  std::ifstream in(std::string(AWELE_TEST_DATA) + "/" + file);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  if (rows.empty()) throw std::runtime_error("no test data in " + file);
  return rows;
}

}  // namespace awele::test
