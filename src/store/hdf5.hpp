// RAII for HDF5 identifiers. The only file that includes hdf5.h.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace awele {

/// Owns one identifier; closes it with `close_id`. A negative identifier is "none".
template <herr_t (*close_id)(hid_t)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() { reset(); }
  void reset() { static_cast<void>(close()); }
  /// False when HDF5 could not close it. It counts as closed nevertheless: HDF5 does not survive a second
  /// attempt.
  [[nodiscard]] bool close() {
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || close_id(id) >= 0;
  }
  bool valid() const { return id_ >= 0; }
  operator hid_t() const { return id_; }

 private:
  hid_t id_ = -1;
};

using File = Handle<H5Fclose>;
using Dataset = Handle<H5Dclose>;
using Dataspace = Handle<H5Sclose>;
using Datatype = Handle<H5Tclose>;
using Attribute = Handle<H5Aclose>;
using PropertyList = Handle<H5Pclose>;

/// Errors come back as return values and become awele::Error; HDF5's own printing is switched off once.
inline void quiet_hdf5() {
  static const bool done = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  (void)done;
}

/// The innermost description on HDF5's error stack, for the end of a message; empty when there is none.
std::string hdf5_reason();
/// The system's error number (ENOSPC, ...) on HDF5's error stack; 0 when there is none.
int hdf5_system_error();

}  // namespace awele
