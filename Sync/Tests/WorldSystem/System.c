// The system of a simulated world: files, threads, time and random numbers, as a program sees them.
//
// The dynamic linker resolves a name to its first definition, and the program itself comes first. So the functions
// below replace those of the C library and of Dispatch, also for Foundation and Swift itself. The library under
// test needs no seam for it, and no call that somebody adds to it later bypasses the simulation. The jobs of tasks and
// actors arrive as work of a dispatch queue, too.
//
// Only calls of the thread that has installed a system are replaced.

#define _GNU_SOURCE
#include "WorldSystem.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread bool is_installed;
static struct world_system installed;

/// Whether a descriptor reads `/dev/urandom`, which is where Swift's library gets its random numbers.
static bool is_random[1024];
#define RANDOM_COUNT 1024

/// Returns the definition of a function that the one in this file hides.
#define HIDDEN(name) ((__typeof__(&name))hidden(#name))

static void *hidden(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) __builtin_trap();
    return found;
}

#define CACHED(name) ({ static __typeof__(&name) cached; if (!cached) cached = HIDDEN(name); cached; })

// MARK: - Files

int world_open(const char *path, int flags, mode_t mode) { return CACHED(open)(path, flags, mode); }
int world_close(int descriptor) { return CACHED(close)(descriptor); }
int world_truncate(int descriptor, off_t count) { return CACHED(ftruncate)(descriptor, count); }
int world_rename(const char *from, const char *to) { return CACHED(rename)(from, to); }
int world_unlink(const char *path) { return CACHED(unlink)(path); }

ssize_t world_write(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (offset < 0) return CACHED(write)(descriptor, bytes, count);
    return CACHED(pwrite)(descriptor, bytes, count, offset);
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & (O_CREAT | __O_TMPFILE)) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    int descriptor = is_installed ? installed.open(path, flags, mode) : world_open(path, flags, mode);
    if (descriptor >= 0) is_random[descriptor % RANDOM_COUNT] = strcmp(path, "/dev/urandom") == 0;
    return descriptor;
}

int close(int descriptor) { return is_installed ? installed.close(descriptor) : world_close(descriptor); }

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (is_installed) return installed.write(descriptor, bytes, count, -1);
    return world_write(descriptor, bytes, count, -1);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (is_installed) return installed.write(descriptor, bytes, count, offset);
    return world_write(descriptor, bytes, count, offset);
}

int ftruncate(int descriptor, off_t count) {
    return is_installed ? installed.truncate(descriptor, count) : world_truncate(descriptor, count);
}

int fsync(int descriptor) { return is_installed ? installed.sync(descriptor) : CACHED(fsync)(descriptor); }

int fdatasync(int descriptor) { return is_installed ? installed.sync(descriptor) : CACHED(fdatasync)(descriptor); }

int rename(const char *from, const char *to) {
    return is_installed ? installed.rename(from, to) : world_rename(from, to);
}

int unlink(const char *path) { return is_installed ? installed.unlink(path) : world_unlink(path); }

// MARK: - Threads

// The runtime of blocks, which is a part of Dispatch.
extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);

/// The beginning of a block, according to Clang's document "Block Implementation Specification".
struct block {
    void *isa;
    int flags;
    int reserved;
    void (*invoke)(void *);
};

static void run_block(void *block) {
    ((struct block *)block)->invoke(block);
    _Block_release(block);
}

extern const char *dispatch_queue_get_label(void *queue);

/// Whether a queue is one that this program has created. The others are those of the system and of Swift's tasks.
static bool is_serial(void *queue) {
    const char *label = dispatch_queue_get_label(queue);
    return strncmp(label, "com.apple.", 10) != 0 && strncmp(label, "Swift ", 6) != 0;
}

void dispatch_async_f(void *queue, void *context, void (*work)(void *)) {
    if (is_installed) return installed.dispatch(queue, is_serial(queue), context, work);
    CACHED(dispatch_async_f)(queue, context, work);
}

void dispatch_async(void *queue, void *block) { dispatch_async_f(queue, _Block_copy(block), run_block); }

// MARK: - Time, random numbers and the process

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!is_installed) return CACHED(clock_gettime)(clock, time);
    long nanoseconds = installed.time();
    *time = (struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000};
    return 0;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    if (!is_installed || descriptor < 0 || !is_random[descriptor % RANDOM_COUNT]) {
        return CACHED(read)(descriptor, bytes, count);
    }
    installed.random(bytes, count);
    return (ssize_t)count;
}

long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long values[6];
    for (int index = 0; index < 6; index++) values[index] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_getrandom && is_installed) {
        installed.random((void *)values[0], (size_t)values[1]);
        return values[1];
    }
    return CACHED(syscall)(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

// The number of the process is in the contents of lock files.
pid_t getpid(void) { return is_installed ? 1 : CACHED(getpid)(); }

void world_install(struct world_system system) {
    installed = system;
    is_installed = true;
}
