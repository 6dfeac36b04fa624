// Makes code report each of its atomic accesses to the explorer. Included ahead of every C file of the library, by the
// compiler's option `-include`: the sources themselves are compiled as they are.
//
// The compiler's atomic builtins become calls of the explorer, which decides there which thread continues; see
// Explorer.h. Threads that are not explored, such as the one that prepares a program, access the memory directly.
#ifndef EXPLORED_H
#define EXPLORED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#error "only C is explored"
#endif

/// Changes of a value in one indivisible operation.
typedef enum { EXPLORED_EXCHANGE, EXPLORED_COMPARE_EXCHANGE, EXPLORED_ADD, EXPLORED_AND, EXPLORED_OR } explored_update;

uint64_t explored_load(const volatile void *address, size_t size);
/// A store that may become visible later, or with `is_sequential` one that is visible to all threads immediately.
void explored_store(volatile void *address, size_t size, uint64_t value, bool is_sequential);
/// Returns the earlier value.
uint64_t explored_change(
    volatile void *address, size_t size, explored_update update, uint64_t operand, uint64_t expected);
/// A full fence.
void explored_fence(void);
/// Waits until another thread has changed memory that this thread has read since it last waited. Stands for the pauses
/// in loops that look again and again.
void explored_wait_for_change(void);

void explored_lock(void *mutex);
void explored_unlock(void *mutex);

/// Whether the library runs with this deliberate fault; see EngineFaults.txt.
bool explored_has_fault(const char *name);

/// The type of what `address` leads to, without qualifiers.
#define EXPLORED_TYPE(address) __typeof__((0, *(address)))

/// The bits of a value, as a number.
#define EXPLORED_BITS(address, value) \
    ({ \
        EXPLORED_TYPE(address) explored_value_ = (value); \
        uint64_t explored_bits_ = 0; \
        __builtin_memcpy(&explored_bits_, &explored_value_, sizeof explored_value_); \
        explored_bits_; \
    })

#define EXPLORED_VALUE(address, bits) \
    ({ \
        uint64_t explored_raw_ = (bits); \
        EXPLORED_TYPE(address) explored_typed_; \
        __builtin_memcpy(&explored_typed_, &explored_raw_, sizeof explored_typed_); \
        explored_typed_; \
    })

#define EXPLORED_CHANGE(address, update, operand) \
    EXPLORED_VALUE(address, explored_change((address), sizeof *(address), update, EXPLORED_BITS(address, operand), 0))

#define __atomic_load_n(address, order) EXPLORED_VALUE(address, explored_load((address), sizeof *(address)))
#define __atomic_store_n(address, value, order) \
    explored_store((address), sizeof *(address), EXPLORED_BITS(address, value), (order) == __ATOMIC_SEQ_CST)
#define __atomic_exchange_n(address, value, order) EXPLORED_CHANGE(address, EXPLORED_EXCHANGE, value)
#define __atomic_fetch_add(address, operand, order) EXPLORED_CHANGE(address, EXPLORED_ADD, operand)
#define __atomic_fetch_sub(address, operand, order) EXPLORED_CHANGE(address, EXPLORED_ADD, -(operand))
#define __atomic_fetch_and(address, operand, order) EXPLORED_CHANGE(address, EXPLORED_AND, operand)
#define __atomic_fetch_or(address, operand, order) EXPLORED_CHANGE(address, EXPLORED_OR, operand)
#define __atomic_add_fetch(address, operand, order) \
    (EXPLORED_CHANGE(address, EXPLORED_ADD, operand) + (EXPLORED_TYPE(address))(operand))
#define __atomic_compare_exchange_n(address, expected, value, is_weak, success, failure) \
    ({ \
        uint64_t explored_wanted_ = EXPLORED_BITS(address, *(expected)); \
        uint64_t explored_found_ = explored_change( \
            (address), sizeof *(address), EXPLORED_COMPARE_EXCHANGE, EXPLORED_BITS(address, value), explored_wanted_); \
        if (explored_found_ != explored_wanted_) *(expected) = EXPLORED_VALUE(address, explored_found_); \
        explored_found_ == explored_wanted_; \
    })
// The other fences order nothing more than every access does here; see Execution.c.
#define __atomic_thread_fence(order) ((order) == __ATOMIC_SEQ_CST ? explored_fence() : (void)0)
#define __atomic_signal_fence(order) ((void)0)

// The pause of `reactive_pause`.
#define __builtin_ia32_pause() explored_wait_for_change()

// Two calls of a function that loads are two loads.
#define pure

#endif
