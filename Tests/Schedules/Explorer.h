// An explorer of schedules: it runs a program with threads again and again, and decides at every point where a thread
// could be interrupted which one continues.
//
// A *program* is a few functions, one for each thread, with a function that prepares the memory and one that checks the
// result. Its threads are real ones, since the library uses thread-local memory, but only one of them runs at a time. A
// thread stops at each *point*: an atomic access, a fence, a mutex, a system call that sleeps, wakes or passes a
// barrier. There it says what it is about to do, and the explorer chooses. Between two points nothing is interrupted.
//
// The decisions are the schedule. It is written as letters: `a3Ab` says that the first thread passes three points, its
// oldest delayed store becomes visible, and the second thread passes one.
//
//     Execution.c   the threads, and what each operation does to memory; delayed stores
//     Strategy.c    which schedules are tried: all of them, those with few changes of threads, or random ones
//     System.c      the functions of the operating system that the library uses
#ifndef EXPLORER_H
#define EXPLORER_H

#include "Explored.h"

enum { EXPLORER_MOST_THREADS = 4 };

typedef struct {
    const char *name;
    int threads;
    /// Sets up the memory, on a thread that is not explored. The same each time.
    void (*prepare)(void);
    /// The body of a thread.
    void (*run)(int thread);
    /// Checks the result, on a thread that is not explored.
    void (*check)(void);
} explorer_program;

typedef enum {
    /// Every schedule, up to the order of operations that do not affect one another.
    EXPLORER_ALL,
    /// Every schedule that interrupts a thread at most `bound` times where it could continue.
    EXPLORER_BOUNDED,
    /// Random schedules.
    EXPLORER_RANDOM,
    /// One given schedule, which is printed operation by operation.
    EXPLORER_REPLAY,
} explorer_mode;

typedef struct {
    explorer_mode mode;
    /// Whether stores may become visible later than the thread's next loads. If not, memory is sequentially consistent.
    bool delays_stores;
    /// Whether a load is a point only if its location has a name. For programs that load much that never changes. A
    /// location that has been changed must not be loaded without a name.
    bool skips_unnamed;
    int bound;
    uint64_t seed;
    /// The number of random schedules, or the most that are tried.
    uint64_t limit;
    const char *schedule;
} explorer_options;

typedef struct {
    uint64_t schedules;
    /// Those that were given up, because all that they would have shown had been seen.
    uint64_t cut;
    int longest;
    /// Whether the limit was reached first.
    bool is_incomplete;
} explorer_result;

/// Explores a program. If a check fails or all threads wait, it prints the schedule and ends the process.
explorer_result explorer_run(const explorer_program *program, explorer_options options);

/// Reports a false claim, with the schedule that led to it, and ends the process with status 1.
void explorer_fail(const char *claim) __attribute__((noreturn));

#define EXPLORER_CHECK(condition, claim) \
    do { \
        if (!(condition)) explorer_fail(claim); \
    } while (0)

/// Names a location, for printed schedules and `skips_unnamed`. For `prepare`.
void explorer_name(const volatile void *address, const char *name);

/// Names the variables of the library that its inline functions use; in System.c.
void explored_name_variables(void);

/// Chooses the deliberate fault that the library runs with. The name is kept.
void explorer_set_fault(const char *name);

/// The seed of the present random schedule, for programs that are random too: with it, and a count of 1, the same
/// schedule is tried again.
uint64_t explorer_seed(void);

/// The number of the explored thread that runs, or -1.
int explorer_thread(void);

/// A point at which nothing happens: code that takes its time.
void explored_pass(void);

// MARK: - For System.c

/// Makes the stores of all other threads visible, one thread after the other: `membarrier`.
void explored_fence_others(void);
/// Sleeps until woken, unless the lower half of the word has changed: `FUTEX_WAIT`.
void explored_park(const volatile uint64_t *word, uint64_t expected);
/// Wakes the thread that has slept the longest; returns whether there was one: `FUTEX_WAKE`.
bool explored_wake(const volatile uint64_t *word);
#endif
