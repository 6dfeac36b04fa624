// The limit's side of the benchmark, for Swift: prepare a row by its name, take samples, finish.
#ifndef BENCHMARK_LIMIT_H
#define BENCHMARK_LIMIT_H

#ifdef __cplusplus
extern "C" {
#endif

/// A test with its graph set up. One exists at a time.
typedef struct limit_row limit_row;

/// Sets a row up on the C++ engine; `NULL` if there is none of that name.
limit_row *limit_prepare(const char *name);

/// Runs a row once and checks its results: milliseconds, nanoseconds per operation or bytes, by the kind of row.
double limit_sample(limit_row *row);

/// Frees a row and its graph.
void limit_finish(limit_row *row);

#ifdef __cplusplus
}
#endif
#endif
