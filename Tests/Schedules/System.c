// The functions of the operating system that the library needs (Sources/CReactive/System.h), for explored threads.
#include "Explorer.h"
#include "Lock.h"

/// Set by a program once it would be killed for calling `membarrier`.
extern bool explored_forbids_barriers;
bool explored_forbids_barriers;

void reactive_mutex_lock(reactive_mutex *mutex) { explored_lock(mutex); }
void reactive_mutex_unlock(reactive_mutex *mutex) { explored_unlock(mutex); }

void reactive_yield(void) { explored_wait_for_change(); }
void reactive_nap(void) { explored_wait_for_change(); }

uint64_t reactive_now(void) {
    static uint64_t now;
    return now += 1000;
}

// Explored threads never end.
void reactive_note_end_of_thread(void) {}

// Explored programs do not fork.
void reactive_note_forks(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
    (void)before, (void)in_parent, (void)in_child;
}

void reactive_park(reactive_graph *graph, uint64_t word) { explored_park(&graph->lock, word); }
bool reactive_wake_parked(reactive_graph *graph) { return explored_wake(&graph->lock); }

bool reactive_register_for_barriers(void) { return true; }

bool reactive_call_barrier(void) {
    EXPLORER_CHECK(!__atomic_load_n(&explored_forbids_barriers, __ATOMIC_SEQ_CST), "membarrier is called in a sandbox");
    explored_fence_others();
    return true;
}

bool reactive_find_stack(uintptr_t *lowest, size_t *size) {
    pthread_attr_t attributes;
    void *address = NULL;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    bool is_known = pthread_attr_getstack(&attributes, &address, size) == 0;
    pthread_attr_destroy(&attributes);
    *lowest = (uintptr_t)address;
    return is_known;
}

void explored_name_variables(void) {
    explorer_name(&reactive_recordings, "recordings");
    explorer_name(&reactive_plain_graph, "plain graph");
    explorer_name(&reactive_default_graph_state.lock, "default lock");
    explorer_name(&reactive_default_graph_state.waiters, "default waiters");
    explorer_name(&reactive_registry, "registry");
}

// Explored programs do not recurse deeply.
void *reactive_map_stack(size_t size) {
    (void)size;
    return NULL;
}
void reactive_unmap_stack(void *stack, size_t size) { (void)stack, (void)size; }
