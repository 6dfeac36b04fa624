// Where the thread's stack ends, and how to continue when it is nearly used up.
//
// The first pull of a chain of derivations recurses through the users' closures. How deep that may go is promised in
// levels for a given stack; unoptimised code needs several times the stack for a level that optimised code does, so the
// promise is kept there by continuing on further pieces of stack, on the same thread. Everything is nested strictly, so
// a change of stacks is a call: it sets the stack pointer, calls, and sets it back. Debuggers and unwinders follow it
// as they follow a call.
//
//  - Below each piece lies an inaccessible region of the same size, since a single frame may be larger than a page.
//    Running over the end of a piece stops the program as it would on a thread's own stack.
//  - A thread keeps one piece that it has left, with the pages that it has used, as it keeps its own stack: a thread
//    with a small stack needs a piece for each evaluation, and a deep chain whose last node fits just so needs one for
//    each that it reads. The piece is unmapped when the thread ends.
//  - A stack whose end cannot be found counts as used up: evaluations run on pieces, whose ends are known.
#include "Lock.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/// Reserved for the code that reports that the stack is nearly used up, and for the user's frames in between.
static const uintptr_t stack_reserve = 64 * 1024;

/// The stack that one level may use: 20,000 levels fit in 8 MB.
static const uintptr_t stack_for_level = 400;

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define HAS_PIECES 1
#else
#define HAS_PIECES 0
#endif

#if HAS_PIECES
/// The size of a further piece.
#if __has_feature(thread_sanitizer)
// The sanitizer writes down the calls in progress, with room for 65,536 of them on each stack, which are fewer than fit
// in 4 MB. So its pieces are small, and of a thread's own stack no more than as much is used.
static const size_t piece_size = 2 * 1024 * 1024;
#else
static const size_t piece_size = 4 * 1024 * 1024;
#endif
#endif

static _Thread_local uint32_t guaranteed_levels;

uintptr_t reactive_find_stack_limit(void) {
    if (reactive_thread.stack_limit != UINTPTR_MAX) return reactive_thread.stack_limit;
    // From here on this thread evaluates: if it ends inside an evaluation, that is noticed.
    reactive_note_end_of_thread();
    uintptr_t lowest = 0;
    size_t size = 0;
    // No test sees this always hold: only a system without /proc may not find it.
    if (reactive_find_stack(&lowest, &size)) {
#if HAS_PIECES && __has_feature(thread_sanitizer)
        if (size > piece_size) lowest += size - piece_size;
#endif
        reactive_thread.stack_limit = lowest + stack_reserve;
    } else {
        // Without pieces there is no check: a limit of zero is below every address.
        // No test sees this: as above.
        size = 8 * 1024 * 1024;
        // No test sees this: as above.
        reactive_thread.stack_limit = HAS_PIECES ? UINTPTR_MAX - 1 : 0;
    }
    guaranteed_levels = (uint32_t)(size / stack_for_level);
    return reactive_thread.stack_limit;
}

#if HAS_PIECES

// MARK: - Levels

/// The evaluation whose level was asked for last, and that level: an evaluation near the end of a stack asks for each
/// that it begins.
static _Thread_local struct {
    const reactive_evaluation *evaluation;
    uint64_t number;
    uint32_t level;
} counted;

/// How many evaluations are in progress.
static uint32_t level_of(const reactive_evaluation *innermost) {
    // No test sees this never hold: it only saves to count again.
    // No test sees this always hold: a level that is too high has stopped the program when it was counted.
    if (innermost && innermost == counted.evaluation && innermost->number == counted.number) return counted.level;
    uint32_t level = 0;
    for (const reactive_evaluation *next = innermost; next; next = next->outer) level += 1;
    // No test sees this: it only saves to count again.
    counted.evaluation = innermost;
    // No test sees this: as above.
    counted.number = innermost ? innermost->number : 0;
    // No test sees this: a level that is too high has stopped the program when it was counted.
    counted.level = level;
    return level;
}

// MARK: - Changing stacks

/// Calls `body(argument)` on the stack that begins below `top`.
void reactive_call_on_stack(void *_Nonnull top, void (*_Nonnull body)(void *_Nullable), void *_Nullable argument)
    __attribute__((visibility("hidden")));

#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".hidden reactive_call_on_stack\n"
    ".globl reactive_call_on_stack\n"
    ".type reactive_call_on_stack, @function\n"
    "reactive_call_on_stack:\n"
    ".cfi_startproc\n"
    "    endbr64\n"
    "    pushq %rbp\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset %rbp, -16\n"
    "    movq %rsp, %rbp\n"
    ".cfi_def_cfa_register %rbp\n"
    "    movq %rdi, %rsp\n"
    "    movq %rdx, %rdi\n"
    "    callq *%rsi\n"
    "    movq %rbp, %rsp\n"
    "    popq %rbp\n"
    ".cfi_def_cfa %rsp, 8\n"
    "    retq\n"
    ".cfi_endproc\n"
    ".size reactive_call_on_stack, . - reactive_call_on_stack\n");
#else
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".hidden reactive_call_on_stack\n"
    ".globl reactive_call_on_stack\n"
    ".type reactive_call_on_stack, @function\n"
    "reactive_call_on_stack:\n"
    ".cfi_startproc\n"
    "    hint #34\n"
    "    stp x29, x30, [sp, #-16]!\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset x30, -8\n"
    ".cfi_offset x29, -16\n"
    "    mov x29, sp\n"
    ".cfi_def_cfa x29, 16\n"
    "    mov sp, x0\n"
    "    mov x0, x2\n"
    "    blr x1\n"
    "    mov sp, x29\n"
    ".cfi_def_cfa sp, 16\n"
    "    ldp x29, x30, [sp], #16\n"
    ".cfi_def_cfa_offset 0\n"
    "    ret\n"
    ".cfi_endproc\n"
    ".size reactive_call_on_stack, . - reactive_call_on_stack\n");
#endif

// The sanitizers must be notified of each change. The code that notifies them must not be instrumented itself: it would
// be entered on one of their stacks, and left on another.
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#else
#include <sanitizer/common_interface_defs.h>
#endif

struct call {
    void (*body)(void *);
    void *argument;
    void *stack;
    /// The thread sanitizer's fiber, or the address sanitizer's fake stack, of the caller.
    void *caller;
    const void *caller_stack;
    size_t caller_size;
};

__attribute__((disable_sanitizer_instrumentation)) static void run_call(void *argument) {
    struct call *call = argument;
#if __has_feature(thread_sanitizer)
    call->body(call->argument);
    __tsan_switch_to_fiber(call->caller, 0);
#else
    __sanitizer_finish_switch_fiber(NULL, &call->caller_stack, &call->caller_size);
    call->body(call->argument);
    __sanitizer_start_switch_fiber(NULL, call->caller_stack, call->caller_size);
#endif
}

__attribute__((disable_sanitizer_instrumentation)) static void call_on_piece(
    char *stack, void (*body)(void *), void *argument) {
    struct call call = { .body = body, .argument = argument, .stack = stack };
#if __has_feature(thread_sanitizer)
    call.caller = __tsan_get_current_fiber();
    void *fiber = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(fiber, 0);
    reactive_call_on_stack(stack + piece_size, run_call, &call);
    __tsan_destroy_fiber(fiber);
#else
    __sanitizer_start_switch_fiber(&call.caller, stack, piece_size);
    reactive_call_on_stack(stack + piece_size, run_call, &call);
    __sanitizer_finish_switch_fiber(call.caller, NULL, NULL);
#endif
}
#else
static void call_on_piece(char *stack, void (*body)(void *), void *argument) {
    reactive_call_on_stack(stack + piece_size, body, argument);
}
#endif

// MARK: - Pieces

/// The piece that this thread has left last, for the next time.
static _Thread_local char *spare_piece;

bool reactive_call_on_more_stack(const reactive_evaluation *innermost, void (*body)(void *), void *argument) {
    if (level_of(innermost) >= guaranteed_levels) return false;
    char *piece = spare_piece;
    spare_piece = NULL;
    if (!piece) piece = reactive_map_stack(piece_size);
    if (!piece) return false;

    uintptr_t limit = reactive_thread.stack_limit;
    reactive_thread.stack_limit = (uintptr_t)piece + stack_reserve;
    call_on_piece(piece, body, argument);
    reactive_thread.stack_limit = limit;

    // No test sees this always hold: it only saves to map a piece again.
    if (spare_piece) {
        reactive_unmap_stack(piece, piece_size);
    } else {
        spare_piece = piece;
        // No test sees this left out: only the map of the process's memory shows a piece that outlives its thread.
        reactive_note_end_of_thread();
    }
    return true;
}

void reactive_release_spare_stack(void) {
    // No test sees this always hold: the system refuses to unmap no memory.
    if (spare_piece) reactive_unmap_stack(spare_piece, piece_size);
    spare_piece = NULL;
}

#else

bool reactive_call_on_more_stack(const reactive_evaluation *innermost, void (*body)(void *), void *argument) {
    (void)innermost, (void)body, (void)argument;
    return false;
}

void reactive_release_spare_stack(void) {}

#endif
