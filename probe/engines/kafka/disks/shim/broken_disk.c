/*
 * Library, loaded into a broker by LD_PRELOAD, that breaks or slows down a disk while the process runs.
 *
 * The environment variable BROKEN_DISK names a control file, which probe/engines/kafka/disks/control.py writes. The
 * file is mapped once, so a disk without a fault costs one read of memory per call. A rule hits everything at or below
 * its path. Paths must be absolute and free of links, as the kernel reports the paths of open files without links.
 *
 * Not covered: accesses to pages of mapped files, which are no calls (mapping, growing and renaming the files are).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 63, PATH_BYTES = 1000, LONGEST = 4096, SLICE_MS = 20 };
enum { READ = 1, WRITE = 2, SYNC = 4, GROW = 8, OPEN = 16, NAME = 32 };

struct slot {
    volatile uint32_t on;
    uint32_t error;      /* errno of the calls; 0 = they do not fail */
    uint32_t delay_ms;   /* delay before each call */
    uint32_t operations; /* kinds of calls: a sum of the numbers above */
    volatile uint64_t hits;
    char path[PATH_BYTES];
};

struct control {
    char magic[8];
    volatile uint32_t active; /* number of slots that are on; with 0, no slot is read */
    char unused[1012];
    struct slot slots[SLOTS];
};

_Static_assert(sizeof(struct slot) == 1024, "control.py writes slots of this size");
_Static_assert(sizeof(struct control) == 65536, "control.py writes a file of this size");

static struct control *control;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("BROKEN_DISK");
    if (name == NULL) {
        return;
    }
    int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    int file = real_open(name, O_RDWR | O_CLOEXEC);
    struct stat found;
    if (file < 0 || fstat(file, &found) != 0 || found.st_size < (off_t)sizeof(struct control)) {
        fprintf(stderr, "broken_disk: %s is not a control file; no disk will fail\n", name);
        return;
    }
    void *(*real_map)(void *, size_t, int, int, int, off64_t) =
        (void *(*)(void *, size_t, int, int, int, off64_t))dlsym(RTLD_NEXT, "mmap64");
    void *mapped = real_map(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED && memcmp(((struct control *)mapped)->magic, "BRKNDSK1", 8) == 0) {
        control = mapped;
    }
}

static int below(const char *path, const char *top) {
    size_t length = strnlen(top, PATH_BYTES);
    return length > 0 && strncmp(path, top, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Sleeps in slices, so that a delayed call goes on soon after the rule has ended. */
static void linger(const struct slot *slot) {
    for (uint32_t left = slot->delay_ms; left > 0 && slot->on;) {
        uint32_t now = left < SLICE_MS ? left : SLICE_MS;
        struct timespec nap = {0, (long)now * 1000000};
        nanosleep(&nap, NULL);
        left -= now;
    }
}

/* Returns the error that this call must fail with, or 0. */
static int fault_at(const char *path, uint32_t operation) {
    for (int index = 0; index < SLOTS; index++) {
        struct slot *slot = &control->slots[index];
        if (!slot->on || !(slot->operations & operation) || !below(path, slot->path)) {
            continue;
        }
        __sync_fetch_and_add(&slot->hits, 1);
        linger(slot);
        if (slot->error && slot->on) {
            return (int)slot->error;
        }
    }
    return 0;
}

static int fault_of(int file, uint32_t operation) {
    if (control == NULL || control->active == 0) {
        return 0;
    }
    int before = errno, fault = 0;
    struct stat found;
    char link[40], path[LONGEST];
    if (fstat(file, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length > 0) {
            path[length] = '\0';
            fault = fault_at(path, operation);
        }
    }
    errno = before;
    return fault;
}

static int fault_named(const char *path, uint32_t operation) {
    if (control == NULL || control->active == 0 || path == NULL || path[0] != '/') {
        return 0;
    }
    int before = errno, fault = fault_at(path, operation);
    errno = before;
    return fault;
}

/* Defines a wrapped call: it fails as the rule says, otherwise it calls the next library. */
#define AROUND(type, name, fault, parameters, arguments)                                                              \
    type name parameters {                                                                                            \
        static type(*next) parameters;                                                                                \
        if (next == NULL) {                                                                                           \
            next = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                                       \
        }                                                                                                             \
        int error = fault;                                                                                            \
        if (error != 0) {                                                                                             \
            errno = error;                                                                                            \
            return (type)-1;                                                                                          \
        }                                                                                                             \
        return next arguments;                                                                                        \
    }

#define ON(operation) fault_of(file, operation)

AROUND(ssize_t, read, ON(READ), (int file, void *data, size_t size), (file, data, size))
AROUND(ssize_t, readv, ON(READ), (int file, const struct iovec *parts, int count), (file, parts, count))
AROUND(ssize_t, pread, ON(READ), (int file, void *data, size_t size, off_t at), (file, data, size, at))
AROUND(ssize_t, pread64, ON(READ), (int file, void *data, size_t size, off64_t at), (file, data, size, at))
AROUND(ssize_t, preadv, ON(READ), (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at))
AROUND(ssize_t, preadv64, ON(READ), (int file, const struct iovec *parts, int count, off64_t at),
       (file, parts, count, at))
AROUND(ssize_t, sendfile, ON(READ), (int out, int file, off_t *at, size_t size), (out, file, at, size))
AROUND(ssize_t, sendfile64, ON(READ), (int out, int file, off64_t *at, size_t size), (out, file, at, size))
AROUND(ssize_t, write, ON(WRITE), (int file, const void *data, size_t size), (file, data, size))
AROUND(ssize_t, writev, ON(WRITE), (int file, const struct iovec *parts, int count), (file, parts, count))
AROUND(ssize_t, pwrite, ON(WRITE), (int file, const void *data, size_t size, off_t at), (file, data, size, at))
AROUND(ssize_t, pwrite64, ON(WRITE), (int file, const void *data, size_t size, off64_t at), (file, data, size, at))
AROUND(ssize_t, pwritev, ON(WRITE), (int file, const struct iovec *parts, int count, off_t at),
       (file, parts, count, at))
AROUND(ssize_t, pwritev64, ON(WRITE), (int file, const struct iovec *parts, int count, off64_t at),
       (file, parts, count, at))
AROUND(int, fsync, ON(SYNC), (int file), (file))
AROUND(int, fdatasync, ON(SYNC), (int file), (file))
AROUND(int, ftruncate, ON(GROW), (int file, off_t size), (file, size))
AROUND(int, ftruncate64, ON(GROW), (int file, off64_t size), (file, size))
AROUND(int, fallocate, ON(GROW), (int file, int mode, off_t at, off_t size), (file, mode, at, size))
AROUND(int, fallocate64, ON(GROW), (int file, int mode, off64_t at, off64_t size), (file, mode, at, size))
AROUND(int, rename, fault_named(from, NAME), (const char *from, const char *to), (from, to))
AROUND(int, unlink, fault_named(path, NAME), (const char *path), (path))
AROUND(int, mkdir, fault_named(path, NAME), (const char *path, mode_t mode), (path, mode))

/* A failed mapping returns MAP_FAILED, which is -1. */
AROUND(void *, mmap64, file < 0 ? 0 : ON(READ),
       (void *where, size_t size, int protection, int flags, int file, off64_t at),
       (where, size, protection, flags, file, at))

#define OPENS(flags) (((flags) & (O_ACCMODE | O_CREAT)) != O_RDONLY ? OPEN : 0)
#define CREATES(flags) ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE)

/* Creating an existing file exclusively fails with EEXIST even on a dead disk: the kernel has the name in memory. */
static int there_already(const char *path, int flags) {
    int before = errno;
    int found = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) && path != NULL && access(path, F_OK) == 0;
    errno = before;
    return found;
}

/* The mode is an argument only if a file may be created. */
#define AROUND_OPEN(name, first, rest)                                                                                \
    int name(first const char *path, int flags, ...) {                                                                \
        static int (*next)(first const char *, int, ...);                                                             \
        if (next == NULL) {                                                                                           \
            next = (int (*)(first const char *, int, ...))dlsym(RTLD_NEXT, #name);                                    \
        }                                                                                                             \
        va_list more;                                                                                                 \
        va_start(more, flags);                                                                                        \
        mode_t mode = CREATES(flags) ? va_arg(more, mode_t) : 0;                                                      \
        va_end(more);                                                                                                 \
        int error = there_already(path, flags) ? 0 : fault_named(path, OPENS(flags));                                 \
        if (error != 0) {                                                                                             \
            errno = error;                                                                                            \
            return -1;                                                                                                \
        }                                                                                                             \
        return next(rest path, flags, mode);                                                                          \
    }

#define IN_FOLDER int folder,
#define FOLDER folder,

AROUND_OPEN(open, , )
AROUND_OPEN(open64, , )
AROUND_OPEN(openat, IN_FOLDER, FOLDER)
AROUND_OPEN(openat64, IN_FOLDER, FOLDER)
