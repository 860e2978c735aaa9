// The explorer's HTTP server: one thread for all connections, a pool for quick answers, one thread for slow
// ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "awele/web/api.hpp"

namespace awele::web {

struct ServerOptions {
  std::string bind = "127.0.0.1";  ///< an address
  std::uint16_t port = 8600;       ///< 0: any that is free
  std::filesystem::path socket;    ///< a Unix socket (mode 0600) instead, when not empty
  std::vector<std::string>
      allow_hosts;           ///< names, besides those of this machine's loopback, that Host may say
  std::string allow_origin;  ///< for Access-Control-Allow-Origin; empty: none
  int threads = 0;           ///< of the quick pool; 0: min(cores, 4)
};

/// Serves until SIGTERM, SIGINT or SIGHUP comes. `listening` is called once, with the port. Throws Error when
/// the address or socket cannot be had. Threads may still use `api` afterwards: the process must end then, by
/// _exit().
void serve(Api& api, const ServerOptions& options, const std::function<void(std::uint16_t port)>& listening);

}  // namespace awele::web
