// awele status: what the run that works in a directory is doing.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "awele/game/scope.hpp"
#include "awele/run/json.hpp"
#include "awele/run/lock.hpp"
#include "awele/support/error.hpp"
#include "awele/support/files.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "results.hpp"

namespace awele::cli {

namespace {

constexpr const char* kDetails =
    R"(Shows, from any terminal that sees DIR, what the run working there is doing: the
slice and its phase, how much of it is settled, how long the slice and the whole
run will still take, and the last checkpoint. Reads DIR/status.json and DIR/lock.

state is running, finished, stopped (on request: the same command continues), failed,
interrupted (the run ended without saying so, or its host has been silent for ten
minutes), silent (its host has given no sign of life for more than two minutes; a run
gives one every 30 s), or unknown (DIR/lock cannot be read). From another host than
the run's, silence is measured by the clock of this one.

Formats: table; json, one object.)";

struct Options {
  std::string db, format;
};

/// What is not of the type that a run writes; empty when all is.
std::string wrong_field(const nlohmann::ordered_json& status) {
  const auto find = [](const nlohmann::ordered_json& json, const std::vector<const char*>& names,
                       auto is_right, const char* type) {
    for (const char* name : names)
      if (json.contains(name) && !is_right(json[name])) return fmt::format("\"{}\" is not {}", name, type);
    return std::string();
  };
  const auto checkpoint = status.value("checkpoint", nlohmann::ordered_json::object());
  for (const std::string& wrong :
       {find(status, {"state", "sentence", "rules", "phase", "updated"}, json_is<std::string>, "a text"),
        find(status, {"slice", "seeds", "threshold", "ranks"}, json_is<int>, "a whole number"),
        find(status, {"positions", "settled", "rounds"}, json_is<std::uint64_t>, "a whole number"),
        find(status, {"seconds_so_far", "seconds_left", "seconds_left_in_slice"}, json_is<double>,
             "a number"),
        checkpoint.is_object() ? find(checkpoint, {"path", "time"}, json_is<std::string>, "a text")
                               : std::string("\"checkpoint\" is not an object")})
    if (!wrong.empty()) return wrong;
  return {};
}

nlohmann::ordered_json read_status(const std::filesystem::path& dir) {
  if (!std::filesystem::is_directory(dir)) throw Error(fmt::format("{}: no such directory", dir.string()));
  const auto path = dir / "status.json";
  if (!std::filesystem::exists(path))
    throw Error(
        fmt::format("{} does not exist: no awele solve has worked in {}", path.string(), dir.string()));
  auto json = nlohmann::ordered_json::parse(read_file(path), nullptr, false);
  const std::string wrong = json.is_object() ? wrong_field(json) : "it is not an object of JSON";
  if (!wrong.empty())
    throw Error(fmt::format("{} is damaged ({}); the next run writes a new one", path.string(), wrong));
  for (const char* of_lock : {"lock", "lock_age_seconds", "lock_elsewhere"})
    json.erase(of_lock);  // see below
  return json;
}

constexpr std::chrono::minutes kSilent{2};  ///< several refreshes of the lock

/// A run that says it is running must hold the lock, and show so.
void compare_with_lock(nlohmann::ordered_json& status, const std::filesystem::path& dir) {
  const bool running = status.value("state", "") == "running";
  try {
    const LockState lock = lock_state(dir);
    if (lock.held) {
      const bool elsewhere = !lock.owner.on_this_machine();
      status["lock"] = lock.owner.text();
      status["lock_age_seconds"] = lock.age.count();
      status["lock_elsewhere"] = elsewhere;
      if (running && elsewhere && lock.age > kSilent) status["state"] = "silent";
    }
    if (running && (!lock.held || lock.stale())) status["state"] = "interrupted";
  } catch (const Error& error) {
    status["lock"] = error.what();
    if (running) status["state"] = "unknown";
  }
}

void row(const char* label, const std::string& text) { put("{:<18}{}\n", label, text); }

void print_slice(const nlohmann::ordered_json& status) {
  if (!status.contains("slice")) return;
  const auto positions = status.value("positions", std::uint64_t{1}),
             settled = status.value("settled", std::uint64_t{0});
  row("slice", fmt::format("{} of {}, {}", status.value("slice", 0), status.value("seeds", 0),
                           status.value("phase", "")));
  if (status.contains("threshold"))
    row("threshold",
        fmt::format("{}, round {}", status.value("threshold", 0), status.value("rounds", std::uint64_t{0})));
  row("settled", fmt::format("{} of {} positions ({:.1f} %)", settled, positions,
                             100 * static_cast<double>(settled) / static_cast<double>(positions)));
}

void print_status(const nlohmann::ordered_json& status) {
  const std::string state = status.value("state", "unknown");
  row("state", state);
  if (status.contains("sentence")) row("", status.value("sentence", ""));
  row("rules", status.value("rules", ""));
  if (status.contains("total")) row("values", describe(Scope::outcome(status.value("total", 0))));
  row("ranks", fmt::format("{}", status.value("ranks", 0)));
  if (state != "finished") print_slice(status);
  row("run time", format_seconds(status.value("seconds_so_far", 0.0)));
  if (state == "running" || state == "silent") {
    row("slice needs", format_seconds(status.value("seconds_left_in_slice", 0.0)));
    row("all needs",
        status.contains("seconds_left") ? format_seconds(status.value("seconds_left", 0.0)) : "?");
  }
  if (status.contains("checkpoint")) {
    const auto& checkpoint = status["checkpoint"];
    const std::string when = checkpoint.value("time", "");
    row("checkpoint", checkpoint.value("path", "") + (when.empty() ? "" : ", " + when));
  }
  row("updated", status.value("updated", ""));
  if (status.contains("lock")) row("lock", status.value("lock", ""));
  if (status.contains("lock_age_seconds"))
    row("last sign of life",
        fmt::format("{} s ago{}", status.value("lock_age_seconds", 0L),
                    status.value("lock_elsewhere", false) ? ", by the clock of this host" : ""));
}

int run(const Options& options) {
  nlohmann::ordered_json status = read_status(options.db);
  compare_with_lock(status, options.db);
  if (options.format == "json")
    put("{}\n", json_text(status, 1));
  else
    print_status(status);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_status(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "status", "Show what a run is doing and how long it will still take", kDetails);
  add_db(*command, options->db);
  add_format(*command, options->format, {"table", "json"});
  command->callback([options, &context] { context.command = [options] { return run(*options); }; });
}

}  // namespace awele::cli
