// awele serve: the explorer, a page and an HTTP API over a database.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "awele/probe/probe.hpp"
#include "awele/support/error.hpp"
#include "awele/web/server.hpp"
#include "commands.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Shows the board in a browser: the value of every move, whole games against the
program or another person, optimal lines, what each move of a game gave away, and
how many positions of a slice have which value. The same answers are available as
JSON from an HTTP API under /api/v1 (described in src/web/README.md).

It only reads; a directory that is still being solved may be served, and new slices
are noticed. It listens on this machine alone unless --bind says otherwise. To reach
it on a cluster, use the ssh command that it prints. On a login node every user can
reach a port of the machine; --socket makes a socket that only you can use:
ssh -L 8600:/path/of/the/socket HOST.

The Host header of a request must name a known host: localhost, 127.0.0.1 or [::1]
with any port, or one given with --allow-host.

SIGTERM or Ctrl-C ends it.

Example:
  awele serve --db awari --open)";

struct Options {
  std::string db;
  bool open = false;
  std::size_t cache = Prober::kDefaultCache;
  web::ServerOptions server;
  web::ApiLimits limits;
};

std::string host_name() {
  char name[256] = "this-host";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string user_name() {
  const char* name = std::getenv("USER");
  return name && *name ? name : "you";
}

void announce(const Options& options, std::uint16_t port) {
  if (!options.server.socket.empty()) {
    put("Serving {} at the socket {}\nFrom another machine:  ssh -L 8600:{} {}@{}\nthen open "
        "http://localhost:8600/\n",
        options.db, options.server.socket.string(), std::filesystem::absolute(options.server.socket).string(),
        user_name(), host_name());
  } else {
    put("Serving {} at http://localhost:{}/\n", options.db, port);
    put("From another machine:         ssh -L {0}:localhost:{0} {1}@{2}\n", port, user_name(), host_name());
    put("Through a login node:         ssh -J {1}@LOGIN-NODE -L {0}:localhost:{0} {1}@{2}\n", port,
        user_name(), host_name());
  }
  put("Ctrl-C ends it.\n");
  deliver_results();
}

/// Asks the desktop to show the page; where there is none, the address was printed.
void open_browser(std::uint16_t port) {
  const std::string address = fmt::format("http://localhost:{}/", port);
  if (::fork() != 0) return;
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int each = 0; each < 3; ++each) ::dup2(nowhere, each);
  ::setsid();
  for (const char* program : {"xdg-open", "open", "sensible-browser"})
    ::execlp(program, program, address.c_str(), nullptr);
  ::_exit(0);
}

int run(const Options& options) {
  Prober prober(options.db, options.cache, Accept::any);
  web::Api api(prober, options.limits);
  web::serve(api, options.server, [&](std::uint16_t port) {
    announce(options, port);
    if (options.open && options.server.socket.empty()) open_browser(port);
  });
  // Threads may still be answering: nothing is torn down under them.
  ::_exit(static_cast<int>(ExitCode::ok));
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "serve", "Show the database in a browser and answer over HTTP", kDetails);
  web::ServerOptions& server = options->server;
  add_db(*command, options->db);
  command->add_option("--port", server.port, fmt::format("Port (default {}); 0: any free one", server.port))
      ->type_name("PORT")
      ->transform(whole(0, 65535));
  command->add_option("--bind", server.bind, fmt::format("Address to listen at (default {})", server.bind))
      ->type_name("ADDRESS");
  command->add_option("--socket", server.socket, "Listen at a Unix socket (mode 0600) instead of a port")
      ->type_name("PATH");
  command
      ->add_option("--allow-host", server.allow_hosts,
                   "Another host name under which this server may be reached")
      ->type_name("NAME");
  command->add_option("--allow-origin", server.allow_origin, "Let pages from this origin use the API (CORS)")
      ->type_name("ORIGIN");
  command->add_option("--threads", server.threads, "Threads that answer (default: one per core, at most 4)")
      ->type_name("K")
      ->transform(whole(1, 256));
  command->add_option("--cache", options->cache, "Memory for chunks of slices, such as 1GiB (default 64MiB)")
      ->transform(bytes(0))
      ->type_name("BYTES");
  command
      ->add_option("--search-seconds", options->limits.search_seconds,
                   "Seconds to search boards beyond the database (default 0: no search)")
      ->type_name("S")
      ->transform(real(0, 9));
  command->add_flag("--open", options->open, "Open the page in this desktop's browser");
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
