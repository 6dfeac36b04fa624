// Counts the allocations of the process.
#ifndef BENCHMARK_ALLOCATIONS_H
#define BENCHMARK_ALLOCATIONS_H

#include <stdint.h>

/// The number of allocations so far, or -1 where they cannot be counted.
int64_t allocations_count(void);

#endif
