#include "awele/web/api.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <random>

#include "answers.hpp"
#include "awele/index/slice_index.hpp"
#include "awele/play/game_record.hpp"
#include "awele/play/notation.hpp"
#include "awele/probe/board_text.hpp"
#include "awele/support/version.hpp"
#include "catalogue.hpp"
#include "game_state.hpp"
#include "page_files.hpp"
#include "query.hpp"

namespace awele::web {

namespace {

constexpr std::string_view kRoot = "/api/v1/";

/// Texts may hold bytes of a request that are no UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Response json_response(const Json& json) { return {200, "application/json", text_of(json), {}}; }

Response text_response(std::string type, std::string body, const std::string& file_name) {
  Response response{200, std::move(type), std::move(body), {}};
  response.headers.emplace_back("Content-Disposition", fmt::format("attachment; filename=\"{}\"", file_name));
  return response;
}

const char* sign_of(Bound bound) {
  return bound == Bound::at_least ? ">= " : bound == Bound::at_most ? "<= " : "";
}

/// As `awele stats --format csv` prints it.
std::string csv_of(const SliceContents& slice, Scope scope) {
  std::string csv = "seeds,value,positions\n";
  for (int v = -slice.seeds; v <= slice.seeds; ++v)
    if (const std::uint64_t positions = slice.histogram[static_cast<std::size_t>(v + slice.seeds)])
      csv +=
          fmt::format("{},{}{},{}\n", slice.seeds, sign_of(scope.known(slice.seeds, v).bound), v, positions);
  return csv;
}

/// The faults of the database as problems in words of our own: its sentences name files.
Response problem_of(const ProbeError& error) {
  switch (error.fault()) {
    case ProbeFault::board:
      return problem(400, "bad_board", "a board has at most 48 seeds");
    case ProbeFault::not_solved:
      return problem(404, "not_solved", "the database does not reach so many seeds");
    case ProbeFault::no_distances:
      return problem(404, "no_distances", "the database was solved without distances");
    case ProbeFault::file:
      break;
  }
  return problem(500, "damaged",
                 "a file of the database is damaged or cannot be read; the server's administrator can "
                 "find it with: awele check");
}

}  // namespace

Response problem(int status, std::string_view code, std::string_view detail) {
  Json json;
  json["status"] = status;
  json["code"] = code;
  json["detail"] = detail;
  Response response{status, "application/problem+json", text_of(json), {}};
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

struct Api::Impl {
  Prober& prober;
  ApiLimits limits;
  Catalogue catalogue;

  using Snapshot = Catalogue::Snapshot;

  RuleSet rules(const Snapshot& here) const {
    if (!here.rules) throw Problem(404, "not_solved", "the database holds no slices yet");
    return *here.rules;
  }

  Game state(const Query& query, const Snapshot& here) const {
    return read_state(query, rules(here), limits.moves);
  }

  // ------------------------------------------------------------------------------------------- the paths

  Response database(const Request& request, const Snapshot& here) const {
    Query(request.query, {});
    Json json;
    json["version"] = kVersion;
    json["rules"] = here.rules ? Json(name(*here.rules)) : Json();
    json["total"] = here.scope.exact() ? Json() : Json(here.scope.total());
    json["complete_up_to"] = here.complete_up_to;
    json["fingerprint"] = here.fingerprint;
    json["slices"] = Json::array();
    for (const SliceContents& slice : here.slices)
      json["slices"].push_back({{"seeds", slice.seeds},
                                {"positions", slice.positions},
                                {"crc32", fmt::format("{:08x}", slice.crc)},
                                {"distances", slice.distances}});
    json["limits"] = {
        {"boards", limits.boards}, {"moves", limits.moves}, {"search_seconds", limits.search_seconds}};
    return json_response(json);
  }

  Response position(const Request& request, const Snapshot& here, const Budget& budget) const {
    const Query query(request.query, {AWELE_WEB_STATE_PARAMETERS});
    return json_response(position_json(state(query, here), prober, budget));
  }

  Response line(const Request& request, const Snapshot& here, const Budget& budget) const {
    const Query query(request.query, {AWELE_WEB_STATE_PARAMETERS, "limit"});
    const int limit = query.number("limit", 1, static_cast<int>(limits.moves), 200);
    return json_response(line_json(state(query, here), prober, static_cast<std::size_t>(limit), budget));
  }

  Response game_text(const Request& request, const Snapshot& here) const {
    const Query query(request.query, {AWELE_WEB_STATE_PARAMETERS, "format"});
    const std::string format = query.get("format", "text");
    const Game game = state(query, here);
    if (format == "json") return json_response(game_json(game, prober));
    if (format != "text") throw Problem(400, "bad_format", "format is text or json");
    return text_response("text/plain; charset=utf-8", save_game(game), "game.txt");
  }

  Response read_text(const Request& request, const Snapshot& here) const {
    Query(request.query, {});
    try {
      const GameRecord record = load_game(request.body, "the game", rules(here));
      const Game& game = record.game;
      if (game.rules() != rules(here))
        throw Problem(400, "other_rules",
                      fmt::format("the game is one of the rules {}, the database of {}", name(game.rules()),
                                  name(rules(here))));
      if (game.plies() > limits.moves)
        throw Problem(400, "bad_game",
                      fmt::format("a game of more than {} moves is not taken", limits.moves));
      Json json = game_json(game, prober);
      json["notes"] = record.all_notes();
      if (record.decided) json["letters"] = move_letters(game).substr(0, record.decided->plies);
      json["outcome"] = to_json(record.outcome());
      return json_response(json);
    } catch (const ProbeError&) {
      throw;
    } catch (const Error& error) {
      throw Problem(400, "bad_game", error.what());
    }
  }

  Response analysis(const Request& request, const Snapshot& here) const {
    const Query query(request.query, {AWELE_WEB_STATE_PARAMETERS});
    if (limits.search_seconds <= 0)
      throw Problem(404, "no_search", "this server does not search beyond its database (--search-seconds)");
    return json_response(analysis_json(state(query, here), prober, limits.search_seconds));
  }

  Json value_or_error(const Json& entry) const {
    const auto refuse = [](const char* code) { return Json{{"error", code}}; };
    if (!entry.is_array() || entry.size() != kPits) return refuse("bad_board");
    Board board{};
    int sum = 0;
    for (std::size_t k = 0; k < board.size(); ++k) {
      if (!entry[k].is_number_unsigned() || entry[k].get<std::uint64_t>() > kMaxSeeds)
        return refuse("bad_board");
      board[k] = entry[k].get<std::uint8_t>();
      sum += board[k];
    }
    if (sum > kMaxSeeds) return refuse("bad_board");
    try {
      const KnownValue known = prober.known_value(board);
      Json json = {{"value", known.value}};
      if (known.bound != Bound::exact)
        json["bound"] = known.bound == Bound::at_least ? "at_least" : "at_most";
      return json;
    } catch (const ProbeError& error) {
      return refuse(error.fault() == ProbeFault::not_solved ? "not_solved" : "damaged");
    }
  }

  Response positions(const Request& request) const {
    Query(request.query, {});
    const Json asked = Json::parse(request.body, nullptr, false);
    if (!asked.is_object() || asked.size() != 1 || !asked.contains("boards") || !asked["boards"].is_array())
      throw Problem(400, "bad_json", R"(the body must be {"boards": [[12 numbers], ...]})");
    if (asked["boards"].size() > limits.boards)
      throw Problem(400, "too_many", fmt::format("at most {} boards are answered at a time", limits.boards));
    Json json;
    json["values"] = Json::array();
    for (const Json& entry : asked["boards"]) json["values"].push_back(value_or_error(entry));
    return json_response(json);
  }

  /// slices/N, slices/N.csv, slices/N/random
  Response slices(const Request& request, std::string_view rest, const Snapshot& here,
                  const Budget& budget) const {
    int n = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    const std::string_view what = rest.substr(static_cast<std::size_t>(end - rest.data()));
    const bool known = what.empty() || what == ".csv" || what == "/random";
    if (error != std::errc{} || !known || rest.starts_with('-')) return unknown_path();
    const SliceContents* slice = here.find(n);
    if (!slice) throw Problem(404, "not_solved", fmt::format("the database has no slice of {} seeds", n));
    if (what == "/random") return random(request, *slice, budget);
    Query(request.query, {});
    if (what == ".csv")
      return text_response("text/csv; charset=utf-8", csv_of(*slice, here.scope),
                           fmt::format("slice_{:02}.csv", n));
    Json json;
    json["seeds"] = n;
    json["positions"] = slice->positions;
    json["crc32"] = fmt::format("{:08x}", slice->crc);
    json["distances"] = slice->distances;
    json["width"] = here.scope.width(n);
    json["histogram"] = slice->histogram;
    return json_response(json);
  }

  /// Looks through stretches of the file, begun at random, for a position of the value.
  Response random(const Request& request, const SliceContents& slice, const Budget& budget) const {
    constexpr std::uint64_t kStretch = 8192;
    const Query query(request.query, {"value"});
    const int n = slice.seeds;
    thread_local std::mt19937_64 generator{std::random_device{}()};
    std::uniform_int_distribution<std::uint64_t> place(0, slice.positions - 1);
    if (!query.has("value")) return board_response(position_at(n, place(generator)));
    const int value = query.number("value", -n, n, 0);
    if (slice.histogram[static_cast<std::size_t>(value + n)] == 0)
      throw Problem(404, "no_such_position", fmt::format("no position of {} seeds is worth {}", n, value));
    std::uint64_t at = place(generator);
    for (std::uint64_t looked = 0; looked < slice.positions;
         looked += kStretch, at = (at + kStretch) % slice.positions) {
      if (std::chrono::steady_clock::now() > budget.deadline)
        throw Problem(504, "too_long", "such a position is rare: none was found in time");
      std::vector<Board> boards;
      for (std::uint64_t k = at; k < std::min(at + kStretch, slice.positions); ++k)
        boards.push_back(position_at(n, k));
      const auto values = prober.values(boards);
      const auto found = std::find(values.begin(), values.end(), value);
      if (found != values.end())
        return board_response(boards[static_cast<std::size_t>(found - values.begin())]);
    }
    throw Problem(504, "too_long", "such a position is rare: none was found");
  }

  static Response board_response(const Board& board) {
    Response response = json_response({{"board", board}});
    response.headers.emplace_back("Cache-Control", "no-store");
    return response;
  }

  // ------------------------------------------------------------------------------------------ the routing

  static Response unknown_path() { return problem(404, "unknown_path", "there is nothing at this path"); }

  static Response not_allowed(const char* allowed) {
    Response response = problem(405, "method_not_allowed", fmt::format("this path takes {}", allowed));
    response.headers.emplace_back("Allow", allowed);
    return response;
  }

  Response file(const Request& request) const {
    const std::string_view path = request.path == "/" ? "/index.html" : std::string_view(request.path);
    for (const PageFile& file : page_files())
      if (file.path == path) return {200, std::string(file.type), std::string(file.text), {}};
    return unknown_path();
  }

  Response get(const Request& request, std::string_view what, const Snapshot& here,
               const Budget& budget) const {
    if (what == "database") return database(request, here);
    if (what == "position") return position(request, here, budget);
    if (what == "line") return line(request, here, budget);
    if (what == "game") return game_text(request, here);
    if (what == "analysis") return analysis(request, here);
    if (what.starts_with("slices/")) return slices(request, what.substr(7), here, budget);
    return unknown_path();
  }

  Response route(const Request& request, const Snapshot& here, const Budget& budget) const {
    const bool is_get = request.method == "GET" || request.method == "HEAD";
    if (request.path == "/healthz")
      return is_get ? Response{200, "text/plain; charset=utf-8", "ok\n", {}} : not_allowed("GET, HEAD");
    if (!request.path.starts_with(kRoot)) return is_get ? file(request) : not_allowed("GET, HEAD");
    const std::string_view what = std::string_view(request.path).substr(kRoot.size());
    if (request.method == "POST" && what == "positions") return positions(request);
    if (request.method == "POST" && what == "game") return read_text(request, here);
    if (what == "positions") return not_allowed("POST");
    if (!is_get) return not_allowed(what == "game" ? "GET, HEAD, POST" : "GET, HEAD");
    return get(request, what, here, budget);
  }

  /// The answer, or 304 when the asker has it: no answer is kept without asking, as another database may be
  /// served at the same address tomorrow.
  Response answer(const Request& request, const Budget& budget) {
    const auto here = catalogue.look();
    Response response = route(request, *here, budget);
    const bool stored = std::any_of(response.headers.begin(), response.headers.end(),
                                    [](const auto& header) { return header.first == "Cache-Control"; });
    if (response.status != 200 || stored) return response;
    const std::string tag = fmt::format("\"{}\"", here->fingerprint);
    response.headers.emplace_back("Cache-Control", "no-cache");
    response.headers.emplace_back("ETag", tag);
    if (request.method != "POST" && request.if_none_match.find(tag) != std::string::npos) {
      response.status = 304;
      response.body.clear();
    }
    return response;
  }
};

Api::Api(Prober& prober, const ApiLimits& limits) : impl_(new Impl{prober, limits, Catalogue(prober)}) {}
Api::~Api() = default;

bool Api::is_slow(const Request& request) {
  const std::string& path = request.path;
  return path == "/api/v1/line" || path == "/api/v1/analysis" || path.ends_with("/random");
}

Response Api::answer(const Request& request, const Budget& budget) {
  try {
    return impl_->answer(request, budget);
  } catch (const Problem& refused) {
    return problem(refused.status(), refused.code(), refused.what());
  } catch (const ProbeError& error) {
    return problem_of(error);
  } catch (const Error& error) {
    return problem(500, "failure",
                   "the request could not be answered; the server's administrator can run: awele check");
  }
}

}  // namespace awele::web
