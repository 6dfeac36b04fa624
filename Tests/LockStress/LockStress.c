// Tests the lock, the pieces of stack and fork without Swift, so that they run on other processors and with other C
// libraries.
//
//     LockStress              runs all tests
//     LockStress sandbox      runs again, with REACTIVE_NO_MEMBARRIER=1, where membarrier ends the process
#define _GNU_SOURCE
#include "../../Sources/CReactive/Lock.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "LockStress.c:%d: %s is false\n", __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

enum { most_threads = 4 };

/// Runs `body` on threads that start at the same time.
static void on_threads(int count, void *(*body)(void *), void *arguments[]) {
    pthread_t threads[most_threads];
    for (int i = 0; i < count; i++) CHECK(pthread_create(&threads[i], NULL, body, arguments[i]) == 0);
    for (int i = 0; i < count; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

/// Makes the kernel answer a system call with an error, or end the process. Returns false where there is no seccomp (as
/// under qemu).
static bool refuse(int call, uint32_t answer) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };
    bool is_possible =
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
    if (!is_possible) puts("there is no seccomp here");
    return is_possible;
}

// MARK: - The lock

/// A graph, and numbers that are equal whenever it is not locked.
struct guarded {
    reactive_graph graph;
    uint64_t first, second;
};

/// The body of one thread: it locks the graphs in turn this many times, and pauses in between.
struct work {
    struct guarded *guarded;
    int graphs, rounds, pauses;
};

static void *lock_again_and_again(void *argument) {
    struct work *work = argument;
    for (int round = 0; round < work->rounds; round++) {
        struct guarded *guarded = &work->guarded[round % work->graphs];
        CHECK(reactive_enter(&guarded->graph));
        CHECK(guarded->first == guarded->second);
        guarded->first += 1;
        guarded->second += 1;
        CHECK(!reactive_leave_needs_flush(&guarded->graph));
        for (int i = 0; i < work->pauses; i++) reactive_pause();
    }
    return NULL;
}

static void *read_again_and_again(void *argument) {
    struct work *work = argument;
    for (int round = 0; round < work->rounds; round++) {
        struct guarded *guarded = &work->guarded[round % work->graphs];
        uint64_t word = reactive_read_begin(&guarded->graph);
        if (!reactive_may_read(word)) continue;
        struct { uint64_t first, second; } copy = {
            __atomic_load_n(&guarded->first, __ATOMIC_RELAXED), __atomic_load_n(&guarded->second, __ATOMIC_RELAXED)
        };
        if (reactive_read_is_valid(&guarded->graph, word, &copy)) CHECK(copy.first == copy.second);
    }
    return NULL;
}

/// One thread that the graphs become biased to, others that withdraw the bias, and a reader.
static void stress_the_lock(int graphs, int rounds) {
    struct guarded *guarded = calloc((size_t)graphs, sizeof *guarded);
    for (int i = 0; i < graphs; i++) reactive_graph_init(&guarded[i].graph, &guarded[i].graph);
    struct work often = { guarded, graphs, 40 * rounds, 0 };
    struct work seldom = { guarded, graphs, rounds, 500 };
    struct work reading = { guarded, graphs, 40 * rounds, 0 };
    pthread_t reader;
    CHECK(pthread_create(&reader, NULL, read_again_and_again, &reading) == 0);
    on_threads(3, lock_again_and_again, (void *[]) { &often, &seldom, &seldom });
    // And all of them together.
    on_threads(4, lock_again_and_again, (void *[]) { &often, &often, &often, &seldom });
    CHECK(pthread_join(reader, NULL) == 0);
    uint64_t sum = 0;
    for (int i = 0; i < graphs; i++) {
        sum += guarded[i].first;
        CHECK(guarded[i].first == guarded[i].second);
        reactive_graph_end(&guarded[i].graph);
    }
    CHECK(sum == (uint64_t)rounds * (4 * 40 + 3));
    free(guarded);
}

// MARK: - Ending the use of barriers

/// While other threads use graphs, one of which is biased.
static void stress_the_end_of_barriers(void) {
    struct guarded *guarded = calloc(2, sizeof *guarded);
    for (int i = 0; i < 2; i++) reactive_graph_init(&guarded[i].graph, &guarded[i].graph);
    struct work alone = { guarded, 2, 10000, 0 };
    lock_again_and_again(&alone);
    struct work together = { guarded, 2, 50000, 0 };
    pthread_t others[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&others[i], NULL, lock_again_and_again, &together) == 0);
    CHECK(reactive_avoid_barriers());
    refuse(SYS_membarrier, SECCOMP_RET_KILL_PROCESS);
    lock_again_and_again(&together);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(others[i], NULL) == 0);
    reactive_graph later;
    reactive_graph_init(&later, &later);
    CHECK(later.lock & REACTIVE_LOCK_OUT_OF_LINE);
    CHECK(guarded[0].first + guarded[1].first == 10000 + 3 * 50000);
    // A thread that holds a graph would wait for itself.
    CHECK(reactive_enter(&guarded[0].graph));
    CHECK(!reactive_avoid_barriers());
    CHECK(!reactive_leave_needs_flush(&guarded[0].graph));
}

// MARK: - Stacks

struct descent {
    int levels;
    uintptr_t lowest, highest;
};

/// Recurses on additional pieces of stack, each inside the previous one, and leaves them.
static void descend(void *argument) {
    struct descent *descent = argument;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    CHECK(here % 16 == 0);
    if (here < descent->lowest) descent->lowest = here;
    if (here > descent->highest) descent->highest = here;
    CHECK(!reactive_stack_is_low());
    if (descent->levels-- > 0) CHECK(reactive_call_on_more_stack(NULL, descend, argument));
    CHECK(reactive_thread.stack_limit < here);
}

static void *use_pieces(void *argument) {
    (void)argument;
    uintptr_t limit = reactive_find_stack_limit();
    for (int i = 0; i < 9; i++) {
        struct descent descent = { i % 3, UINTPTR_MAX, 0 };
        CHECK(reactive_call_on_more_stack(NULL, descend, &descent));
        CHECK(reactive_thread.stack_limit == limit);
    }
    return NULL;
}

static void write_below(void *argument) {
    // The reserve at the end of a piece is 64 kB.
    uintptr_t target = reactive_thread.stack_limit - 64 * 1024 - *(size_t *)argument;
    // Mapped, so that nothing else is allocated there, but protected against writes.
    uintptr_t page = target & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    if (msync((void *)page, 1, MS_ASYNC) != 0) exit(1);
    *(volatile char *)target = 0;
}

/// A write directly below a piece, or as far below as a large frame may reach, stops the program.
static void run_over_the_end(void) {
    size_t distances[] = { 1, 3 * 1024 * 1024 };
    reactive_find_stack_limit();
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL);
            CHECK(reactive_call_on_more_stack(NULL, write_below, &distances[i]));
            _exit(0);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    }
}

/// The size of the address space that the process uses, in pages.
static long address_space(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld", &pages) != 1) pages = 0;
    fclose(file);
    return pages;
}

static void try_the_stack(void) {
    use_pieces(NULL);
    on_threads(4, use_pieces, (void *[]) { NULL, NULL, NULL, NULL });
    long before = address_space();
    for (int i = 0; i < 25; i++) on_threads(4, use_pieces, (void *[]) { NULL, NULL, NULL, NULL });
    // A thread that has ended leaves no memory behind: 100 pieces would be 800 MB.
    CHECK((address_space() - before) * sysconf(_SC_PAGESIZE) < 400L * 1024 * 1024);
}

/// If /proc cannot be read, the limit of the main thread is assumed, and it is inside its stack.
static void find_the_limit_without_proc(void) {
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
    if (!refuse(SYS_openat, SECCOMP_RET_ERRNO | ENOENT)) return;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t found = reactive_find_stack_limit();
    CHECK(found < here);
    CHECK(here - found < 8 * 1024 * 1024);
    CHECK(here - found > 256 * 1024 || limit.rlim_cur < 1024 * 1024);
    // The whole stack can be used.
    for (volatile char *page = (volatile char *)here - 4096; (uintptr_t)page > found; page -= 4096) *page = 0;
}

// MARK: - Fork

static bool is_over = false;

static void *lock_until_it_is_over(void *argument) {
    struct work *work = argument;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) lock_again_and_again(work);
    return NULL;
}

static void expect_success(pid_t child) {
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// While threads use graphs, a forked child finds each graph between two operations.
static void fork_beside_threads(void) {
    struct guarded *guarded = calloc(2, sizeof *guarded);
    for (int i = 0; i < 2; i++) reactive_graph_init(&guarded[i].graph, &guarded[i].graph);
    struct work work = { guarded, 2, 1000, 0 };
    struct work once = { guarded, 2, 100, 0 };
    pthread_t others[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&others[i], NULL, lock_until_it_is_over, &work) == 0);
    for (int i = 0; i < 30; i++) {
        // The last ones inside a transaction.
        bool is_inside = i >= 20;
        if (is_inside) CHECK(reactive_enter(&guarded[0].graph));
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(20);
            if (is_inside) CHECK(!reactive_leave_needs_flush(&guarded[0].graph));
            once.graphs = is_inside ? 1 : 2;
            lock_again_and_again(&once);
            CHECK(reactive_avoid_barriers());
            lock_again_and_again(&once);
            _exit(0);
        }
        if (is_inside) CHECK(!reactive_leave_needs_flush(&guarded[0].graph));
        expect_success(child);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(others[i], NULL) == 0);
    CHECK(guarded[0].first == guarded[0].second && guarded[1].first == guarded[1].second);
}

// MARK: - Main

/// Runs `body` in a process of its own.
static void in_child(void (*body)(void)) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        body();
        _exit(0);
    }
    expect_success(child);
}

int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "sandbox") == 0) {
        CHECK(setenv("REACTIVE_NO_MEMBARRIER", "1", 1) == 0);
        if (!refuse(SYS_membarrier, SECCOMP_RET_KILL_PROCESS)) return 0;
        execv("/proc/self/exe", (char *[]) { arguments[0], "inside", NULL });
        CHECK(false);
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    bool is_inside = count > 1 && strcmp(arguments[1], "inside") == 0;
    if (is_inside) CHECK(!reactive_has_barriers());
    printf("membarrier is %s\n", reactive_has_barriers() ? "used" : "not used");
    stress_the_lock(1, 3000);
    stress_the_lock(3, 3000);
    puts("the lock holds");
    if (!is_inside) {
        in_child(stress_the_end_of_barriers);
        puts("the use of barriers can end");
    }
    in_child(find_the_limit_without_proc);
    run_over_the_end();
    try_the_stack();
    puts("pieces of stack are used and returned");
    fork_beside_threads();
    puts("children find graphs usable");
    return 0;
}

// The only symbol of the Swift runtime that the C part needs.
__attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(
    const void *identity, uintptr_t implementation, uintptr_t flags) {
    (void)identity, (void)implementation, (void)flags;
    return false;
}
