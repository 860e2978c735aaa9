// What a run tells machines: DIR/log, one JSON object a line, appended; DIR/status.json, replaced as a whole.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace awele {

/// Version of the lines of DIR/log and of status.json, in the event "start" and in the status. To be raised
/// when a field or an event is renamed, removed or gets another meaning, not when one is added.
inline constexpr int kLogVersion = 1;

/// "2026-05-04T03:02:01Z"
std::string utc_time(std::chrono::system_clock::time_point when = std::chrono::system_clock::now());

class RunLog {
 public:
  explicit RunLog(const std::filesystem::path& dir) : path_(dir / "log"), status_path_(dir / "status.json") {}

  /// Appends {"time": ..., "event": event, ...fields}, in one write. A log that cannot be written (disk full,
  /// or of another user) does not stop a run; trouble() says so.
  void event(const std::string& event,
             const nlohmann::ordered_json& fields = nlohmann::ordered_json::object()) const;
  /// Replaces status.json.
  void status(const nlohmann::ordered_json& status) const;

  /// The first sentence on a file that could not be written; empty when there is none.
  const std::string& trouble() const { return trouble_; }

 private:
  void note_trouble(const std::filesystem::path& path, const std::string& reason) const;

  std::filesystem::path path_, status_path_;
  mutable std::string trouble_;
};

}  // namespace awele
