// The thread's context, the end-of-list edge, memory and messages.
#include "CReactive.h"
#include "Lock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

reactive_edge reactive_no_edge = { NULL, &reactive_no_edge, NULL, NULL, NULL };

_Thread_local reactive_context reactive_thread = { .stack_limit = UINTPTR_MAX };

// MARK: - Memory and messages

void *reactive_reallocate(void *memory, size_t size) {
    void *larger = realloc(memory, size);
    if (larger == NULL) {
        fprintf(stderr, "Reactive: out of memory (%zu bytes)\n", size);
        abort();
    }
    return larger;
}

void reactive_free(void *memory) { free(memory); }

void reactive_print_error(const char *line) { fputs(line, stderr); }

// MARK: - The end of a thread

static pthread_key_t context_key;
static pthread_once_t context_key_once = PTHREAD_ONCE_INIT;

// Other thread-local destructors may run after this one and start anew.
static void context_ends(void *context) {
    reactive_buffer *trash = &((reactive_context *)context)->trash;
    free(trash->base);
    *trash = (reactive_buffer) { NULL, 0, 0 };
    reactive_give_up_presence();
}
static void make_context_key(void) { pthread_key_create(&context_key, context_ends); }

void reactive_context_will_allocate(void) {
    pthread_once(&context_key_once, make_context_key);
    pthread_setspecific(context_key, &reactive_thread);
}
