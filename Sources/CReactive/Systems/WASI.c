// Everything on WASI, where a program has one thread: it never waits, and its end is that of the process. It compiles;
// the Swift sources do not support WASI yet.
#if defined(__wasi__)
#include "../System.h"

#include <time.h>

void reactive_mutex_lock(reactive_mutex *mutex) { (void)mutex; }
void reactive_mutex_unlock(reactive_mutex *mutex) { (void)mutex; }

void reactive_yield(void) {}
void reactive_nap(void) {}

uint64_t reactive_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void reactive_note_end_of_thread(void) {}

void reactive_park(reactive_graph *graph, uint64_t word) { (void)graph, (void)word; }

bool reactive_wake_parked(reactive_graph *graph) {
    (void)graph;
    return false;
}

/// The engine has a stack of its own for calls, which it watches, and no function returns its limit.
bool reactive_find_stack(uintptr_t *lowest, size_t *size) {
    (void)lowest, (void)size;
    return false;
}

#endif
