// The thread's context and its end, the end-of-list edge, memory and messages.
#include "CReactive.h"
#include "Lock.h"

#include <stdio.h>
#include <stdlib.h>

reactive_edge reactive_no_edge = { .next_source = &reactive_no_edge };

reactive_evaluation reactive_no_evaluation;
reactive_evaluation reactive_outside;
reactive_evaluation reactive_elsewhere;

_Thread_local reactive_context reactive_thread = { .tracking = &reactive_outside, .stack_limit = UINTPTR_MAX };

// MARK: - Reads outside the library's closures

static reactive_reader_maker maker_of_readers;
static reactive_noted_threads noted_threads;
static reactive_context *main_thread;

void reactive_note_reads(reactive_noted_threads threads, reactive_reader_maker maker) {
    __atomic_store_n(&maker_of_readers, maker, __ATOMIC_RELAXED);
    // No test sees this always hold: the main thread is looked at only where its reads alone are noted.
    if (threads == REACTIVE_NOTED_MAIN) {
        __atomic_store_n(&main_thread, &reactive_thread, __ATOMIC_RELAXED);
        if (reactive_thread.tracking == &reactive_elsewhere) reactive_thread.tracking = &reactive_outside;
    }
    __atomic_store_n(&noted_threads, threads, __ATOMIC_RELEASE);
    __atomic_store_n(&reactive_outside.number, threads == REACTIVE_NOTED_NONE ? 0 : REACTIVE_NOTED, __ATOMIC_RELEASE);
    __atomic_store_n(&reactive_elsewhere.number, threads == REACTIVE_NOTED_ALL ? REACTIVE_NOTED : 0, __ATOMIC_RELEASE);
}

void *reactive_make_reader(reactive_graph *graph) {
    return __atomic_load_n(&maker_of_readers, __ATOMIC_RELAXED)(graph);
}

bool reactive_notes_reads_here(void) {
    switch (__atomic_load_n(&noted_threads, __ATOMIC_ACQUIRE)) {
    case REACTIVE_NOTED_NONE: return false;
    case REACTIVE_NOTED_ALL: return true;
    case REACTIVE_NOTED_MAIN: break;
    }
    if (&reactive_thread == __atomic_load_n(&main_thread, __ATOMIC_RELAXED)) return true;
    if (reactive_thread.tracking == &reactive_outside) reactive_thread.tracking = &reactive_elsewhere;
    return false;
}

// MARK: - Memory and messages

void *reactive_reallocate(void *memory, size_t size) {
    void *larger = realloc(memory, size);
    // No test sees this block: memory would have to run out.
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
            "closure that runs with the graph locked. The graph would stay locked forever. Let the closure return or "
            "throw.\n");
        abort();
    }
    if (reactive_thread.flush) {
        reactive_print_error(
            "Reactive: a thread ended (pthread_exit, pthread_cancel) inside an effect or a cleanup. The work that is "
            "queued on the thread would be lost. Let the closure return.\n");
        abort();
    }
    reactive_buffer *deferred_releases = &reactive_thread.deferred_releases;
    free(deferred_releases->base);
    *deferred_releases = (reactive_buffer) { NULL, 0, 0 };
    reactive_give_up_presence();
    reactive_release_spare_stack();
}
