// The contended half of the graph's lock, and the question which executor is current.
//
// The lock is one word (see `reactive_graph.lock`). A thread that finds it held spins briefly, then registers in `waiters` and sleeps in
// the kernel until the word has changed. Whoever comes first gets the lock, whether it has waited or not; while one of those who wait
// is being woken, the others may take and release it many times without a system call.
//
// Who releases it stores the word and then looks at `waiters`; who waits registers and looks at the word. Each must not look before
// its own store is visible. On Linux only the waiter pays for that: `membarrier` makes every other thread of the process pass a full
// barrier, so the one that releases needs none. (Known as asymmetric Dekker synchronisation.) A kernel without it is found out at
// start, and then all goes through the slow functions here, with atomic read-modify-writes. One that had it at the start and refuses it
// later leaves no safe way to go on, and ends the program.
//
// For a thread that takes the lock again and again there is a way without any atomic operation: see Bias.c.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CReactive.h"
#include "Lock.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if __has_feature(thread_sanitizer)
#define INITIAL_LOCK REACTIVE_LOCK_OUT_OF_LINE
#else
// Not 0, which would be a sample: the first use of a graph says nothing.
#define INITIAL_LOCK REACTIVE_LOCK_VERSION
#endif

reactive_graph reactive_default_graph_state = { .lock = INITIAL_LOCK, .biased_to = &reactive_nobody, .epoch = 1 };

// MARK: - Graphs of their own

// Where the numbers of evaluations begin, so that those of different graphs do not meet for a long time: that is how a read of
// another graph's state is told from a repeated read of one's own.
static uint64_t last_first_evaluation = 0;

void reactive_graph_init(reactive_graph *graph) {
    *graph = (reactive_graph) {
        .evaluations = __atomic_add_fetch(&last_first_evaluation, UINT64_C(1) << 44, __ATOMIC_RELAXED),
        .lock = (__atomic_load_n(&reactive_default_graph_state.lock, __ATOMIC_RELAXED) & REACTIVE_LOCK_OUT_OF_LINE)
            | REACTIVE_LOCK_VERSION,
        .biased_to = &reactive_nobody,
        .epoch = 1,
        .references = 1,
    };
}

void reactive_graph_retain(reactive_graph *graph) { __atomic_fetch_add(&graph->references, 1, __ATOMIC_RELAXED); }

bool reactive_graph_release(reactive_graph *graph) {
    return __atomic_sub_fetch(&graph->references, 1, __ATOMIC_ACQ_REL) == 0;
}

// MARK: - Parking

bool reactive_has_barriers = false;

#if defined(__linux__)

static uint32_t *low_half(reactive_graph *graph) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (uint32_t *)&graph->lock;
#else
    return (uint32_t *)&graph->lock + 1;
#endif
}

static bool register_for_barriers(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

// Ahead of other constructors, which may use a graph.
__attribute__((constructor(101))) static void prepare_barriers(void) {
    reactive_has_barriers = register_for_barriers();
    if (!reactive_has_barriers) reactive_default_graph_state.lock |= REACTIVE_LOCK_OUT_OF_LINE;
}

void reactive_make_others_pass_barrier(void) {
    while (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        if (errno == ENOMEM || (errno == EPERM && register_for_barriers())) {
            sched_yield();
        } else {
            reactive_print_error("Reactive: the system call membarrier, which worked at the start, is refused now\n");
            abort();
        }
    }
}

/// Makes all other threads pass a full barrier, where the release of the lock relies on it.
static void pass_barrier(uint64_t word) {
    if (!(word & REACTIVE_LOCK_OUT_OF_LINE)) reactive_make_others_pass_barrier();
}

static void park(reactive_graph *graph, uint64_t word) {
    syscall(SYS_futex, low_half(graph), FUTEX_WAIT_PRIVATE, (uint32_t)word, NULL, NULL, 0);
}

/// Wakes a thread that is parked; returns whether there was one.
static bool wake_parked(reactive_graph *graph) {
    return syscall(SYS_futex, low_half(graph), FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) > 0;
}

#else

static pthread_mutex_t parking = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unparked = PTHREAD_COND_INITIALIZER;
static unsigned parked = 0;

void reactive_make_others_pass_barrier(void) {}

static void pass_barrier(uint64_t word) { (void)word; }

static void park(reactive_graph *graph, uint64_t word) {
    pthread_mutex_lock(&parking);
    parked += 1;
    if (__atomic_load_n(&graph->lock, __ATOMIC_RELAXED) == word) pthread_cond_wait(&unparked, &parking);
    parked -= 1;
    pthread_mutex_unlock(&parking);
}

// One condition serves every graph, so a release wakes all: whoever waits for another graph goes back to sleep.
static bool wake_parked(reactive_graph *graph) {
    pthread_mutex_lock(&parking);
    bool is_somebody = parked > 0;
    pthread_cond_broadcast(&unparked);
    pthread_mutex_unlock(&parking);
    return is_somebody;
}

#endif

// MARK: - Lock and unlock

/// How many pauses a thread spins before it sleeps, and the most between two looks at the lock. Long intervals let the holder do a
/// number of short operations in a row: each change of hands moves all of the graph's state from one processor to the other, which
/// takes longer than the operation (measured: two threads that write without a break get 5 times as much done).
static const uint32_t spin_limit = 2048;
static const uint32_t longest_interval = 64;

/// Takes back that somebody is being woken.
static void end_waking(reactive_graph *graph) { __atomic_fetch_and(&graph->waiters, ~UINT32_C(1), __ATOMIC_SEQ_CST); }

// The mark that somebody is being woken stays only if there was somebody: it takes it back. If not, whoever released the lock
// meanwhile may have relied on the mark, and somebody may have parked before that. Nobody has released it if the word is as it was.
void reactive_wake_one(reactive_graph *graph) {
    uint32_t waiters = __atomic_load_n(&graph->waiters, __ATOMIC_SEQ_CST);
    while (reactive_must_wake(waiters)) {
        uint64_t before = __atomic_load_n(&graph->lock, __ATOMIC_SEQ_CST);
        if (!__atomic_compare_exchange_n(&graph->waiters, &waiters, waiters | 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        if (wake_parked(graph)) return;
        end_waking(graph);
        pass_barrier(before);
        uint64_t word = __atomic_load_n(&graph->lock, __ATOMIC_SEQ_CST);
        if (word == before || (word & REACTIVE_LOCK_HELD)) return;
        waiters = __atomic_load_n(&graph->waiters, __ATOMIC_SEQ_CST);
    }
}

void reactive_lock_slow(reactive_graph *graph) {
    bool is_waiter = false;
    bool was_alone = reactive_is_sample(__atomic_load_n(&graph->lock, __ATOMIC_RELAXED));
    uint32_t spins = 0;
    uint32_t interval = 1;
    uint64_t word;
    for (;;) {
        word = __atomic_load_n(&graph->lock, __ATOMIC_SEQ_CST);
        if (word & (REACTIVE_LOCK_HELD | REACTIVE_LOCK_BIASED)) was_alone = false;
        if (word & REACTIVE_LOCK_BIASED) reactive_call_bias_off(graph);
        if (!(word & REACTIVE_LOCK_HELD)) {
            if (word & REACTIVE_LOCK_BIASED) reactive_await_end_of_bias(graph, word);
            uint64_t taken = (word | REACTIVE_LOCK_HELD) & ~REACTIVE_LOCK_BIASED;
            if (__atomic_compare_exchange_n(&graph->lock, &word, taken, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) break;
        } else if (spins < spin_limit) {
            for (uint32_t i = 0; i < interval; i++) reactive_pause();
            spins += interval;
            if (interval < longest_interval) interval *= 2;
        } else {
            if (!is_waiter) __atomic_fetch_add(&graph->waiters, 2, __ATOMIC_SEQ_CST);
            is_waiter = true;
            pass_barrier(word);
            word = __atomic_load_n(&graph->lock, __ATOMIC_SEQ_CST);
            if (word & REACTIVE_LOCK_HELD) {
                park(graph, word);
                end_waking(graph);
            }
            spins = 0;
        }
    }
    __atomic_thread_fence(__ATOMIC_RELEASE);
    reactive_consider_bias(graph, word, was_alone);
    if (is_waiter) {
        __atomic_fetch_sub(&graph->waiters, 2, __ATOMIC_SEQ_CST);
        end_waking(graph);
    }
}

void reactive_unlock_slow(reactive_graph *graph) {
    __atomic_fetch_add(&graph->lock, REACTIVE_LOCK_VERSION - REACTIVE_LOCK_HELD, __ATOMIC_SEQ_CST);
    reactive_wake_one(graph);
}

// MARK: - Executors

// `swift_task_isCurrentExecutorWithFlags` with no flags asks the runtime without letting it trap on "no".
#if defined(__APPLE__)
__attribute__((swiftcall, weak_import)) extern bool swift_task_isCurrentExecutorWithFlags(
    const void *identity, uintptr_t implementation, uintptr_t flags);
__attribute__((swiftcall)) extern bool swift_task_isMainExecutor(const void *identity, uintptr_t implementation);
#else
__attribute__((swiftcall)) extern bool swift_task_isCurrentExecutorWithFlags(
    const void *identity, uintptr_t implementation, uintptr_t flags);
#endif

bool reactive_is_current_executor(const void *identity, uintptr_t implementation) {
#if defined(__APPLE__)
    // Older systems: the main actor is the main thread there; for any other executor a hop is always right.
    if (!swift_task_isCurrentExecutorWithFlags)
        return swift_task_isMainExecutor(identity, implementation) && pthread_main_np();
#endif
    return swift_task_isCurrentExecutorWithFlags(identity, implementation, 0);
}
