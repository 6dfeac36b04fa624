// What the files of the lock need of one another.
#ifndef REACTIVE_LOCK_H
#define REACTIVE_LOCK_H

#include "CReactive.h"

/// Makes all other threads of the process pass a full barrier.
void reactive_make_others_pass_barrier(void);

/// Lets the thread that the graph is biased to lock it no more without asking. It may be about to.
void reactive_call_bias_off(reactive_graph *_Nonnull graph);

/// Whether that thread has noticed, or is going to. Called after `reactive_call_bias_off`, with the word biased and not held.
///
/// If it returns true and the word is still the same, then that thread does not touch the word any more.
bool reactive_bias_is_over(reactive_graph *_Nonnull graph);

/// Looks who has locked the graph, and biases it to who always does. By the thread that has just locked it out of line.
///
/// - Parameters:
///   - before: The word that was found.
///   - was_alone: Whether no other thread was in the way.
void reactive_consider_bias(reactive_graph *_Nonnull graph, uint64_t before, bool was_alone);

/// Hands the thread's presence on to threads to come.
void reactive_give_up_presence(void);

#endif
