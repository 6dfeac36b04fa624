// The system of a simulated world; see System.c.

#ifndef WORLD_SYSTEM_H
#define WORLD_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

/// The replacements of functions of the system. A file function returns what the system's function returns, and sets
/// `errno`.
struct world_system {
    int (*open)(const char *path, int flags, mode_t mode);
    int (*close)(int descriptor);
    /// Writes at an offset, or at the descriptor's own if the offset is negative.
    ssize_t (*write)(int descriptor, const void *bytes, size_t count, off_t offset);
    int (*truncate)(int descriptor, off_t count);
    int (*sync)(int descriptor);
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
    /// Calls `work` with the context later: a block of a dispatch queue, or a job of a task or an actor. A serial queue
    /// runs one at a time, in their order.
    void (*dispatch)(void *queue, bool is_serial, void *context, void (*work)(void *));
    void (*random)(void *bytes, size_t count);
    /// The nanoseconds since 1970.
    long (*time)(void);
};

/// Replaces functions of the system for the calling thread, until the end of the process.
void world_install(struct world_system system);

// The functions of the system itself, for the replacements. `world_write` continues after a signal.
int world_open(const char *path, int flags, mode_t mode);
int world_close(int descriptor);
ssize_t world_write(int descriptor, const void *bytes, size_t count, off_t offset);
int world_truncate(int descriptor, off_t count);
int world_rename(const char *from, const char *to);
int world_unlink(const char *path);

#endif
