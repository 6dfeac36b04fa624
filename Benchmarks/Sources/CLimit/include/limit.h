// The interface of the limit for Swift: prepare a row by its name, take samples, finish.
#ifndef BENCHMARK_LIMIT_H
#define BENCHMARK_LIMIT_H

#ifdef __cplusplus
extern "C" {
#endif

/// A test with its graph set up. One exists at a time.
typedef struct limit_row limit_row;

/// Sets up a row on the C++ engine; `NULL` if there is no row with that name.
limit_row *limit_prepare(const char *name);

/// Runs a row once, checks its results, and returns milliseconds, nanoseconds per operation or bytes, depending on the
/// row.
double limit_sample(limit_row *row);

/// Frees a row and its graph.
void limit_finish(limit_row *row);

#ifdef __cplusplus
}
#endif
#endif
