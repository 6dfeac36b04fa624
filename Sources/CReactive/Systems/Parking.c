// Waiting for a graph by a mutex and a condition, where no system call waits on an address and reports whether
// a thread was woken.
//
// One condition serves every graph, so a wake-up wakes all: a thread that waits for another graph goes back to sleep.
// Each graph counts its own sleepers. A count of all would lose wake-ups: a release that finds only a sleeper of
// another graph would leave the mark that a thread is being woken, and no thread would remove it.
#if !defined(__linux__) && !defined(__wasi__)
#include "../System.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
static CONDITION_VARIABLE unparked = CONDITION_VARIABLE_INIT;
#define WAIT_FOR_CONDITION(mutex) SleepConditionVariableSRW(&unparked, (SRWLOCK *)(mutex), INFINITE, 0)
#define SIGNAL_CONDITION() WakeAllConditionVariable(&unparked)
#else
static pthread_cond_t unparked = PTHREAD_COND_INITIALIZER;
#define WAIT_FOR_CONDITION(mutex) pthread_cond_wait(&unparked, mutex)
#define SIGNAL_CONDITION() pthread_cond_broadcast(&unparked)
#endif

reactive_mutex reactive_parking = REACTIVE_MUTEX_INITIALIZER;

void reactive_park(reactive_graph *graph, uint64_t word) {
    reactive_mutex_lock(&reactive_parking);
    graph->parked += 1;
    if (__atomic_load_n(&graph->lock, __ATOMIC_RELAXED) == word) WAIT_FOR_CONDITION(&reactive_parking);
    graph->parked -= 1;
    reactive_mutex_unlock(&reactive_parking);
}

bool reactive_wake_parked(reactive_graph *graph) {
    reactive_mutex_lock(&reactive_parking);
    bool is_somebody = graph->parked > 0;
    if (is_somebody) SIGNAL_CONDITION();
    reactive_mutex_unlock(&reactive_parking);
    return is_somebody;
}

#endif
