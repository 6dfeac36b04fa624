// All graphs of the process: their list, and the moments at which one thread holds them all.
//
// A graph of its own is in the list from `reactive_graph_init` to `reactive_graph_end`; the default graph always
// is.
//
// Holding all graphs cannot block threads for good: a thread never waits for a second graph while it holds one. For the
// same reason a thread that holds one already waits for no other here. The list's mutex is not held while a graph is
// waited for, since the thread that holds that graph may be about to create another; so the thread tries one after the
// other, and naps and begins again where one is in use.
//
// There are three such moments:
//
//  - `fork`. The child has only the thread that forked. What other threads held would be held forever, in the middle
//    of a change. So the thread holds all graphs meanwhile, and the child finds each of them between two operations. A
//    thread that forks inside a transaction continues with it in parent and child; a graph that it could not get is
//    *lost* in the child, where waiting for it ends the program.
//  - The end of the use of barriers: each graph's lock goes out of line, see Lock.c.
//  - The start and the end of a recording: each graph begins or ceases to record events.
#include "Lock.h"

#include <stdlib.h>

reactive_mutex reactive_registry = REACTIVE_MUTEX_INITIALIZER;

static reactive_graph *newest_graph = &reactive_default_graph_state;

// MARK: - Graphs of their own

// Where the numbers of evaluations begin, so that those of different graphs do not meet for a long time: that is how a
// read of another graph's state is distinguished from a repeated read of this graph's.
static uint64_t last_first_evaluation = 0;

void reactive_graph_init(reactive_graph *graph, void *owner) {
    *graph = (reactive_graph) {
        .evaluations = __atomic_add_fetch(&last_first_evaluation, UINT64_C(1) << 44, __ATOMIC_RELAXED),
        .biased_to = &reactive_nobody,
        .epoch = 1,
        .owner = owner,
    };
    reactive_mutex_lock(&reactive_registry);
    graph->lock = (__atomic_load_n(&reactive_default_graph_state.lock, __ATOMIC_RELAXED) & REACTIVE_LOCK_OUT_OF_LINE)
        | REACTIVE_LOCK_VERSION;
    graph->older = newest_graph;
    newest_graph->newer = graph;
    newest_graph = graph;
    reactive_mutex_unlock(&reactive_registry);
}

void reactive_graph_end(reactive_graph *graph) {
    reactive_mutex_lock(&reactive_registry);
    graph->older->newer = graph->newer;
    if (graph->newer) graph->newer->older = graph->older;
    else newest_graph = graph->older;
    reactive_mutex_unlock(&reactive_registry);
}

static uint64_t last_view_number = 0;

uint64_t reactive_next_view_number(void) { return __atomic_add_fetch(&last_view_number, 1, __ATOMIC_RELAXED); }

// MARK: - Holding all

/// The thread that has all graphs, or waits until it has them. Guarded by the registry.
static const reactive_context *holder = NULL;

/// Tries to take the lock of each graph that this thread does not hold. Returns whether it has them all.
static bool try_to_hold_all(void) {
    bool has_all = true;
    for (reactive_graph *graph = newest_graph; graph; graph = graph->older) {
        // No test sees this never hold: the attempt to lock the graph that this thread holds fails, and only then.
        if (graph == reactive_thread.graph) continue;
        if (graph->held_with_all_by == &reactive_thread || graph->is_lost) continue;
        if (reactive_try_lock(graph)) graph->held_with_all_by = &reactive_thread;
        else has_all = false;
    }
    return has_all;
}

/// Takes the lock of each graph, and the registry's mutex. A thread that holds a graph waits for no other, and may not
/// get them all.
static void hold_all(void) {
    reactive_mutex_lock(&reactive_registry);
    if (reactive_thread.graph) {
        try_to_hold_all();
        return;
    }
    for (;;) {
        // One thread at a time: no two wait for what the other one has.
        if (!holder) holder = &reactive_thread;
        if (holder == &reactive_thread && try_to_hold_all()) return;
        reactive_mutex_unlock(&reactive_registry);
        // No test sees this: it only saves attempts.
        reactive_nap();
        reactive_mutex_lock(&reactive_registry);
    }
}

static void release_all(void) {
    for (reactive_graph *graph = newest_graph; graph; graph = graph->older) {
        if (graph->held_with_all_by != &reactive_thread) continue;
        graph->held_with_all_by = NULL;
        reactive_unlock(graph);
    }
    if (holder == &reactive_thread) holder = NULL;
    reactive_mutex_unlock(&reactive_registry);
}

// MARK: - Recordings

reactive_joining reactive_recordings = NULL;
reactive_graph *reactive_plain_graph = &reactive_default_graph_state;

bool reactive_with_all_graphs(
    void (*body)(reactive_graph *graph, void *argument), void *argument) {
    bool has_all = true;
    hold_all();
    for (reactive_graph *graph = newest_graph; graph; graph = graph->older) {
        if (graph == reactive_thread.graph || graph->held_with_all_by == &reactive_thread) body(graph, argument);
        else if (!graph->is_lost) has_all = false;
    }
    release_all();
    return has_all;
}

bool reactive_is_held_with_all(const reactive_graph *graph) { return graph->held_with_all_by == &reactive_thread; }

// MARK: - Barriers

bool reactive_avoid_barriers(void) {
    if (reactive_thread.graph) return false;
    // No test sees this always hold: it only saves the same once more.
    if (reactive_has_barriers()) {
        hold_all();
        for (reactive_graph *graph = newest_graph; graph; graph = graph->older)
            __atomic_fetch_or(&graph->lock, REACTIVE_LOCK_OUT_OF_LINE, __ATOMIC_RELAXED);
        release_all();
    }
    reactive_end_barriers();
    return true;
}

// MARK: - Fork

#if !defined(_WIN32) && !defined(__wasi__)

static void before_fork(void) {
    hold_all();
#if !defined(__linux__)
    reactive_mutex_lock(&reactive_parking);
#endif
}

static void in_parent(void) {
#if !defined(__linux__)
    reactive_mutex_unlock(&reactive_parking);
#endif
    release_all();
}

static void in_child(void) {
    for (reactive_graph *graph = newest_graph; graph; graph = graph->older) {
        // The waiting threads do not exist in the child.
        graph->waiters = 0;
#if !defined(__linux__)
        graph->parked = 0;
#endif
        if (graph->held_with_all_by != &reactive_thread && graph != reactive_thread.graph) graph->is_lost = true;
    }
    // No test sees this always hold: this thread then ends to hold all, too.
    if (holder != &reactive_thread) holder = NULL;
    // No test sees this: another thread would have to be in the system call at the moment of the fork.
    reactive_forget_barrier_calls();
    in_parent();
}

#if defined(__linux__)
// Registered early, so that other handlers, which may use graphs, run around these.
__attribute__((constructor(102)))
#else
__attribute__((constructor))
#endif
static void prepare_for_forks(void) { reactive_note_forks(before_fork, in_parent, in_child); }

#endif

void reactive_stop_for_lost_graph(void) {
    reactive_print_error(
        "Reactive: the process was forked inside a transaction of one graph while another thread had a second graph "
        "locked, so the second graph stays locked in the child process. Fork outside transactions and tracked "
        "closures.\n");
    abort();
}
