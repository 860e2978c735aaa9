// An HDF5 file while it is written.
//
// HDF5 is not made for writes that fail: an object whose close failed is closed again at exit (which
// crashes), the file stays open inside the library, and some failures are not reported at all. So the library
// never hears of one. The file driver here keeps the system's first error and lets every later write pass as
// if it were done, the library closes in good order, and NewFile turns the error that was kept into an
// awele::Error.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "hdf5.hpp"

namespace awele {

/// Creates a file that must not exist yet (no symbolic link is followed) and removes it again unless keep()
/// is reached.
class NewFile {
 public:
  /// An Error when it cannot be created.
  explicit NewFile(const std::filesystem::path& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  operator hid_t() const { return file_; }
  /// An Error for `what` unless `ok`, what HDF5 said of it, and every write until now succeeded.
  void require(bool ok, const std::string& what) const;
  /// Completes the file and flushes it to disk. The objects in it must be closed. An Error when anything that
  /// was written until now did not reach the disk.
  void close();
  /// From now on the file stays.
  void keep() { kept_ = true; }

  struct State;  ///< shared with the file driver

 private:
  NewFile(std::filesystem::path path, int fd);

  std::filesystem::path path_;
  bool kept_ = false;
  std::shared_ptr<State> state_;
  File file_;
};

}  // namespace awele
