#include "hdf5_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "awele/store/database.hpp"
#include "awele/support/error.hpp"

namespace awele {

std::string hdf5_reason() {
  std::string reason;
  const auto keep = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    if (error->desc && *error->desc) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep, &reason);
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        if (error->desc && *error->desc) {
          *static_cast<std::string*>(out) = error->desc;
          return 1;
        }
        return 0;
      },
      &reason);
  return reason;
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

PropertyList version_bounds() {
  PropertyList list(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110);
  return list;
}

bool flush_to_disk(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  const bool ok = fd >= 0 && ::fsync(fd) == 0;
  if (fd >= 0) ::close(fd);
  return ok;
}

void fail_writing(const std::filesystem::path& path, const std::string& what) {
  std::error_code error;
  const auto space = std::filesystem::space(path.parent_path(), error);
  const bool full = !error && space.available < (std::uint64_t{1} << 20);
  throw Error(full ? ExitCode::no_resources : ExitCode::failure,
              fmt::format("{} cannot be written: {} ({}); {}", path.string(), what,
                          full ? "the disk is full" : hdf5_reason(),
                          full ? "free some space and run the same command again"
                               : "check that the directory is writable and run the same command again"));
}

}  // namespace awele
