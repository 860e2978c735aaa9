#include "awele/run/run_log.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "awele/run/json.hpp"
#include "awele/support/files.hpp"

namespace awele {

std::string utc_time(std::chrono::system_clock::time_point when) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(when)));
}

void RunLog::event(const std::string& event, const nlohmann::ordered_json& fields) const {
  nlohmann::ordered_json line;
  line["time"] = utc_time();
  line["event"] = event;
  line.update(fields);
  const std::string text = json_text(line) + "\n";
  // Not blocking: a FIFO of that name must not stop the run.
  const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
  if (fd < 0) return note_trouble(path_, std::strerror(errno));
  // One call for a line, if the system allows: lines of several processes do not mix.
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      note_trouble(path_, std::strerror(errno));
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::close(fd);
}

void RunLog::status(const nlohmann::ordered_json& status) const {
  try {
    replace_file(status_path_, json_text(status, 1) + "\n");
  } catch (const std::filesystem::filesystem_error& error) {
    note_trouble(status_path_, error.code().message());  // a status that is not up to date does no harm
  }
}

void RunLog::note_trouble(const std::filesystem::path& path, const std::string& reason) const {
  if (trouble_.empty())
    trouble_ = fmt::format("{} cannot be written ({}): the run continues without it", path.string(), reason);
}

}  // namespace awele
