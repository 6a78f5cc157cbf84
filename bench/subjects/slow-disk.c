/* Preloaded into a server, it makes each flush take FLUSH_DELAY_MS longer, like a network disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int flushed(const char *name, int file)
{
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char *delay = getenv("FLUSH_DELAY_MS");
  struct timespec time = {0, (delay == NULL ? 0 : atol(delay)) * 1000000L};
  int result = flush(file);
  nanosleep(&time, NULL);
  return result;
}

int fsync(int file) { return flushed("fsync", file); }

int fdatasync(int file) { return flushed("fdatasync", file); }
