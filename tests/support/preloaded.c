/* Preloaded into a process: moves its clock, and makes one folder read-only while files are open.
 *
 * PRELOADED names a file of 16 bytes that is mapped: the offset of the wall clock in seconds,
 * and whether writes to files below PRELOADED_FOLDER fail with EROFS, as on a network file
 * system that turns read-only. Monotonic clocks and sleeps stay as they are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

struct control {
  int64_t seconds;
  int64_t read_only;
};

static volatile struct control *control;
static const char *folder;

__attribute__((constructor)) static void attach(void) {
  const char *path = getenv("PRELOADED");
  folder = getenv("PRELOADED_FOLDER");
  if (!path || !folder) return;
  int file = open(path, O_RDONLY);
  if (file < 0) return;
  void *at = mmap(NULL, sizeof *control, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (at != MAP_FAILED) control = at;
}

static int64_t seconds(void) { return control ? control->seconds : 0; }

static int is_below(const char *path) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int refuses_path(const char *path) {
  if (!control || !control->read_only || !is_below(path)) return 0;
  errno = EROFS;
  return 1;
}

static int refuses_file(int file) {
  char link[64], path[PATH_MAX];
  if (!control || !control->read_only) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return refuses_path(path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CACHED(name) \
  static __typeof__(&name) next; \
  if (!next) next = NEXT(name)

int clock_gettime(clockid_t id, struct timespec *at) {
  CACHED(clock_gettime);
  int result = next(id, at);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
    at->tv_sec += seconds();
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  CACHED(gettimeofday);
  int result = next(at, zone);
  if (result == 0) at->tv_sec += seconds();
  return result;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    CACHED(name); \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
      va_list rest; \
      va_start(rest, flags); \
      mode = va_arg(rest, mode_t); \
      va_end(rest); \
    } \
    if (((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT)) && refuses_path(path)) return -1; \
    return next(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int at, const char *path, int flags, ...) { \
    CACHED(name); \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
      va_list rest; \
      va_start(rest, flags); \
      mode = va_arg(rest, mode_t); \
      va_end(rest); \
    } \
    if (((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT)) && refuses_path(path)) return -1; \
    return next(at, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *bytes, size_t count) {
  CACHED(write);
  return refuses_file(file) ? -1 : next(file, bytes, count);
}

#define PWRITE(name, offset_t) \
  ssize_t name(int file, const void *bytes, size_t count, offset_t offset) { \
    CACHED(name); \
    return refuses_file(file) ? -1 : next(file, bytes, count, offset); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, offset_t) \
  int name(int file, offset_t length) { \
    CACHED(name); \
    return refuses_file(file) ? -1 : next(file, length); \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int unlink(const char *path) {
  CACHED(unlink);
  return refuses_path(path) ? -1 : next(path);
}

int rename(const char *from, const char *to) {
  CACHED(rename);
  return refuses_path(to) ? -1 : next(from, to);
}

int mkdir(const char *path, mode_t mode);
int mkdir(const char *path, mode_t mode) {
  CACHED(mkdir);
  return refuses_path(path) ? -1 : next(path, mode);
}
