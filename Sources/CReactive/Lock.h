// Declarations that the files of the lock share.
#ifndef REACTIVE_LOCK_H
#define REACTIVE_LOCK_H

#include "CReactive.h"
#include "System.h"

/// Whether `reactive_make_others_pass_barrier` works here.
bool reactive_has_barriers(void);

/// Makes all other threads of the process pass a full barrier; does nothing once the use of barriers has ended.
void reactive_make_others_pass_barrier(void);

/// Ends the use of barriers, and waits for those in progress. Precondition: every word has the bit `OUT_OF_LINE`, those
/// to come as well.
void reactive_end_barriers(void);

/// Forgets the barriers in progress, in a child that has none of the threads that called them.
void reactive_forget_barrier_calls(void);

/// Takes the lock unless a thread holds it.
bool reactive_try_lock(reactive_graph *_Nonnull graph);

/// Guards the list of graphs and that of unused presences. Its holder waits for nothing, and runs no user code.
extern reactive_mutex reactive_registry;

/// Ends the program: another thread held the graph when the process was forked, and there is no such thread here.
void reactive_stop_for_lost_graph(void) __attribute__((noreturn));

/// Waits for some cycles.
static inline void reactive_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Lets the thread that the graph is biased to lock it no more without asking. It may be about to.
void reactive_call_bias_off(reactive_graph *_Nonnull graph);

/// Waits until that thread has noticed, or is certain to. Called after `reactive_call_bias_off`, with a word that is
/// biased and not held.
///
/// If the word is still the same afterwards, then that thread does not touch it again until it has locked it like any
/// other thread.
void reactive_await_end_of_bias(reactive_graph *_Nonnull graph, uint64_t word);

/// Notes which thread has locked the graph, and biases the graph to a thread that always does. Called by the thread
/// that has just locked it out of line.
///
/// - Parameters:
///   - before: The word that was found.
///   - was_alone: Whether no other thread held or wanted the lock.
void reactive_consider_bias(reactive_graph *_Nonnull graph, uint64_t before, bool was_alone);

/// Hands the thread's presence on to threads to come.
void reactive_give_up_presence(void);

/// Unmaps the piece of stack that the thread keeps.
void reactive_release_spare_stack(void);

#endif
