// Where the thread's stack ends, and how to go on when it is nearly used up.
//
// The first pull of a chain of derivations recurses through the users' closures. How deep that may go is promised in levels for a given
// stack; unoptimised code needs several times the stack for a level that optimised code does, so the promise is kept there by going on
// with further pieces of stack, on the same thread. Everything is nested strictly: a piece is left before it is given back.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CReactive.h"

#include <pthread.h>

/// Left over for whoever has to say that the stack is nearly used up, and for the user's frames in between.
static const uintptr_t stack_reserve = 64 * 1024;

/// What a level may use of the stack: 20,000 levels fit in 8 MB.
static const uintptr_t stack_for_level = 400;

/// The size of a further piece.
#if __has_feature(thread_sanitizer)
// The sanitizer writes down the calls in progress, with room for 65,536 of them on each stack, which are fewer than fit in 4 MB. So its
// pieces are small, and of a thread's own stack no more than as much is used.
static const size_t piece_size = 2 * 1024 * 1024;
#else
static const size_t piece_size = 4 * 1024 * 1024;
#endif

static _Thread_local uint32_t guaranteed_levels;

uintptr_t reactive_find_stack_limit(void) {
    if (reactive_thread.stack_limit != UINTPTR_MAX) return reactive_thread.stack_limit;
    uintptr_t lowest = 0;
    size_t size = 0;
#if defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *address = NULL;
        size_t guard = 0;
        if (pthread_attr_getstack(&attributes, &address, &size) == 0) lowest = (uintptr_t)address;
        // The guard pages of a thread's stack may lie inside the reported range.
        if (lowest != 0 && pthread_attr_getguardsize(&attributes, &guard) == 0) lowest += guard;
        pthread_attr_destroy(&attributes);
#if __has_feature(thread_sanitizer)
        if (lowest != 0 && size > piece_size) lowest = (uintptr_t)address + size - piece_size;
#endif
    }
#elif defined(__APPLE__)
    size = pthread_get_stacksize_np(pthread_self());
    lowest = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - size;
#endif
    // A platform that cannot tell gets no check: a limit of zero is below every address.
    reactive_thread.stack_limit = lowest == 0 ? 0 : lowest + stack_reserve;
    guaranteed_levels = (uint32_t)(size / stack_for_level);
    return reactive_thread.stack_limit;
}

#if defined(__linux__) && defined(__GLIBC__)

#include <sys/mman.h>
#include <ucontext.h>

struct piece {
    void (*body)(void *);
    void *argument;
    ucontext_t before, inside;
    void *fiber_before, *fiber_inside;
};

// The thread sanitizer keeps a stack of its own and must be told of each change. What tells it must not be written down itself: it would be
// entered on one of the sanitizer's stacks, and left on another.
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#else
#define __tsan_get_current_fiber() NULL
#define __tsan_create_fiber(flags) NULL
#define __tsan_switch_to_fiber(fiber, flags)
#define __tsan_destroy_fiber(fiber)
#endif

static _Thread_local struct piece *entering;

__attribute__((disable_sanitizer_instrumentation)) static void run_piece(void) {
    struct piece *piece = entering;
    piece->body(piece->argument);
    __tsan_switch_to_fiber(piece->fiber_before, 0);
}

__attribute__((disable_sanitizer_instrumentation)) bool reactive_call_on_more_stack(
    uint32_t level, void (*body)(void *), void *argument) {
    if (level >= guaranteed_levels) return false;
    void *memory =
        mmap(NULL, piece_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return false;
    uintptr_t limit = reactive_thread.stack_limit;
    reactive_thread.stack_limit = (uintptr_t)memory + stack_reserve;

    struct piece piece = { .body = body, .argument = argument };
    getcontext(&piece.inside);
    piece.inside.uc_stack.ss_sp = memory;
    piece.inside.uc_stack.ss_size = piece_size;
    piece.inside.uc_link = &piece.before;
    makecontext(&piece.inside, run_piece, 0);
    entering = &piece;
    piece.fiber_before = __tsan_get_current_fiber();
    piece.fiber_inside = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(piece.fiber_inside, 0);
    swapcontext(&piece.before, &piece.inside);
    __tsan_destroy_fiber(piece.fiber_inside);

    reactive_thread.stack_limit = limit;
    munmap(memory, piece_size);
    return true;
}

#else

bool reactive_call_on_more_stack(uint32_t level, void (*body)(void *), void *argument) {
    (void)level, (void)body, (void)argument;
    return false;
}

#endif
