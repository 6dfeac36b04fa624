// Jobs of Swift's concurrency runtime; see Jobs.c.
#ifndef JOBS_H
#define JOBS_H

#include <stddef.h>

/// Sends all jobs to `receiver` from now on.
void explorer_receive_jobs(void (*_Nonnull receiver)(void *_Nonnull job));
void explorer_run_job(void *_Nonnull job);

#endif
