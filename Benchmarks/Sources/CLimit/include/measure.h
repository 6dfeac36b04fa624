// What both sides measure with: the same clock, the same work that no optimiser may delete, the same heap counter.
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

/// The processor time of the calling thread in milliseconds. Both engines work on one thread, so this is how long they take on a
/// machine that does nothing else; time lost to other programs is left out.
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

/// Bytes of the heap in use, or 0 where the platform does not say.
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

/// Starts a thread that does nothing until the process ends: with a second thread alive, the C library and the Swift runtime take
/// none of the shortcuts they have for single-threaded programs.
void measure_start_second_thread(void);

#ifdef __cplusplus
}
#endif

#endif
