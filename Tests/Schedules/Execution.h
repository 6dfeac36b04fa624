// What Execution.c and Strategy.c share: the operations of one execution.
#ifndef EXECUTION_H
#define EXECUTION_H

#include "Explorer.h"

// These files are not explored themselves.
#undef __atomic_load_n
#undef __atomic_store_n
#undef __atomic_compare_exchange_n
#undef __atomic_exchange_n
#undef __atomic_fetch_add
#undef __atomic_fetch_sub
#undef __atomic_fetch_and
#undef __atomic_fetch_or
#undef __atomic_add_fetch
#undef __atomic_thread_fence
#undef __atomic_signal_fence

enum {
    /// The threads, and for each thread a process that makes its delayed stores visible.
    MOST_PROCESSES = 2 * EXPLORER_MOST_THREADS,
    MOST_STEPS = 5000,
    MOST_DELAYED = 64,
    MOST_WATCHED = 16,
};

typedef enum {
    /// The beginning of a thread.
    OPERATION_START,
    OPERATION_LOAD,
    /// A store that is delayed.
    OPERATION_STORE,
    /// A store, or a change, that every thread sees from now on.
    OPERATION_CHANGE,
    OPERATION_FENCE,
    /// Another thread passes a fence.
    OPERATION_FENCE_OTHER,
    OPERATION_PARK,
    /// The end of a sleep.
    OPERATION_WOKEN,
    OPERATION_WAKE,
    OPERATION_LOCK,
    OPERATION_UNLOCK,
    /// The thread waits until memory that it has read has changed.
    OPERATION_WAIT,
    OPERATION_PASS,
    /// The oldest delayed store of a thread becomes visible.
    OPERATION_ARRIVAL,
    /// The thread has ended, or a thread's list of delayed stores is empty.
    OPERATION_NONE,
} operation_kind;

/// What a process is about to do, or has done.
typedef struct {
    operation_kind kind;
    volatile void *address;
    size_t size;
    explored_update update;
    uint64_t operand, expected;
    /// The value that was read.
    uint64_t result;
    /// `FENCE_OTHER`: the thread.
    int other;
    /// The step that made this one possible: the store of an arrival, the wake-up of a sleep, a change that was waited
    /// for. -1 if there is none.
    int enabled_by;
    /// What two operations may have in common: a word of memory, or the delayed stores of a thread. If one of them
    /// changes it, their order matters.
    struct { uintptr_t object; bool is_changed; } uses[2];
    int use_count;
} operation;

typedef uint32_t process_set;

/// The number of threads of the program. Process `thread_count + i` makes the delayed stores of thread `i` visible.
extern int thread_count;
extern explorer_options options;

/// The number of operations that have been executed.
extern int step_count;

/// The operation that a process is about to do.
extern operation pending[MOST_PROCESSES];

static inline process_set set_of(int process) { return 1u << process; }
static inline bool contains(process_set set, int process) { return (set & set_of(process)) != 0; }
/// The thread of a process.
static inline int thread_of(int process) { return process < thread_count ? process : process - thread_count; }
static inline int arrivals_of(int thread) { return thread_count + thread; }

/// The processes whose operation is possible.
process_set possible_processes(void);

/// Prints an operation.
void print_operation(int process, const operation *operation);

// MARK: - Strategy.c

/// Chooses the process that continues; -1 if the execution is over.
int choose_process(void);
/// Notes what the chosen process has done.
void note_operation(int process, const operation *operation);
/// Prepares the first execution.
void begin_strategy(void);
/// Prepares the next execution; returns false after the last.
bool next_execution(void);
/// Prints the schedule so far.
void print_schedule(void);
extern explorer_result result;

#endif
