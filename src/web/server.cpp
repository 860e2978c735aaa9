#include "awele/web/server.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <list>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "awele/support/error.hpp"
#include "awele/support/version.hpp"

namespace awele::web {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using local = asio::local::stream_protocol;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeaderBytes = 8 << 10, kBodyBytes = 256 << 10;
constexpr std::chrono::seconds kIdle{15}, kWholeRequest{5}, kWrite{30}, kSlow{10}, kLinger{2};
constexpr std::size_t kMostConnections = 1024;
// Waiting and being answered.
constexpr int kQuickQueue = 256, kSlowQueue = 5;
constexpr std::size_t kQuickPositions = std::size_t{1} << 14, kSlowPositions = std::size_t{1} << 20;

/// Connections that leave descriptors for slices and the rest of the program.
std::size_t most_connections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kMostConnections;
  const auto files = static_cast<std::size_t>(limit.rlim_cur);
  return std::clamp<std::size_t>(files > 96 ? files - 96 : 4, 4, kMostConnections);
}

/// Threads that answer, with a bound on what waits for them.
class Pool {
 public:
  Pool(int threads, int most) : pool_(static_cast<std::size_t>(threads)), most_(most) {}
  /// False when too much waits already.
  template <typename Task>
  bool post(Task task) {
    if (waiting_.fetch_add(1) >= most_) {
      --waiting_;
      return false;
    }
    asio::post(pool_, [this, task = std::move(task)]() mutable {
      task();
      --waiting_;
    });
    return true;
  }

 private:
  asio::thread_pool pool_;
  const int most_;
  std::atomic<int> waiting_{0};
};

/// Connections by age of their last sign of life, so that the oldest idle one can make room.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void close() = 0;
  bool idle = true;
};

/// What all connections share. Its members but the pools are used by the I/O thread alone.
struct Shared {
  Shared(Api& served, const ServerOptions& with, int threads)
      : api(served), options(with), quick(threads, kQuickQueue), slow(1, kSlowQueue) {}
  Api& api;
  const ServerOptions& options;
  Pool quick, slow;
  std::list<Connection*> open;  // the longest idle first
  const std::size_t most = most_connections();

  void make_room() {
    if (open.size() < most) return;
    const auto oldest =
        std::find_if(open.begin(), open.end(), [](const Connection* each) { return each->idle; });
    if (oldest != open.end()) (*oldest)->close();
  }
};

/// "host", "host:port", "[::1]:port" without its port; nothing when it is none of these.
std::optional<std::string> host_name(std::string_view host) {
  std::string_view rest;
  std::string name;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    name = host.substr(0, end + 1);
    rest = host.substr(end + 1);
  } else {
    const std::size_t colon = std::min(host.find(':'), host.size());
    name = host.substr(0, colon);
    rest = host.substr(colon);
  }
  const bool port = rest.size() > 1 && rest.size() <= 6 && rest[0] == ':' &&
                    rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
  if (!rest.empty() && !port) return std::nullopt;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// The name in Host must be one that this server is meant to have: a page elsewhere whose name is made to
/// point at this machine could otherwise ask through its visitor's browser.
bool is_host_allowed(std::string_view host, const ServerOptions& options) {
  const auto name = host_name(host);
  if (!name) return false;
  if (*name == "localhost" || *name == "127.0.0.1" || *name == "[::1]") return true;
  return std::find(options.allow_hosts.begin(), options.allow_hosts.end(), *name) !=
         options.allow_hosts.end();
}

using HttpRequest = http::request<http::string_body>;
using HttpResponse = http::response<http::string_body>;

std::optional<Response> refuse(const HttpRequest& request, const ServerOptions& options) {
  if (request.count(http::field::host) > 1 ||
      (request.version() == 11 && request.count(http::field::host) == 0))
    return problem(400, "bad_host", "a request names one host");
  const auto host = request[http::field::host];
  if (!host.empty() && !is_host_allowed({host.data(), host.size()}, options))
    return problem(421, "other_host",
                   "this server does not answer to that host name; start it with --allow-host NAME");
  const auto target = request.target();
  if (target.empty() || target[0] != '/')
    return problem(400, "bad_target", "the request's target is not a path");
  return std::nullopt;
}

Request to_request(HttpRequest& from) {
  Request request;
  request.method = std::string(from.method_string());
  const std::string target(from.target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.path = target.substr(0, mark);
  request.query = target.substr(std::min(mark + 1, target.size()));
  request.if_none_match = std::string(from[http::field::if_none_match]);
  request.body = std::move(from.body());
  return request;
}

HttpResponse to_http(Response&& from, unsigned version, bool keep_alive, bool head,
                     const ServerOptions& options) {
  HttpResponse response(static_cast<http::status>(from.status), version);
  response.set(http::field::server, "awele");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Content-Security-Policy",
               "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
  response.set("Referrer-Policy", "no-referrer");
  if (!options.allow_origin.empty()) {
    response.set(http::field::access_control_allow_origin, options.allow_origin);
    response.set(http::field::vary, "Origin");
  }
  for (const auto& [name, value] : from.headers) response.set(name, value);
  if (from.status != 304) response.set(http::field::content_type, from.type);
  response.keep_alive(keep_alive);
  response.content_length(from.body.size());
  if (!head) response.body() = std::move(from.body);
  return response;
}

template <typename Protocol>
class Session : public Connection, public std::enable_shared_from_this<Session<Protocol>> {
 public:
  using Socket = typename Protocol::socket;
  Session(Socket socket, Shared& shared) : stream_(std::move(socket)), shared_(shared) {}

  ~Session() override {
    if (listed_) shared_.open.erase(place_);
  }

  void start() {
    place_ = shared_.open.insert(shared_.open.end(), this);
    listed_ = true;
    wait();
  }

  void close() override {
    beast::error_code ignored;
    stream_.socket().close(ignored);
    stream_.cancel();
  }

 private:
  auto self() { return this->shared_from_this(); }

  void set_idle(bool now) {
    idle = now;
    shared_.open.splice(shared_.open.end(), shared_.open, place_);
  }

  /// For the first byte of a request; then the whole of it has one deadline.
  void wait() {
    set_idle(true);
    if (buffer_.size() > 0) return read();
    stream_.expires_after(kIdle);
    stream_.async_read_some(buffer_.prepare(2048),
                            [self = self()](beast::error_code error, std::size_t bytes) {
                              if (error) return;
                              self->buffer_.commit(bytes);
                              self->read();
                            });
  }

  void read() {
    set_idle(false);
    stream_.expires_after(kWholeRequest);
    parser_.emplace();
    parser_->header_limit(kHeaderBytes);
    parser_->body_limit(kBodyBytes);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = self()](beast::error_code error, std::size_t) {
                              if (error) return self->failed(error);
                              self->read_body();
                            });
  }

  void read_body() {
    const auto& header = parser_->get();
    if (beast::iequals(header[http::field::expect], "100-continue")) {
      continue_.emplace(http::status::continue_, header.version());
      return http::async_write(stream_, *continue_, [self = self()](beast::error_code error, std::size_t) {
        if (!error) self->read_rest();
      });
    }
    read_rest();
  }

  void read_rest() {
    http::async_read(stream_, buffer_, *parser_, [self = self()](beast::error_code error, std::size_t) {
      if (error) return self->failed(error);
      self->answer(self->parser_->release());
    });
  }

  /// A request that is none, or too large, is told so; where the other side has gone or is too slow there is
  /// nobody to be told.
  void failed(beast::error_code error) {
    if (error == http::error::end_of_stream || error == beast::error::timeout ||
        error.category() != make_error_code(http::error::end_of_stream).category())
      return;
    version_ = 11;
    keep_alive_ = head_ = false;
    if (error == http::error::header_limit)
      return write(problem(431, "large_header", "the header of a request has at most 8 KiB"));
    if (error == http::error::body_limit)
      return write(problem(413, "large_body", "the body of a request has at most 256 KiB"));
    write(problem(400, "bad_request", "this is not an HTTP request"));
  }

  void answer(HttpRequest request) {
    version_ = request.version();
    keep_alive_ = request.keep_alive();
    head_ = request.method() == http::verb::head;
    stream_.expires_never();
    if (auto refusal = refuse(request, shared_.options)) {
      keep_alive_ = false;
      return write(std::move(*refusal));
    }
    request_ = to_request(request);
    if (Api::is_slow(request_)) return post_slow();
    if (!shared_.quick.post([self = self()] { self->work({kQuickPositions, Clock::now() + kSlow}, true); }))
      busy();
  }

  void post_slow() {
    if (!shared_.slow.post([self = self(), end = Clock::now() + kSlow] {
          self->work({kSlowPositions, end}, false);
        }))
      busy();
  }

  void busy() {
    Response response = problem(503, "busy", "the server has too much to do; ask again");
    response.headers.emplace_back("Retry-After", "1");
    write(std::move(response));
  }

  /// In a thread of a pool.
  void work(const Budget& budget, bool try_again) {
    std::optional<Response> response;
    try {
      if (Clock::now() < budget.deadline) response = shared_.api.answer(request_, budget);
    } catch (const OverBudget&) {
      if (try_again) return asio::post(stream_.get_executor(), [self = self()] { self->post_slow(); });
    } catch (const std::exception&) {
      response = problem(503, "no_memory", "the server is short of memory; ask again");
    }
    if (!response)
      response =
          problem(504, "too_long", "the answer takes too long; a database with distances gives it at once");
    asio::post(stream_.get_executor(), [self = self(), response = std::move(*response)]() mutable {
      self->write(std::move(response));
    });
  }

  void write(Response response) {
    response_ = to_http(std::move(response), version_, keep_alive_, head_, shared_.options);
    stream_.expires_after(kWrite);
    const auto done = [self = self()](beast::error_code error, std::size_t) {
      if (error) return;
      if (!self->keep_alive_) return self->finish();
      self->wait();
    };
    if (!head_) return http::async_write(stream_, response_, done);
    serializer_.emplace(response_);
    http::async_write_header(stream_, *serializer_, done);
  }

  /// What the other side still sends is taken and thrown away for a while: closed at once, the connection
  /// would be reset, and the answer lost.
  void finish() {
    beast::error_code ignored;
    stream_.socket().shutdown(Socket::shutdown_send, ignored);
    stream_.expires_after(kLinger);
    drain();
  }

  void drain() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kHeaderBytes),
                            [self = self()](beast::error_code error, std::size_t) {
                              if (!error) self->drain();
                            });
  }

  beast::basic_stream<Protocol> stream_;
  Shared& shared_;
  std::list<Connection*>::iterator place_;
  bool listed_ = false;
  beast::flat_buffer buffer_{kHeaderBytes + kBodyBytes};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::empty_body>> continue_;
  Request request_;
  HttpResponse response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  unsigned version_ = 11;
  bool keep_alive_ = false, head_ = false;
};

template <typename Protocol>
class Listener {
 public:
  Listener(asio::io_context& io, const typename Protocol::endpoint& endpoint, Shared& shared)
      : acceptor_(io), retry_(io), shared_(shared) {
    acceptor_.open(endpoint.protocol());
    // A port that another server has must stay its own: no SO_REUSEPORT; but one that was closed is free at
    // once.
    if constexpr (std::is_same_v<Protocol, tcp>) acceptor_.set_option(asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
    accept();
  }
  typename Protocol::endpoint endpoint() const { return acceptor_.local_endpoint(); }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, typename Protocol::socket socket) {
      if (!error) {
        shared_.make_room();
        std::make_shared<Session<Protocol>>(std::move(socket), shared_)->start();
        return accept();
      }
      if (error == asio::error::operation_aborted) return;
      // No descriptor is free, most likely.
      shared_.make_room();
      retry_.expires_after(std::chrono::milliseconds(50));
      retry_.async_wait([this](beast::error_code stopped) {
        if (!stopped) accept();
      });
    });
  }

  typename Protocol::acceptor acceptor_;
  asio::steady_timer retry_;
  Shared& shared_;
};

tcp::endpoint endpoint_of(const ServerOptions& options) {
  beast::error_code error;
  const auto address =
      asio::ip::make_address(options.bind == "localhost" ? "127.0.0.1" : options.bind, error);
  if (error)
    throw Error(ExitCode::usage,
                fmt::format("'{}' is not an address to bind to; use 127.0.0.1 or 0.0.0.0", options.bind));
  return {address, options.port};
}

/// A socket that a server that was killed has left would be in the way.
void remove_dead_socket(asio::io_context& io, const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_socket(path, ignored)) return;
  local::socket other(io);
  beast::error_code error;
  other.connect(local::endpoint(path.string()), error);
  if (!error)
    throw Error(fmt::format("another server listens at {}; stop it or give another --socket", path.string()));
  std::filesystem::remove(path, ignored);
}

void serve_socket(asio::io_context& io, Shared& shared, const std::function<void(std::uint16_t)>& listening) {
  const std::filesystem::path& path = shared.options.socket;
  remove_dead_socket(io, path);
  const mode_t before = ::umask(0177);
  const auto listener = [&]() -> std::unique_ptr<Listener<local>> {
    try {
      return std::make_unique<Listener<local>>(io, local::endpoint(path.string()), shared);
    } catch (const std::exception& error) {
      ::umask(before);
      throw Error(fmt::format("no socket can be made at {} ({}); give another --socket", path.string(),
                              error.what()));
    }
  }();
  ::umask(before);
  listening(0);
  io.run();
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

void serve_port(asio::io_context& io, Shared& shared, const std::function<void(std::uint16_t)>& listening) {
  const tcp::endpoint endpoint = endpoint_of(shared.options);
  std::unique_ptr<Listener<tcp>> listener;
  try {
    listener = std::make_unique<Listener<tcp>>(io, endpoint, shared);
  } catch (const boost::system::system_error& error) {
    throw Error(
        fmt::format("port {} of {} cannot be had ({}); give another --port, or --port 0 for any that is free",
                    endpoint.port(), shared.options.bind, error.code().message()));
  }
  listening(listener->endpoint().port());
  io.run();
}

}  // namespace

void serve(Api& api, const ServerOptions& options, const std::function<void(std::uint16_t)>& listening) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int threads = options.threads > 0 ? options.threads : std::min(cores, 4);
  // Connections and pools are left as they are: a slow answer under way must not delay the end of the
  // process.
  auto* io = new asio::io_context(1);
  auto* shared = new Shared(api, options, threads);
  asio::signal_set signals(*io, SIGTERM, SIGINT, SIGHUP);
  signals.async_wait([io](beast::error_code, int) { io->stop(); });
  if (options.socket.empty())
    serve_port(*io, *shared, listening);
  else
    serve_socket(*io, *shared, listening);
}

}  // namespace awele::web
