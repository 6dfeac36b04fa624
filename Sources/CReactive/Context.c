// The thread's context, the end-of-list edge, memory, and where the thread's stack ends.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CReactive.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

reactive_edge reactive_no_edge = { NULL, &reactive_no_edge, NULL, NULL, NULL };

_Thread_local reactive_context reactive_thread = { .evaluation = UINT64_MAX, .stack_limit = UINTPTR_MAX };

// MARK: - Memory and messages

void *reactive_reallocate(void *memory, size_t size) {
    void *larger = realloc(memory, size);
    if (larger == NULL) {
        fprintf(stderr, "Reactive: out of memory (%zu bytes)\n", size);
        abort();
    }
    return larger;
}

void reactive_print_error(const char *line) { fputs(line, stderr); }

// MARK: - The end of a thread

static pthread_key_t context_key;
static pthread_once_t context_key_once = PTHREAD_ONCE_INIT;

// Other thread-local destructors may run after this one and start anew.
static void context_ends(void *context) {
    reactive_buffer *trash = &((reactive_context *)context)->trash;
    free(trash->base);
    *trash = (reactive_buffer) { NULL, 0, 0 };
}
static void make_context_key(void) { pthread_key_create(&context_key, context_ends); }

void reactive_context_will_allocate(void) {
    pthread_once(&context_key_once, make_context_key);
    pthread_setspecific(context_key, &reactive_thread);
}

// MARK: - The stack

/// Left over for whoever has to say that the stack is nearly used up, and for the user's frame in between.
static const uintptr_t stack_reserve = 64 * 1024;

uintptr_t reactive_find_stack_limit(void) {
    if (reactive_thread.stack_limit != UINTPTR_MAX) return reactive_thread.stack_limit;
    uintptr_t lowest = 0;
#if defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *address = NULL;
        size_t size = 0, guard = 0;
        if (pthread_attr_getstack(&attributes, &address, &size) == 0) lowest = (uintptr_t)address;
        // The guard pages of a thread's stack may lie inside the reported range.
        if (lowest != 0 && pthread_attr_getguardsize(&attributes, &guard) == 0) lowest += guard;
        pthread_attr_destroy(&attributes);
    }
#elif defined(__APPLE__)
    lowest = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - pthread_get_stacksize_np(pthread_self());
#endif
    // A platform that cannot tell gets no check: a limit of zero is below every address.
    reactive_thread.stack_limit = lowest == 0 ? 0 : lowest + stack_reserve;
    return reactive_thread.stack_limit;
}
