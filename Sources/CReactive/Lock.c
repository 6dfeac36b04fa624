// The contended half of the graph's lock.
//
// The lock is one word (see `reactive_graph.lock`). A thread that finds it held spins briefly, then registers in
// `waiters` and sleeps in the kernel until the word has changed. The first thread to try gets the lock, whether it has
// waited or not; while one of those who wait is being woken, the others may take and release it many times without a
// system call.
//
// A thread that releases it stores the word and then reads `waiters`; a thread that waits registers and then reads the
// word. Neither may read before its own store is visible. On Linux only the waiter pays for that: `membarrier` makes
// every other thread of the process pass a full barrier, so the thread that releases the lock needs none. (Known as
// asymmetric Dekker synchronisation.)
//
// Where there is no such call, each word has the bit `OUT_OF_LINE`, and every lock and unlock uses the slow functions
// here, with atomic read-modify-writes. The kernel is asked at the start. The variable REACTIVE_NO_MEMBARRIER makes the
// same choice from the beginning, and `reactive_avoid_barriers` (Graphs.c) later. A kernel that refuses the call later,
// unannounced, makes it unsafe to continue: the program ends.
//
// The bit may be set while others look at the word, since a thread that holds the lock sets it. A thread that has found
// a word without it, has registered, and then finds that barriers have ended, sees the bit in its next look at the
// word: releases from then on are atomic, and those before are visible.
//
// For a thread that takes the lock again and again there is a form without any atomic operation: see Bias.c.
#include "Lock.h"

#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if __has_feature(thread_sanitizer)
#define INITIAL_LOCK REACTIVE_LOCK_OUT_OF_LINE
#else
// Not 0, which would be a sample: the first use of a graph means nothing.
#define INITIAL_LOCK REACTIVE_LOCK_VERSION
#endif

reactive_graph reactive_default_graph_state = { .lock = INITIAL_LOCK, .biased_to = &reactive_nobody, .epoch = 1 };

// MARK: - Barriers

static bool has_barriers = false;

bool reactive_has_barriers(void) { return __atomic_load_n(&has_barriers, __ATOMIC_RELAXED); }

#if defined(__linux__)

/// Threads that are in the system call, or about to be.
static uint32_t barrier_calls = 0;

// Ahead of other constructors, which may use a graph.
__attribute__((constructor(101))) static void prepare_barriers(void) {
    const char *refusal = getenv("REACTIVE_NO_MEMBARRIER");
    bool is_refused = refusal && refusal[0] != 0 && !(refusal[0] == '0' && refusal[1] == 0);
    has_barriers = !is_refused && reactive_register_for_barriers();
    // No test sees this: it takes a system without barriers, or a program that begins without them.
    if (!has_barriers) reactive_default_graph_state.lock |= REACTIVE_LOCK_OUT_OF_LINE;
}

void reactive_make_others_pass_barrier(void) {
    // Counted first: the thread that ends the use of barriers waits for those that have seen it enabled.
    __atomic_fetch_add(&barrier_calls, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&has_barriers, __ATOMIC_SEQ_CST) && !reactive_call_barrier()) {
        reactive_print_error(
            "Reactive: the system call membarrier, which worked at the start of the program, now fails. Call "
            "GraphLock.avoidMembarrier() before the program restricts its system calls, or start it with "
            "REACTIVE_NO_MEMBARRIER=1.\n");
        abort();
    }
    __atomic_fetch_sub(&barrier_calls, 1, __ATOMIC_SEQ_CST);
}

void reactive_end_barriers(void) {
    __atomic_store_n(&has_barriers, false, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&barrier_calls, __ATOMIC_SEQ_CST) != 0) reactive_yield();
}

void reactive_forget_barrier_calls(void) { barrier_calls = 0; }

#else

void reactive_make_others_pass_barrier(void) {}

void reactive_end_barriers(void) {}

void reactive_forget_barrier_calls(void) {}

#endif

/// Makes all other threads pass a full barrier, where the release of the lock relies on it.
static void pass_barrier(uint64_t word) {
    if (!(word & REACTIVE_LOCK_OUT_OF_LINE)) reactive_make_others_pass_barrier();
}

// MARK: - Lock and unlock

/// How many pauses a thread spins before it sleeps, and the most between two looks at the lock. Long intervals let the
/// holder do a number of short operations in a row: each change of hands moves all of the graph's state from one
/// processor to the other, which takes longer than the operation (measured: two threads that write without a break get
/// 5 times as much done).
static const uint32_t spin_limit = 2048;
static const uint32_t longest_interval = 64;

/// Removes the mark that a thread is being woken.
static void end_waking(reactive_graph *graph) { __atomic_fetch_and(&graph->waiters, ~UINT32_C(1), __ATOMIC_SEQ_CST); }

// The mark that a thread is being woken stays only if there was one, which removes it. If not, a thread that released
// the lock meanwhile may have relied on the mark, and a thread may have parked before that. If the word is unchanged,
// no thread has released the lock.
void reactive_wake_one(reactive_graph *graph) {
    uint32_t waiters = __atomic_load_n(&graph->waiters, __ATOMIC_SEQ_CST);
    while (reactive_must_wake(waiters)) {
        uint64_t before = __atomic_load_n(&graph->lock, __ATOMIC_SEQ_CST);
        if (!__atomic_compare_exchange_n(
                &graph->waiters, &waiters, waiters | 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        if (reactive_wake_parked(graph)) return;
        end_waking(graph);
        pass_barrier(before);
        uint64_t word = __atomic_load_n(&graph->lock, __ATOMIC_SEQ_CST);
        // No test sees this never hold: a thread that holds the lock wakes one when it releases it, too.
        if (word == before || (word & REACTIVE_LOCK_HELD)) return;
        // No test sees this left out: the exchange loads it as well, if it has changed.
        waiters = __atomic_load_n(&graph->waiters, __ATOMIC_SEQ_CST);
    }
}

/// Takes the lock, whose word was `word` and not held, unless it has changed since. Called after
/// `reactive_call_bias_off` if it was biased.
static bool take(reactive_graph *graph, uint64_t word) {
    if (word & REACTIVE_LOCK_BIASED) reactive_await_end_of_bias(graph, word);
    uint64_t taken = (word | REACTIVE_LOCK_HELD) & ~REACTIVE_LOCK_BIASED;
    return __atomic_compare_exchange_n(&graph->lock, &word, taken, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

bool reactive_try_lock(reactive_graph *graph) {
    for (;;) {
        uint64_t word = __atomic_load_n(&graph->lock, __ATOMIC_SEQ_CST);
        // No test sees this always hold: there is no other bias that it could end.
        if (word & REACTIVE_LOCK_BIASED) reactive_call_bias_off(graph);
        if (word & REACTIVE_LOCK_HELD) return false;
        if (take(graph, word)) break;
    }
    // No test sees this left out: it matters on processors that reorder writes.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return true;
}

void reactive_lock_slow(reactive_graph *graph) {
    bool is_waiter = false;
    bool was_alone = reactive_is_sample(__atomic_load_n(&graph->lock, __ATOMIC_RELAXED));
    uint32_t spins = 0;
    uint32_t interval = 1;
    uint64_t word;
    for (;;) {
        word = __atomic_load_n(&graph->lock, __ATOMIC_SEQ_CST);
        // No test sees this never hold: a graph that others use would only get its bias earlier.
        // No test sees this left out: as above.
        if (word & (REACTIVE_LOCK_HELD | REACTIVE_LOCK_BIASED)) was_alone = false;
        // No test sees this always hold: there is no other bias that it could end.
        if (word & REACTIVE_LOCK_BIASED) reactive_call_bias_off(graph);
        if (!(word & REACTIVE_LOCK_HELD)) {
            if (take(graph, word)) break;
        // No test sees this block: only how long a thread spins before it sleeps.
        } else if (spins < spin_limit) {
            for (uint32_t i = 0; i < interval; i++) reactive_pause();
            spins += interval;
            if (interval < longest_interval) interval *= 2;
        } else {
            if (graph->is_lost) reactive_stop_for_lost_graph();
            if (!is_waiter) __atomic_fetch_add(&graph->waiters, 2, __ATOMIC_SEQ_CST);
            is_waiter = true;
            pass_barrier(word);
            // No test sees this left out: the system looks at the word again before the thread sleeps.
            word = __atomic_load_n(&graph->lock, __ATOMIC_SEQ_CST);
            if (word & REACTIVE_LOCK_HELD) {
                reactive_park(graph, word);
                end_waking(graph);
            }
            // No test sees this left out: only how long a thread spins before it sleeps.
            spins = 0;
        }
    }
    // No test sees this left out: it matters on processors that reorder writes.
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
