// The contended half of the graph's lock, and the question which executor is current.
//
// The lock is one word (see `reactive_graph.lock`): a thread that finds it held spins briefly, then sets the parked bit and sleeps
// in the kernel until a release wakes one sleeper. A woken thread takes the lock with the parked bit set, because others may still
// sleep: the only cost of being wrong is one needless wake-up.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CReactive.h"

#include <pthread.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if __has_feature(thread_sanitizer)
#define INITIAL_LOCK REACTIVE_LOCK_OUT_OF_LINE
#else
#define INITIAL_LOCK 0
#endif

reactive_graph reactive_default_graph_state = { .lock = INITIAL_LOCK, .epoch = 1 };

// MARK: - Parking

#if defined(__linux__)

static uint32_t *low_half(reactive_graph *graph) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (uint32_t *)&graph->lock;
#else
    return (uint32_t *)&graph->lock + 1;
#endif
}

static void park(reactive_graph *graph, uint64_t word) {
    syscall(SYS_futex, low_half(graph), FUTEX_WAIT_PRIVATE, (uint32_t)word, NULL, NULL, 0);
}

static void wake_one(reactive_graph *graph) { syscall(SYS_futex, low_half(graph), FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

#else

static pthread_mutex_t parking = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unparked = PTHREAD_COND_INITIALIZER;

static void park(reactive_graph *graph, uint64_t word) {
    pthread_mutex_lock(&parking);
    if (__atomic_load_n(&graph->lock, __ATOMIC_RELAXED) == word) pthread_cond_wait(&unparked, &parking);
    pthread_mutex_unlock(&parking);
}

// One condition serves every graph, so a release wakes all: whoever waits for another graph goes back to sleep.
static void wake_one(reactive_graph *graph) {
    (void)graph;
    pthread_mutex_lock(&parking);
    pthread_cond_broadcast(&unparked);
    pthread_mutex_unlock(&parking);
}

#endif

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// MARK: - Lock and unlock

void reactive_lock_slow(reactive_graph *graph) {
    uint64_t taken = REACTIVE_LOCK_HELD;
    for (int spins = 0;;) {
        uint64_t word = __atomic_load_n(&graph->lock, __ATOMIC_RELAXED);
        if (!(word & REACTIVE_LOCK_HELD)) {
            if (__atomic_compare_exchange_n(
                    &graph->lock, &word, word | taken, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
                return;
        } else if (spins < 100) {
            spins += 1;
            pause_briefly();
        } else if ((word & REACTIVE_LOCK_PARKED)
                   || __atomic_compare_exchange_n(
                       &graph->lock, &word, word | REACTIVE_LOCK_PARKED, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            park(graph, word | REACTIVE_LOCK_PARKED);
            taken = REACTIVE_LOCK_HELD | REACTIVE_LOCK_PARKED;
        }
    }
}

void reactive_unlock_slow(reactive_graph *graph) {
    uint64_t before =
        __atomic_fetch_add(&graph->lock, REACTIVE_LOCK_VERSION - REACTIVE_LOCK_HELD, __ATOMIC_RELEASE);
    if (before & REACTIVE_LOCK_PARKED) reactive_unpark(graph);
}

void reactive_unpark(reactive_graph *graph) {
    __atomic_fetch_and(&graph->lock, ~REACTIVE_LOCK_PARKED, __ATOMIC_RELAXED);
    wake_one(graph);
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
