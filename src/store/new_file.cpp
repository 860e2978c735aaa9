#include "new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "hdf5_file.hpp"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace awele {

struct NewFile::State {
  int fd = -1;
  int error = 0;  ///< of the first call that failed

  void note(bool ok) {
    if (!ok && error == 0) error = errno ? errno : EIO;
  }
};

namespace {

// --------------------------------------------------------------------------------------------- the driver

/// HDF5's view of an open file.
struct Driven : H5FD_t {
  std::shared_ptr<NewFile::State> state;
  haddr_t allocated, written;  // end of what HDF5 uses; end of the file
};

Driven& driven(H5FD_t* file) { return *static_cast<Driven*>(file); }
const Driven& driven(const H5FD_t* file) { return *static_cast<const Driven*>(file); }

/// What the access property list carries.
struct DriverInfo {
  const std::shared_ptr<NewFile::State>* state;
};

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  return info ? new Driven{{}, *info->state, 0, 0} : nullptr;
}

herr_t close_file(H5FD_t* file) {
  delete &driven(file);
  return 0;
}

/// As HDF5's own driver for plain files, so that files are laid out alike.
herr_t query(const H5FD_t*, unsigned long* features) {
  if (features)
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
                H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return driven(file).allocated; }
herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  driven(file).allocated = end;
  return 0;
}
haddr_t get_written(const H5FD_t* file, H5FD_mem_t) { return driven(file).written; }

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* data) {
  const int fd = driven(file).state->fd;
  for (auto* out = static_cast<std::byte*>(data); size > 0;) {
    const ssize_t got = ::pread(fd, out, size, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {  // beyond the end of the file
      std::fill_n(out, size, std::byte{0});
      return 0;
    }
    out += got;
    at += static_cast<haddr_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* data) {
  Driven& own = driven(file);
  own.written = std::max(own.written, at + size);
  for (const auto* in = static_cast<const std::byte*>(data); size > 0 && own.state->error == 0;) {
    errno = 0;
    const ssize_t put = ::pwrite(own.state->fd, in, size, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    own.state->note(put > 0);
    if (put <= 0) break;
    in += put;
    at += static_cast<haddr_t>(put);
    size -= static_cast<std::size_t>(put);
  }
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  Driven& own = driven(file);
  if (own.allocated == own.written) return 0;
  int result = 0;
  while (own.state->error == 0 &&
         (result = ::ftruncate(own.state->fd, static_cast<off_t>(own.allocated))) != 0 && errno == EINTR) {
  }
  own.state->note(result == 0);
  own.written = own.allocated;
  return 0;
}

hid_t driver() {
  static const hid_t registered = [] {
    H5FD_class_t all{};
#if H5_VERSION_GE(1, 13, 0)
    all.version = H5FD_CLASS_VERSION;
    all.value = H5FD_class_value_t{600};  // from 512 on those of programs
#endif
    all.name = "awele_new_file";
    all.maxaddr = (haddr_t{1} << 63) - 1;
    all.fc_degree = H5F_CLOSE_WEAK;
    all.fapl_size = sizeof(DriverInfo);
    all.open = open_file;
    all.close = close_file;
    all.query = query;
    all.get_eoa = get_allocated;
    all.set_eoa = set_allocated;
    all.get_eof = get_written;
    all.read = read;
    all.write = write;
    all.truncate = truncate;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), all.fl_map);
    return H5FDregister(&all);
  }();
  return registered;
}

/// Without times of objects: files of equal content are equal. And with all attributes in the root group's
/// header, which HDF5 leaves by default for more than 8: only there they are accepted (screened_file.hpp).
PropertyList for_creation() {
  PropertyList list(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_obj_track_times(list, false);
  H5Pset_attr_phase_change(list, 32, 0);
  return list;
}

}  // namespace

// ----------------------------------------------------------------------------------------------- the file

namespace {

int create(const std::filesystem::path& path) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) fail_writing(path, "the file cannot be created", errno);
  return fd;
}

}  // namespace

NewFile::NewFile(std::filesystem::path path, int fd)
    : path_(std::move(path)), state_(std::make_shared<State>(State{fd})) {}

// Delegates, so that the destructor removes the file when HDF5 cannot make one of it.
NewFile::NewFile(const std::filesystem::path& path) : NewFile(path, create(path)) {
  quiet_hdf5();
  const PropertyList access = version_bounds(), creation = for_creation();
  const DriverInfo info{&state_};
  if (H5Pset_driver(access, driver(), &info) >= 0)
    file_ = File(H5Fcreate(path.c_str(), H5F_ACC_EXCL, creation, access));
  require(file_.valid(), "the file cannot be created");
}

NewFile::~NewFile() {
  file_.reset();
  if (state_->fd >= 0) ::close(std::exchange(state_->fd, -1));
  std::error_code ignored;
  if (!kept_) std::filesystem::remove(path_, ignored);
}

void NewFile::require(bool ok, const std::string& what) const {
  if (state_->error) fail_writing(path_, what, state_->error);
  if (!ok) fail_writing(path_, what);
}

void NewFile::close() {
  require(H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0, "it cannot be flushed");
  require(file_.close(), "it cannot be closed");
  int result = 0;
  while ((result = ::fsync(state_->fd)) != 0 && errno == EINTR) {
  }
  state_->note(result == 0);
  require(true, "it cannot be flushed to disk");
  // After EINTR it is closed as well.
  state_->note(::close(std::exchange(state_->fd, -1)) == 0 || errno == EINTR);
  require(true, "it cannot be closed");
}

}  // namespace awele
