/* Preloaded into a program: makes one call on files fail.
 *
 *   FAULT_DIR   only calls on files in this directory (an absolute path) count
 *   FAULT_RANK  only this rank of several has faults (default 0)
 *   FAULT_AT    the call that fails, counted from 1 in each process; 0: none
 *   FAULT_KIND  EIO, ENOSPC, EINTR, or SHORT: a write of less than was asked for, of at least one byte
 *   FAULT_ON    1: from then on (EINTR: every second call, since the call is made again); otherwise once
 *   FAULT_LOG   a file outside FAULT_DIR that gets a line a call: number, name of the call, path
 *
 * Calls that count: open, creat, fopen, write, pwrite, fsync, fdatasync, ftruncate, rename, unlink, remove,
 * rmdir, mkdir, link and their variants. A call that fails has no effect.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fault_error; /* 0: SHORT */
static long fault_at, calls;
static int fault_on, log_fd = -1;
static char fault_dir[PATH_MAX];
static size_t fault_dir_length;

static const char* variable(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value && *value ? value : otherwise;
}

__attribute__((constructor)) static void start(void) {
  const char *kind = variable("FAULT_KIND", "EIO"), *log = variable("FAULT_LOG", "");
  const char* rank = variable("OMPI_COMM_WORLD_RANK", variable("PMI_RANK", "0"));
  if (strcmp(rank, variable("FAULT_RANK", "0")) != 0) return;
  fault_error = strcmp(kind, "SHORT") == 0    ? 0
                : strcmp(kind, "EINTR") == 0  ? EINTR
                : strcmp(kind, "ENOSPC") == 0 ? ENOSPC
                                              : EIO;
  fault_at = atol(variable("FAULT_AT", "0"));
  fault_on = atoi(variable("FAULT_ON", "0"));
  if (*log) log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  strncpy(fault_dir, variable("FAULT_DIR", ""), sizeof fault_dir - 1);
  fault_dir_length = strlen(fault_dir);
}

static int inside(const char* path) {
  return fault_dir_length && strncmp(path, fault_dir, fault_dir_length) == 0 &&
         (path[fault_dir_length] == '/' || path[fault_dir_length] == '\0');
}

static const char* path_of(int fd, char path[PATH_MAX]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = '\0';
  return path;
}

/* Counts a call on a path; true when it is to fail. */
static int struck_path(const char* call, const char* path) {
  if (!inside(path)) return 0;
  const long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  if (log_fd >= 0) {
    char line[PATH_MAX + 64];
    const int length = snprintf(line, sizeof line, "%ld %s %s\n", number, call, path);
    syscall(SYS_write, log_fd, line, (size_t)length);
  }
  if (fault_at <= 0 || number < fault_at) return 0;
  if (number == fault_at) return 1;
  return fault_on && (fault_error != EINTR || (number - fault_at) % 2 == 0);
}
static int struck_fd(const char* call, int fd) {
  char path[PATH_MAX];
  return struck_path(call, path_of(fd, path));
}
static int struck_at(const char* call, int dir, const char* name) {
  char path[2 * PATH_MAX], base[PATH_MAX];
  if (name[0] == '/' || dir == AT_FDCWD) return struck_path(call, name);
  snprintf(path, sizeof path, "%s/%s", path_of(dir, base), name);
  return struck_path(call, path);
}

/* Of a call that cannot be short. */
static int fails(int struck) {
  if (!struck || fault_error == 0) return 0;
  errno = fault_error;
  return 1;
}

#define NEXT(result, name, parameters) \
  static result(*next) parameters;     \
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, name)

#define WRITE(name, parameters, arguments) \
  ssize_t name parameters {                \
    NEXT(ssize_t, #name, parameters);      \
    if (struck_fd(#name, fd)) {            \
      errno = fault_error;                 \
      if (fault_error) return -1;          \
      size = size > 1 ? size / 2 : size;   \
    }                                      \
    return next arguments;                 \
  }
WRITE(write, (int fd, const void* data, size_t size), (fd, data, size))
WRITE(pwrite, (int fd, const void* data, size_t size, off_t at), (fd, data, size, at))
WRITE(pwrite64, (int fd, const void* data, size_t size, off64_t at), (fd, data, size, at))

#define CALL(name, parameters, arguments, struck) \
  int name parameters {                           \
    NEXT(int, #name, parameters);                 \
    if (fails(struck)) return -1;                 \
    return next arguments;                        \
  }
CALL(fsync, (int fd), (fd), struck_fd("fsync", fd))
CALL(fdatasync, (int fd), (fd), struck_fd("fdatasync", fd))
CALL(ftruncate, (int fd, off_t size), (fd, size), struck_fd("ftruncate", fd))
CALL(ftruncate64, (int fd, off64_t size), (fd, size), struck_fd("ftruncate64", fd))
CALL(rename, (const char* from, const char* to), (from, to), struck_path("rename", from))
CALL(renameat, (int from_dir, const char* from, int to_dir, const char* to), (from_dir, from, to_dir, to),
     struck_at("renameat", from_dir, from))
CALL(unlink, (const char* path), (path), struck_path("unlink", path))
CALL(unlinkat, (int dir, const char* name, int flags), (dir, name, flags), struck_at("unlinkat", dir, name))
CALL(remove, (const char* path), (path), struck_path("remove", path))
CALL(rmdir, (const char* path), (path), struck_path("rmdir", path))
CALL(mkdir, (const char* path, mode_t mode), (path, mode), struck_path("mkdir", path))
CALL(link, (const char* from, const char* to), (from, to), struck_path("link", from))
CALL(linkat, (int from_dir, const char* from, int to_dir, const char* to, int flags),
     (from_dir, from, to_dir, to, flags), struck_at("linkat", from_dir, from))
CALL(creat, (const char* path, mode_t mode), (path, mode), struck_path("creat", path))

/* The mode is there when the flags say so; passing it on otherwise does no harm. */
#define OPEN(name, parameters, arguments, last, struck) \
  int name parameters {                                 \
    NEXT(int, #name, parameters);                       \
    va_list rest;                                       \
    va_start(rest, last);                               \
    const mode_t mode = va_arg(rest, mode_t);           \
    va_end(rest);                                       \
    if (fails(struck)) return -1;                       \
    return next arguments;                              \
  }
OPEN(open, (const char* path, int flags, ...), (path, flags, mode), flags, struck_path("open", path))
OPEN(open64, (const char* path, int flags, ...), (path, flags, mode), flags, struck_path("open64", path))
OPEN(openat, (int dir, const char* name, int flags, ...), (dir, name, flags, mode), flags,
     struck_at("openat", dir, name))
OPEN(openat64, (int dir, const char* name, int flags, ...), (dir, name, flags, mode), flags,
     struck_at("openat64", dir, name))

#define FOPEN(name)                                           \
  FILE* name(const char* path, const char* mode) {            \
    NEXT(FILE*, #name, (const char* path, const char* mode)); \
    if (fails(struck_path(#name, path))) return NULL;         \
    return next(path, mode);                                  \
  }
FOPEN(fopen)
FOPEN(fopen64)
