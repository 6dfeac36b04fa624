// The test for the current executor.
#include "CReactive.h"

#if defined(__APPLE__)
#include <pthread.h>
#endif

// Asks the concurrency runtime. Only entry points that never trap are usable. `swift_task_isCurrentExecutor` is not one
// of them: from Swift 6.0 on it ends programs that run elsewhere. On Apple's systems the runtime is the system's, which
// may be older than the compiler: functions that it may lack are linked weakly.
__attribute__((swiftcall)) extern bool swift_task_isCurrentExecutorWithFlags(
    const void *identity, uintptr_t implementation, uintptr_t flags)
#if defined(__APPLE__)
    // Since Swift 6.1: macOS 15.4, iOS and tvOS 18.4, watchOS 11.4, visionOS 2.4.
    __attribute__((weak_import))
#endif
    ;

#if defined(__APPLE__)
typedef struct {
    const void *identity;
    uintptr_t implementation;
} executor;

// Both since Swift 5.5: macOS 12, iOS and tvOS 15, watchOS 8, the oldest systems that the package supports.
__attribute__((swiftcall, weak_import)) extern executor swift_task_getCurrentExecutor(void);
__attribute__((swiftcall, weak_import)) extern executor swift_task_getMainExecutor(void);

/// The answer of systems before `swift_task_isCurrentExecutorWithFlags`: the executor of the running job, or the main
/// one on the main thread.
static bool is_current_executor_by_identity(const void *identity) {
    if (swift_task_getCurrentExecutor && swift_task_getCurrentExecutor().identity == identity) return true;
    return pthread_main_np() && swift_task_getMainExecutor && swift_task_getMainExecutor().identity == identity;
}
#endif

bool reactive_is_current_executor(const void *identity, uintptr_t implementation) {
#if defined(__APPLE__)
    if (!swift_task_isCurrentExecutorWithFlags) return is_current_executor_by_identity(identity);
#endif
    // No flags: no trap.
    return swift_task_isCurrentExecutorWithFlags(identity, implementation, 0);
}
