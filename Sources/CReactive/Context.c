// The thread's context and its end, the end-of-list edge, memory and messages.
#include "CReactive.h"
#include "Lock.h"

#include <stdio.h>
#include <stdlib.h>

reactive_edge reactive_no_edge = { .next_source = &reactive_no_edge };

reactive_evaluation reactive_no_evaluation;

_Thread_local reactive_context reactive_thread = { .tracking = &reactive_no_evaluation, .stack_limit = UINTPTR_MAX };

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

void reactive_context_will_allocate(void) { reactive_note_end_of_thread(); }

void reactive_context_ends(void) {
    if (reactive_thread.graph) {
        reactive_print_error(
            "Reactive: a thread ended (pthread_exit, pthread_cancel) inside a transaction, a computed or another "
            "closure that runs with the graph locked. Nobody could use the graph any more. Let the closure return or throw.\n");
        abort();
    }
    if (reactive_thread.settling) {
        reactive_print_error(
            "Reactive: a thread ended (pthread_exit, pthread_cancel) inside an effect or a clean-up. What it had still to "
            "run would be lost. Let the closure return.\n");
        abort();
    }
    reactive_buffer *trash = &reactive_thread.trash;
    free(trash->base);
    *trash = (reactive_buffer) { NULL, 0, 0 };
    reactive_give_up_presence();
    reactive_release_spare_stack();
}
