#include "awele/store/read_errors.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace awele {

namespace {

const char* remedy_for(int error) {
  switch (error) {
    case EMFILE:
      return "this process has reached its limit of open files; raise it (ulimit -n)";
    case ENFILE:
      return "the system has reached its limit of open files; end other programs, or try again later";
    case EACCES:
    case EPERM:
      return "ask its owner for read permission (for directories also the x permission)";
    case EAGAIN:  // from a lock; EWOULDBLOCK is the same
      return "another program has it open for writing; try again when that has ended, or, on file systems "
             "that "
             "only seem locked (NFS, Lustre), with HDF5_USE_FILE_LOCKING=FALSE in the environment";
    case ENOLCK:
    case ENOSYS:
    case EOPNOTSUPP:
      return "its file system has no locks; try again with HDF5_USE_FILE_LOCKING=FALSE in the environment";
    case ENOENT:
      return "it has just been removed, or is a link that leads nowhere";
    default:
      return "the file itself may be sound: try again, and if that does not help look at the disk or the "
             "file "
             "server";
  }
}

}  // namespace

void fail_damaged(const std::filesystem::path& path, const std::string& what, const std::string& remedy) {
  throw Error(fmt::format("{} is damaged: {}; {}", path.string(), what, remedy));
}

void fail_unreadable(const std::filesystem::path& path, int error) {
  if (error == ENOMEM) throw std::bad_alloc();
  throw Unreadable(
      fmt::format("{} cannot be read: {}; {}", path.string(), std::strerror(error), remedy_for(error)));
}

}  // namespace awele
