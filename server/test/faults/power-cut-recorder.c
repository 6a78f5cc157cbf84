/*
 * Preloaded into a process, records in their order: every write, truncation, flush, creation and
 * deletion of a database, its write-ahead log and their folder, and every acknowledgement. The
 * environment names the folder (RECORDED_FOLDER) and the record (RECORD). power-cut-record.ts reads it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

struct __attribute__((packed)) event {
  char kind; /* Write, Truncate, Begin and End of a flush, Create, Unlink */
  char file; /* Database, Log, Folder, Acknowledgements */
  char call; /* of a flush: 'd' for fdatasync, 'f' for fsync */
  uint32_t thread;
  uint64_t offset; /* of a truncation: the size */
  uint32_t length; /* of the data that follow */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int out = -2;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static char kind_of(const char *path) {
  static const char *folder;
  static size_t length;
  if (folder == NULL) {
    folder = getenv("RECORDED_FOLDER") ?: "";
    length = strlen(folder);
  }
  if (length == 0 || strncmp(path, folder, length) != 0) return 0;
  const char *rest = path + length;
  if (strcmp(rest, "") == 0) return 'F';
  if (strcmp(rest, "/parley.sqlite") == 0) return 'D';
  if (strcmp(rest, "/parley.sqlite-wal") == 0) return 'L';
  if (strcmp(rest, "/acknowledged") == 0) return 'A';
  return 0;
}

static char kind_of_fd(int fd) {
  char link[64], path[PATH_MAX];
  char digits[16];
  int at = 0;
  unsigned n = (unsigned)fd;
  do digits[at++] = (char)('0' + n % 10); while ((n /= 10) > 0);
  strcpy(link, "/proc/self/fd/");
  size_t end = strlen(link);
  while (at > 0) link[end++] = digits[--at];
  link[end] = 0;
  ssize_t got = readlink(link, path, sizeof path - 1);
  if (got < 0) return 0;
  path[got] = 0;
  return kind_of(path);
}

/* The caller holds the lock, except for the two events of a flush. */
static void record(char kind, char file, char call, uint64_t offset, const void *data, size_t length) {
  static ssize_t (*write_)(int, const void *, size_t);
  if (write_ == NULL) write_ = real("write");
  if (out == -2) {
    int (*open_)(const char *, int, ...) = real("open64");
    const char *path = getenv("RECORD");
    out = path == NULL ? -1 : open_(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  if (out < 0) return;
  struct event event = {kind, file, call, (uint32_t)gettid(), offset, (uint32_t)length};
  char *whole = malloc(sizeof event + length);
  memcpy(whole, &event, sizeof event);
  if (length > 0) memcpy(whole + sizeof event, data, length);
  if (write_(out, whole, sizeof event + length) < 0) abort();
  free(whole);
}

static void record_locked(char kind, char file, char call, uint64_t offset) {
  pthread_mutex_lock(&lock);
  record(kind, file, call, offset, NULL, 0);
  pthread_mutex_unlock(&lock);
}

static ssize_t positioned(const char *name, int fd, const void *data, size_t length, off64_t offset) {
  ssize_t (*call)(int, const void *, size_t, off64_t) = real(name);
  char file = kind_of_fd(fd);
  if (file == 0) return call(fd, data, length, offset);
  pthread_mutex_lock(&lock);
  ssize_t written = call(fd, data, length, offset);
  if (written > 0) record('W', file, 0, (uint64_t)offset, data, (size_t)written);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  return positioned("pwrite64", fd, data, length, offset);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  return positioned("pwrite", fd, data, length, offset);
}

ssize_t write(int fd, const void *data, size_t length) {
  static ssize_t (*call)(int, const void *, size_t);
  if (call == NULL) call = real("write");
  char file = kind_of_fd(fd);
  if (file == 0) return call(fd, data, length);
  pthread_mutex_lock(&lock);
  off64_t offset = lseek64(fd, 0, SEEK_CUR);
  ssize_t written = call(fd, data, length);
  if (written > 0) record('W', file, 0, (uint64_t)offset, data, (size_t)written);
  pthread_mutex_unlock(&lock);
  return written;
}

static int truncated(const char *name, int fd, off64_t size) {
  int (*call)(int, off64_t) = real(name);
  char file = kind_of_fd(fd);
  if (file == 0) return call(fd, size);
  pthread_mutex_lock(&lock);
  int result = call(fd, size);
  if (result == 0) record('T', file, 0, (uint64_t)size, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate64(int fd, off64_t size) { return truncated("ftruncate64", fd, size); }
int ftruncate(int fd, off_t size) { return truncated("ftruncate", fd, size); }

/* Writes of other threads may run during a flush: they may miss it. */
static int flushed(const char *name, int fd) {
  int (*call)(int) = real(name);
  char file = kind_of_fd(fd);
  if (file == 0) return call(fd);
  record_locked('B', file, name[1], 0);
  int result = call(fd);
  if (result == 0) record_locked('E', file, name[1], 0);
  return result;
}

int fsync(int fd) { return flushed("fsync", fd); }
int fdatasync(int fd) { return flushed("fdatasync", fd); }

int unlink(const char *path) {
  int (*call)(const char *) = real("unlink");
  char file = kind_of(path);
  if (file == 0) return call(path);
  pthread_mutex_lock(&lock);
  int result = call(path);
  if (result == 0) record('U', file, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

static int opened(const char *name, const char *path, int flags, mode_t mode) {
  int (*call)(const char *, int, ...) = real(name);
  char file = (flags & O_CREAT) == 0 ? 0 : kind_of(path);
  if (file == 0) return call(path, flags, mode);
  pthread_mutex_lock(&lock);
  struct stat64 before;
  int is_new = stat64(path, &before) != 0;
  int fd = call(path, flags, mode);
  if (fd >= 0 && is_new) record('C', file, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return fd;
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & O_CREAT) == 0 ? 0 : va_arg(arguments, mode_t);
  va_end(arguments);
  return opened("open64", path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & O_CREAT) == 0 ? 0 : va_arg(arguments, mode_t);
  va_end(arguments);
  return opened("open", path, flags, mode);
}
