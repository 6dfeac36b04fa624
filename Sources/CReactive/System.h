// The functions of the operating system that the library needs. Each system has one small file in the folder Systems:
//
//     POSIX.c      mutexes, the end of a thread, fork      Linux, Android, Apple's platforms
//     Linux.c      futex, membarrier, stacks               Linux with any libc, Android
//     Apple.c      stacks                                  Apple's platforms
//     Parking.c    waiting for a graph by a condition      Apple's platforms, Windows
//     Windows.c    mutexes, the end of a thread, stacks    Windows; compiles, the Swift sources do not support it yet
//     WASI.c       all of it, for a single thread          WASI; compiles, the Swift sources do not support it yet
//
// Thread-local variables are `_Thread_local` everywhere. A further system needs another such file, and no change
// elsewhere.
#ifndef REACTIVE_SYSTEM_H
#define REACTIVE_SYSTEM_H

#include "CReactive.h"

#if defined(__linux__) || defined(__APPLE__)
#include <pthread.h>
typedef pthread_mutex_t reactive_mutex;
#define REACTIVE_MUTEX_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#else
/// Windows: an `SRWLOCK`, whose header declares too much to be included here. WASI: unused.
typedef struct { void *_Nullable word; } reactive_mutex;
#define REACTIVE_MUTEX_INITIALIZER { NULL }
#endif

void reactive_mutex_lock(reactive_mutex *_Nonnull mutex);
void reactive_mutex_unlock(reactive_mutex *_Nonnull mutex);

// MARK: - Threads

/// Lets another thread run.
void reactive_yield(void);

/// Sleeps for about 50 µs.
void reactive_nap(void);

/// Calls `reactive_context_ends` when the current thread ends. May be called repeatedly.
void reactive_note_end_of_thread(void);

/// Releases the memory of the thread's context. Called by the system at the end of the thread; other thread-local
/// destructors may run later and start anew.
void reactive_context_ends(void);

/// Calls the three functions around each `fork`: before, and afterwards in the parent and in the child.
void reactive_note_forks(
    void (*_Nonnull before)(void), void (*_Nonnull in_parent)(void), void (*_Nonnull in_child)(void));

// MARK: - Waiting for a graph

/// Sleeps until the graph's lock is released, unless its word is no longer `word`. May return early.
void reactive_park(reactive_graph *_Nonnull graph, uint64_t word);

/// Wakes a thread that is parked at the graph; returns whether there was one.
bool reactive_wake_parked(reactive_graph *_Nonnull graph);

#if !defined(__linux__)
/// Guards the sleepers' counts.
extern reactive_mutex reactive_parking;
#endif

// MARK: - Barriers

/// Registers the process for barriers; returns false where there are none.
bool reactive_register_for_barriers(void);

/// Makes all other threads of the process pass a full barrier. Returns false if the system refuses.
bool reactive_call_barrier(void);

// MARK: - Stacks

/// Finds the lowest usable address of the current thread's stack, and its size. Returns false if there is no telling.
bool reactive_find_stack(uintptr_t *_Nonnull lowest, size_t *_Nonnull size);

/// Maps memory for a piece of stack, with an inaccessible region of the same size below it. Returns its lowest usable
/// address, or `NULL`.
void *_Nullable reactive_map_stack(size_t size);
void reactive_unmap_stack(void *_Nonnull stack, size_t size);

#endif
