// What the files of the lock need of one another.
#ifndef REACTIVE_LOCK_H
#define REACTIVE_LOCK_H

#include "CReactive.h"

/// Whether `reactive_make_others_pass_barrier` works here.
extern bool reactive_has_barriers;

/// Makes all other threads of the process pass a full barrier.
void reactive_make_others_pass_barrier(void);

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

/// Waits until that thread has noticed, or is certain to. Called after `reactive_call_bias_off`, with a word that is biased and not held.
///
/// If the word is still the same afterwards, then that thread does not touch it again until it has locked it like any other thread.
void reactive_await_end_of_bias(reactive_graph *_Nonnull graph, uint64_t word);

/// Looks who has locked the graph, and biases it to who always does. By the thread that has just locked it out of line.
///
/// - Parameters:
///   - before: The word that was found.
///   - was_alone: Whether no other thread was in the way.
void reactive_consider_bias(reactive_graph *_Nonnull graph, uint64_t before, bool was_alone);

/// Hands the thread's presence on to threads to come.
void reactive_give_up_presence(void);

#endif
