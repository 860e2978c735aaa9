#include "hdf5_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "awele/store/database.hpp"
#include "awele/store/read_errors.hpp"
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

int hdf5_system_error() {
  int found = 0;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        // The only place where the drivers tell it: "... errno = 28, error message = '...' ...".
        const char* text = error->desc ? std::strstr(error->desc, "errno = ") : nullptr;
        if (text) *static_cast<int*>(out) = std::atoi(text + std::strlen("errno = "));
        return 0;
      },
      &found);
  return found;
}

namespace {

/// True when HDF5 could not get memory.
bool hdf5_out_of_memory() {
  bool found = false;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        if (error->maj_num == H5E_RESOURCE) *static_cast<bool*>(out) = true;
        return 0;
      },
      &found);
  return found;
}

}  // namespace

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

void leave_hdf5_at_exit() { H5dont_atexit(); }

PropertyList version_bounds() {
  PropertyList list(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110);
  return list;
}

void read_chunk_stream(const std::filesystem::path& path, hid_t dataset, const char* name,
                       std::uint64_t index, std::uint64_t elements, std::uint64_t most,
                       std::vector<std::byte>& stream, const std::string& remedy) {
  const hsize_t offset[1] = {index * elements};
  hsize_t bytes = 0;
  std::uint32_t mask = 0;
  const auto chunk = [&] { return fmt::format("chunk {} of {}", index, name); };
  if (H5Dget_chunk_storage_size(dataset, offset, &bytes) < 0)
    fail_reading(path, chunk() + " is lost", remedy);
  if (bytes == 0 || bytes > most) fail_damaged(path, chunk() + " is missing or too long", remedy);
  stream.resize(bytes);
  if (H5Dread_chunk(dataset, H5P_DEFAULT, offset, &mask, stream.data()) < 0)
    fail_reading(path, chunk() + " cannot be read", remedy);
  if (mask != 0) fail_damaged(path, chunk() + " is not compressed", remedy);
}

void fail_reading(const std::filesystem::path& path, const std::string& what, const std::string& remedy) {
  const std::string reason = hdf5_reason();
  if (const int error = hdf5_system_error()) fail_unreadable(path, error);
  if (hdf5_out_of_memory()) throw std::bad_alloc();
  fail_damaged(path, reason.empty() ? what : fmt::format("{} ({})", what, reason), remedy);
}

void flush_to_disk(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY);
  const int error = fd >= 0 && ::fsync(fd) == 0 ? 0 : errno;
  if (fd >= 0) ::close(fd);
  if (error) fail_writing(path, "it cannot be flushed to disk", error);
}

void fail_writing(const std::filesystem::path& path, const std::string& what, int error) {
  std::string reason = error ? std::strerror(error) : hdf5_reason();
  if (error == 0) error = hdf5_system_error();
  std::error_code unknown;
  const auto space = std::filesystem::space(path.parent_path(), unknown);
  if (error == 0 && !unknown && space.available < (std::uint64_t{1} << 20)) error = ENOSPC;
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  if (error == ENOSPC) reason = "the disk is full";
  if (error == EDQUOT) reason = "the disk quota is used up";
  if (error == EFBIG) reason = "files may not grow this large here, see ulimit -f";
  throw Error(full ? ExitCode::no_resources : ExitCode::failure,
              fmt::format("{} cannot be written: {}{}; {}", path.string(), what,
                          reason.empty() ? "" : " (" + reason + ")",
                          error == EFBIG ? "raise that limit and run the same command again"
                          : full         ? "free some space and run the same command again"
                                 : "check that the directory is writable and run the same command again"));
}

}  // namespace awele
