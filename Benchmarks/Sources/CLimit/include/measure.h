// The measuring functions of both sides: the same clock, the same work that an optimiser cannot delete, the same heap
// counter.
#ifndef BENCHMARK_MEASURE_H
#define BENCHMARK_MEASURE_H

#include <stdint.h>
#include <time.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__GLIBC__)
#include <malloc.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The processor time of the calling thread in milliseconds. Both engines work on one thread, so this is their time on
/// an otherwise idle machine: it excludes the time of other programs.
static inline double measure_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/// A computation of 100 steps.
static inline void measure_busy(void) {
    int64_t steps = 0;
    for (int i = 0; i < 100; i++) {
        steps++;
        __asm__ volatile("" : "+r"(steps));
    }
}

/// Uses a value, so that computing it cannot be left out.
static inline void measure_sink(int64_t value) { __asm__ volatile("" ::"r"(value) : "memory"); }

/// The bytes of the heap in use; 0 if the platform does not report them.
static inline int64_t measure_heap(void) {
#if defined(__APPLE__)
    malloc_statistics_t statistics;
    malloc_zone_statistics(NULL, &statistics);
    return (int64_t)statistics.size_in_use;
#elif defined(__GLIBC__)
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
#else
    return 0;
#endif
}

/// Starts a thread that does nothing until the process ends: with a second thread alive, the C library and the Swift
/// runtime cannot use their shortcuts for single-threaded programs.
void measure_start_second_thread(void);

#ifdef __cplusplus
}
#endif

#endif
