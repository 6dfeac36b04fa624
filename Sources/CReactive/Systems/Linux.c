// Waiting on an address, barriers and stacks on Linux: with any libc, and on Android.
#if defined(__linux__)
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "../System.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: - Waiting for a graph

static uint32_t *low_half(reactive_graph *graph) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (uint32_t *)&graph->lock;
#else
    return (uint32_t *)&graph->lock + 1;
#endif
}

void reactive_park(reactive_graph *graph, uint64_t word) {
    syscall(SYS_futex, low_half(graph), FUTEX_WAIT_PRIVATE, (uint32_t)word, NULL, NULL, 0);
}

bool reactive_wake_parked(reactive_graph *graph) {
    return syscall(SYS_futex, low_half(graph), FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) > 0;
}

// MARK: - Barriers

bool reactive_register_for_barriers(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

bool reactive_call_barrier(void) {
    // No test sees this block: the kernel would have to run out of memory, or forget that the process is registered.
    while (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        if (errno != ENOMEM && !(errno == EPERM && reactive_register_for_barriers())) return false;
        sched_yield();
    }
    return true;
}

// MARK: - Stacks

// The limit of the main thread's stack, where the C library cannot find it, as there is no /proc. The kernel puts the
// name of the program at the stack's upper end, and lets the stack grow to the limit for resources. If that is large or
// missing, 8 MB are a safe assumption: a changed limit is usually a higher one.
//
// No test sees this block: it is for systems without /proc.
static bool assume_main_stack(uintptr_t *lowest, size_t *size) {
    const size_t most = 8 * 1024 * 1024;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0) limit.rlim_cur = most;
    *size = limit.rlim_cur < most ? (size_t)limit.rlim_cur : most;
    uintptr_t top = getauxval(AT_EXECFN);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    *lowest = top - *size;
    return here < top && here > *lowest;
}

bool reactive_find_stack(uintptr_t *lowest, size_t *size) {
    pthread_attr_t attributes;
    // No test sees this: it is for systems without /proc.
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return assume_main_stack(lowest, size);
    void *address = NULL;
    size_t guard = 0;
    bool is_known = pthread_attr_getstack(&attributes, &address, size) == 0 && address != NULL;
    // The guard pages of a thread's stack may lie inside the reported range.
    // No test sees this: the size of the guard is always known, and it is part of the reserve.
    if (pthread_attr_getguardsize(&attributes, &guard) != 0) guard = 0;
    pthread_attr_destroy(&attributes);
    *lowest = (uintptr_t)address + guard;
    return is_known;
}

void *reactive_map_stack(size_t size) {
    char *memory = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    // No test sees this never hold: the next call then fails.
    if (memory == MAP_FAILED) return NULL;
    if (mprotect(memory + size, size, PROT_READ | PROT_WRITE) == 0) return memory + size;
    munmap(memory, 2 * size);
    return NULL;
}

void reactive_unmap_stack(void *stack, size_t size) { munmap((char *)stack - size, 2 * size); }

#endif
