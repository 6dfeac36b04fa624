// Mutexes, the end of a thread, and fork, for systems with POSIX threads.
#if defined(__linux__) || defined(__APPLE__)
#include "../System.h"

#include <sched.h>
#include <time.h>

void reactive_mutex_lock(reactive_mutex *mutex) { pthread_mutex_lock(mutex); }
void reactive_mutex_unlock(reactive_mutex *mutex) { pthread_mutex_unlock(mutex); }

void reactive_yield(void) { sched_yield(); }

void reactive_nap(void) {
    const struct timespec moment = { .tv_nsec = 50000 };
    nanosleep(&moment, NULL);
}

uint64_t reactive_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static pthread_key_t context_key;
static pthread_once_t context_key_once = PTHREAD_ONCE_INIT;

static void context_ends(void *context) {
    (void)context;
    reactive_context_ends();
}

static void make_context_key(void) { pthread_key_create(&context_key, context_ends); }

void reactive_note_end_of_thread(void) {
    pthread_once(&context_key_once, make_context_key);
    pthread_setspecific(context_key, &reactive_thread);
}

void reactive_note_forks(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
    pthread_atfork(before, in_parent, in_child);
}

#endif
