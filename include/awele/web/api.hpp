// The HTTP API of the explorer, apart from any transport: a request in, a response out. Read-only and
// stateless; the paths and their answers are documented in src/web/README.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "awele/probe/probe.hpp"

namespace awele::web {

struct Request {
  std::string method;  ///< "GET", ...
  std::string path;    ///< without the query, not decoded: "/api/v1/position"
  std::string query;   ///< what follows the question mark, not decoded
  std::string if_none_match;
  std::string body;
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// An `application/problem+json` answer. `code` is a word for programs, `detail` a sentence for people;
/// neither names anything of the server's file system.
Response problem(int status, std::string_view code, std::string_view detail);

/// How much a request may cost.
struct Budget {
  std::size_t positions = 0;  ///< that a search for a distance may hold
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

/// Thrown by Api::answer when a budget is too small: the same request is worth another try with a larger one.
struct OverBudget {};

struct ApiLimits {
  std::size_t boards = 4096;  ///< of one POST positions
  std::size_t moves = 1000;   ///< of one game
  double search_seconds = 0;  ///< of one analysis; 0: there is none
};

/// Thread safety: any number of threads may call answer() at once.
class Api {
 public:
  Api(Prober& prober, const ApiLimits& limits);
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  /// Whether the request may take seconds by its nature (lines, analyses, random positions).
  static bool is_slow(const Request& request);
  /// Never throws but OverBudget (and std::bad_alloc): faults are problem responses.
  Response answer(const Request& request, const Budget& budget);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace awele::web
