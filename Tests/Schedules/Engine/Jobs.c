// Lets programs run the jobs of Swift's concurrency runtime on explored threads, instead of the runtime's own threads.
#include "Jobs.h"

#include <stdint.h>

// The runtime's hook for jobs that belong to no actor or to a default one, and the function that runs such a job; in
// the runtime's headers Concurrency.h and TaskPrivate.h. The original function is not called.
typedef __attribute__((swiftcall)) void (*enqueue_hook)(void *job, void *original);
extern enqueue_hook swift_task_enqueueGlobal_hook;
extern __attribute__((swiftcall)) void swift_job_run(void *job, void *executor, uintptr_t implementation);

static void (*receive)(void *job);

static __attribute__((swiftcall)) void enqueue(void *job, void *original) {
    (void)original;
    receive(job);
}

void explorer_receive_jobs(void (*receiver)(void *job)) {
    receive = receiver;
    swift_task_enqueueGlobal_hook = enqueue;
}

void explorer_run_job(void *job) { swift_job_run(job, NULL, 0); }
