// The graph's lock without atomic operations, for the thread that always takes it.
//
// An atomic operation takes longer than the rest of a write without observers, and most graphs are locked by one
// thread, or by one for long. So a graph becomes *biased* to a thread that has locked it many times in a row, as far as
// samples tell. That thread then locks with plain stores (`reactive_lock_if_biased`):
//
//     the thread                                  another, which wants the lock
//     1. presence := this graph                   1. biased_to := none
//     2. is the graph still biased to me?         2. all threads pass a barrier (`membarrier`)
//     3. if so the word is mine: held, …          3. is the thread present? Then wait
//     4. presence := none; release the word       4. compare-and-swap the word of before: held, no longer biased
//
// Either the thread's first step is visible to the third of the other one, or its second comes after the other's first:
// so at most one of them continues. This is Dekker's algorithm with the barriers on one side, as in Dice, Moir and
// Scherer, "Quickly Reacquirable Locks" (2003). The swap succeeds only if no thread holds the lock, and none has
// released it meanwhile, since each release changes the word. (Other threads see that the lock is held before they see
// that the presence ends.)
//
// Tests/LockModel explores this protocol; a change here is a change there. Tests/Schedules explores this code.
//
// The presence is the thread's own, and no other thread ever writes it: a thread that was stopped between the steps 1
// and 2 can remove it whatever has happened to the graph meanwhile. For the same reason presences are reused and not
// freed.
//
// Withdrawing a bias interrupts all threads, and took 0.3 to 22 µs where the compare-and-swap took 10 ns. So a bias
// goes to a thread that seems to have locked the graph 2,048 times in a row. The number doubles with each withdrawal,
// up to 2 million. (Only one lock in 128 is sampled, so other threads may have locked the graph in between.) Threads
// that take turns pay for one withdrawal in as many locks.
#include "Lock.h"

#include <stdlib.h>

reactive_presence reactive_nobody = { NULL, NULL };

#if defined(__linux__)

/// How many samples (one in 128 times) must show the same thread before the first bias, and how often that is doubled
/// at most.
static const uint32_t first_streak = 16;
static const uint32_t most_doublings = 10;

// MARK: - Presences

/// Guarded by `reactive_registry`.
static reactive_presence *unused_presences = NULL;

/// A presence is written twice for each lock, so two of them must not share a cache line.
static reactive_presence *make_presence(void) {
    void *presence = NULL;
    // No test sees this block: memory would have to run out.
    if (posix_memalign(&presence, 128, 128) != 0) {
        reactive_print_error("Reactive: out of memory (128 bytes)\n");
        abort();
    }
    *(reactive_presence *)presence = reactive_nobody;
    return presence;
}

static reactive_presence *own_presence(void) {
    if (reactive_thread.presence) return reactive_thread.presence;
    reactive_mutex_lock(&reactive_registry);
    reactive_presence *presence = unused_presences;
    if (presence) unused_presences = presence->next_unused;
    reactive_mutex_unlock(&reactive_registry);
    if (!presence) presence = make_presence();
    reactive_thread.presence = presence;
    // No test sees this: the presences of threads that have ended would only stay in use.
    reactive_note_end_of_thread();
    return presence;
}

void reactive_give_up_presence(void) {
    reactive_presence *presence = reactive_thread.presence;
    if (!presence) return;
    reactive_thread.presence = NULL;
    reactive_mutex_lock(&reactive_registry);
    presence->next_unused = unused_presences;
    unused_presences = presence;
    reactive_mutex_unlock(&reactive_registry);
}

// MARK: - Giving and withdrawing

void reactive_call_bias_off(reactive_graph *graph) {
    // No test sees this: it only saves a store.
    if (__atomic_load_n(&graph->biased_to, __ATOMIC_RELAXED) != &reactive_nobody)
        __atomic_store_n(&graph->biased_to, &reactive_nobody, __ATOMIC_SEQ_CST);
}

void reactive_await_end_of_bias(reactive_graph *graph, uint64_t word) {
    reactive_presence *last = __atomic_load_n(&graph->last_biased_to, __ATOMIC_ACQUIRE);
    // No test sees this: this very thread is not inside, so it saves a barrier.
    if (last == reactive_thread.presence) return;
    reactive_make_others_pass_barrier();
    // A thread that is present now withdraws or holds the lock within a few instructions, unless it is interrupted
    // between them.
    for (uint32_t looks = 0;
         __atomic_load_n(&last->graph, __ATOMIC_ACQUIRE) == graph
         && __atomic_load_n(&graph->lock, __ATOMIC_RELAXED) == word; looks++) {
        // No test sees this: only how long it waits between two looks.
        if (looks < 64) reactive_pause();
        // No test sees this: as above.
        else if (looks < 72) reactive_yield();
        else reactive_nap();
    }
}

void reactive_consider_bias(reactive_graph *graph, uint64_t before, bool was_alone) {
    // Every word has the bit where barriers are not used.
    // No test sees this never hold: every lock comes here then, and most are no samples, which end each streak.
    if (before & REACTIVE_LOCK_OUT_OF_LINE) return;
    if (before & REACTIVE_LOCK_BIASED && graph->bias_withdrawals < most_doublings) graph->bias_withdrawals += 1;
    // No test sees this: a graph that others wait for would only get its bias earlier.
    was_alone = was_alone && __atomic_load_n(&graph->waiters, __ATOMIC_RELAXED) == 0;
    if (!was_alone || graph->regular != &reactive_thread) {
        graph->regular = &reactive_thread;
        graph->regular_streak = 0;
        return;
    }
    graph->regular_streak += 1;
    if (graph->regular_streak < first_streak << graph->bias_withdrawals) return;
    reactive_presence *own = own_presence();
    __atomic_store_n(&graph->last_biased_to, own, __ATOMIC_RELAXED);
    __atomic_store_n(&graph->biased_to, own, __ATOMIC_RELAXED);
    // Others see the bit once this thread releases the lock, if not before: it is inside until then.
    __atomic_store_n(&graph->lock, __atomic_load_n(&graph->lock, __ATOMIC_RELAXED) | REACTIVE_LOCK_BIASED, __ATOMIC_RELEASE);
}

#else

void reactive_call_bias_off(reactive_graph *graph) { (void)graph; }

void reactive_await_end_of_bias(reactive_graph *graph, uint64_t word) {
    (void)graph;
    (void)word;
}

void reactive_consider_bias(reactive_graph *graph, uint64_t before, bool was_alone) {
    (void)graph;
    (void)before;
    (void)was_alone;
}

void reactive_give_up_presence(void) {}

#endif
