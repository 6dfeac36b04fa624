// One execution of a program: its threads, of which one runs at a time, and what each operation does.
//
// A thread that arrives at a point describes its operation in `pending`, asks for decisions and carries them out, until
// one of them concerns a thread: itself, or another one, to which it hands the baton. So as long as the same thread
// continues, nothing is handed over. All threads share one processor, which makes handing over faster.
//
// Memory is that of x86 processors (total store order; Owens, Sarkar and Sewell, "A Better x86 Memory Model", 2009): a
// store goes to a list of the thread's delayed stores and becomes visible to others at some later point, in order. The
// thread itself sees it. Changes by read-modify-write, sequentially consistent stores, fences, mutexes and system calls
// wait until the thread's list is empty. A barrier that a thread makes the others pass waits for their lists, one after
// the other. What this shows is a load that overtakes an earlier store. It does not show loads that overtake loads, or
// stores that overtake stores: Tests/LockModel does.
//
// Data that is accessed without atomic operations is not delayed, and accessing it is no point.
#include "Execution.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int thread_count;
explorer_options options;
int step_count;
operation pending[MOST_PROCESSES];

static const explorer_program *program;
static _Thread_local int own_thread = -1;

int explorer_thread(void) { return own_thread; }

// MARK: - The state of an execution

typedef struct {
    volatile void *address;
    size_t size;
    uint64_t value;
    /// The step in which the thread stored it.
    int step;
} delayed_store;

/// A queue.
static struct { delayed_store stores[MOST_DELAYED]; int first, count; } delayed[EXPLORER_MOST_THREADS];

/// The words that a thread has read since it last waited for a change, and the step that has changed one of them.
static struct { uintptr_t words[MOST_WATCHED]; int count, changed_by; } watched[EXPLORER_MOST_THREADS];

/// The threads that sleep, by the word at which they do, and the number of those that slept before.
static struct { uintptr_t word; uint64_t number; int woken_by; } sleeping[EXPLORER_MOST_THREADS];
static uint64_t sleep_count;

/// The mutexes that are locked, by thread.
enum { MOST_LOCKED = 8 };
static uintptr_t locked[EXPLORER_MOST_THREADS][MOST_LOCKED];

/// The locations without a name that have been changed; see `skips_unnamed`.
enum { MOST_UNNAMED = 64 };
static const volatile void *unnamed[MOST_UNNAMED];
static int unnamed_count;

static uintptr_t word_at(const volatile void *address) { return (uintptr_t)address & ~(uintptr_t)7; }

/// The list of a thread's delayed stores, as an object of `uses`.
static uintptr_t list_of(int thread) { return (uintptr_t)thread + 1; }

static int holder_of(uintptr_t mutex) {
    for (int thread = 0; thread < thread_count; thread++)
        for (int i = 0; i < MOST_LOCKED; i++)
            if (locked[thread][i] == mutex) return thread;
    return -1;
}

static void replace_locked(int thread, uintptr_t former, uintptr_t now) {
    for (int i = 0; i < MOST_LOCKED; i++) {
        if (locked[thread][i] != former) continue;
        locked[thread][i] = now;
        return;
    }
    explorer_fail(former ? "a thread unlocks a mutex that it does not hold" : "a thread holds too many mutexes");
}

// MARK: - Memory

static uint64_t read_memory(const volatile void *address, size_t size) {
    switch (size) {
    case 1: return *(const volatile uint8_t *)address;
    case 4: return *(const volatile uint32_t *)address;
    case 8: return *(const volatile uint64_t *)address;
    default: explorer_fail("an atomic access has an unexpected size");
    }
}

static void write_memory(volatile void *address, size_t size, uint64_t value) {
    switch (size) {
    case 1: *(volatile uint8_t *)address = (uint8_t)value; break;
    case 4: *(volatile uint32_t *)address = (uint32_t)value; break;
    case 8: *(volatile uint64_t *)address = value; break;
    default: explorer_fail("an atomic access has an unexpected size");
    }
}

static uint64_t truncated(uint64_t value, size_t size) {
    return size == 8 ? value : value & ((UINT64_C(1) << (8 * size)) - 1);
}

static uint64_t updated(explored_update update, uint64_t value, uint64_t operand, size_t size) {
    switch (update) {
    case EXPLORED_EXCHANGE:
    case EXPLORED_COMPARE_EXCHANGE: return operand;
    case EXPLORED_ADD: return truncated(value + operand, size);
    case EXPLORED_AND: return value & operand;
    case EXPLORED_OR: return value | operand;
    }
    return value;
}

static void watch(int thread, uintptr_t word) {
    for (int i = 0; i < watched[thread].count; i++)
        if (watched[thread].words[i] == word) return;
    if (watched[thread].count < MOST_WATCHED) watched[thread].words[watched[thread].count++] = word;
    // A thread that has read too much to remember does not wait.
    else watched[thread].changed_by = step_count;
}

static void note_change(int thread, uintptr_t word) {
    for (int other = 0; other < thread_count; other++) {
        if (other == thread || watched[other].changed_by >= 0) continue;
        for (int i = 0; i < watched[other].count; i++)
            if (watched[other].words[i] == word) watched[other].changed_by = step_count;
    }
}

static uint64_t load(int thread, const operation *operation) {
    watch(thread, word_at(operation->address));
    for (int i = delayed[thread].count - 1; i >= 0; i--) {
        const delayed_store *store = &delayed[thread].stores[(delayed[thread].first + i) % MOST_DELAYED];
        if (store->address == operation->address && store->size == operation->size) return store->value;
        if (word_at(store->address) == word_at(operation->address)
            && (uintptr_t)store->address < (uintptr_t)operation->address + operation->size
            && (uintptr_t)operation->address < (uintptr_t)store->address + store->size)
            explorer_fail("a load reads a part of a delayed store");
    }
    return read_memory(operation->address, operation->size);
}

static bool has_name(const volatile void *address);

static void note_unnamed(const volatile void *address) {
    for (int i = 0; i < unnamed_count; i++)
        if (unnamed[i] == address) return;
    if (unnamed_count == MOST_UNNAMED) explorer_fail("too many locations without a name are changed");
    unnamed[unnamed_count++] = address;
}

static uint64_t load_unnamed(const volatile void *address, size_t size) {
    for (int i = 0; i < unnamed_count; i++)
        if (unnamed[i] == address) explorer_fail("a location without a name is changed and loaded");
    return read_memory(address, size);
}

// MARK: - Operations

/// Makes the oldest delayed store of a thread the operation of its second process.
static void describe_arrival(int thread) {
    operation *arrival = &pending[arrivals_of(thread)];
    if (delayed[thread].count == 0) {
        arrival->kind = OPERATION_NONE;
        return;
    }
    const delayed_store *store = &delayed[thread].stores[delayed[thread].first];
    *arrival = (operation) {
        .kind = OPERATION_ARRIVAL, .address = store->address, .size = store->size, .operand = store->value,
        .enabled_by = store->step, .use_count = 2,
        .uses = { { word_at(store->address), true }, { list_of(thread), true } },
    };
}

static bool is_possible(int process) {
    const operation *operation = &pending[process];
    int thread = thread_of(process);
    bool is_empty = delayed[thread].count == 0;
    switch (operation->kind) {
    case OPERATION_START: case OPERATION_LOAD: case OPERATION_PASS: case OPERATION_ARRIVAL: return true;
    case OPERATION_STORE: return delayed[thread].count < MOST_DELAYED;
    case OPERATION_CHANGE: case OPERATION_FENCE: case OPERATION_PARK: case OPERATION_WAKE: case OPERATION_UNLOCK:
        return is_empty;
    case OPERATION_FENCE_OTHER: return is_empty && delayed[operation->other].count == 0;
    case OPERATION_WOKEN: return sleeping[thread].woken_by >= 0;
    case OPERATION_LOCK: return is_empty && holder_of((uintptr_t)operation->address) < 0;
    case OPERATION_WAIT: return watched[thread].changed_by >= 0 || watched[thread].count == 0;
    case OPERATION_NONE: return false;
    }
    return false;
}

process_set possible_processes(void) {
    process_set set = 0;
    for (int process = 0; process < 2 * thread_count; process++)
        if (is_possible(process)) set |= set_of(process);
    return set;
}

static void execute(int process) {
    operation *now = &pending[process];
    int thread = thread_of(process);
    switch (now->kind) {
    case OPERATION_LOAD:
        now->result = load(thread, now);
        break;
    case OPERATION_STORE: {
        int index = (delayed[thread].first + delayed[thread].count++) % MOST_DELAYED;
        delayed[thread].stores[index] = (delayed_store) { now->address, now->size, now->operand, step_count };
        describe_arrival(thread);
        break;
    }
    case OPERATION_ARRIVAL:
        write_memory(now->address, now->size, now->operand);
        note_change(thread, word_at(now->address));
        delayed[thread].first = (delayed[thread].first + 1) % MOST_DELAYED;
        delayed[thread].count -= 1;
        break;
    case OPERATION_CHANGE:
        watch(thread, word_at(now->address));
        now->result = read_memory(now->address, now->size);
        if (now->update == EXPLORED_COMPARE_EXCHANGE && now->result != now->expected) {
            now->uses[0].is_changed = false;
            break;
        }
        write_memory(now->address, now->size, updated(now->update, now->result, now->operand, now->size));
        note_change(thread, word_at(now->address));
        if (options.skips_unnamed && !has_name(now->address)) note_unnamed(now->address);
        break;
    case OPERATION_PARK:
        now->result = (uint32_t)read_memory(now->address, 8) == (uint32_t)now->expected;
        if (!now->result) break;
        sleeping[thread].word = (uintptr_t)now->address;
        sleeping[thread].number = ++sleep_count;
        sleeping[thread].woken_by = -1;
        break;
    case OPERATION_WOKEN:
        now->enabled_by = sleeping[thread].woken_by;
        break;
    case OPERATION_WAKE: {
        int oldest = -1;
        for (int other = 0; other < thread_count; other++) {
            if (sleeping[other].word != (uintptr_t)now->address) continue;
            if (oldest < 0 || sleeping[other].number < sleeping[oldest].number) oldest = other;
        }
        now->result = oldest >= 0;
        if (oldest < 0) break;
        sleeping[oldest].word = 0;
        sleeping[oldest].woken_by = step_count;
        break;
    }
    case OPERATION_LOCK:
        replace_locked(thread, 0, (uintptr_t)now->address);
        watch(thread, word_at(now->address));
        note_change(thread, word_at(now->address));
        break;
    case OPERATION_UNLOCK:
        replace_locked(thread, (uintptr_t)now->address, 0);
        note_change(thread, word_at(now->address));
        break;
    case OPERATION_WAIT:
        now->enabled_by = watched[thread].changed_by;
        watched[thread].count = 0;
        watched[thread].changed_by = -1;
        break;
    case OPERATION_START: case OPERATION_FENCE: case OPERATION_FENCE_OTHER: case OPERATION_PASS: case OPERATION_NONE:
        break;
    }
    operation done = *now;
    note_operation(process, &done);
    step_count += 1;
    if (done.kind == OPERATION_ARRIVAL) describe_arrival(thread);
}

// MARK: - Threads

/// One for each thread, and one for the thread that prepares and checks.
static uint32_t batons[EXPLORER_MOST_THREADS + 1];

static uint32_t *baton_of(int thread) { return &batons[thread < 0 ? EXPLORER_MOST_THREADS : thread]; }

static void await_baton(int thread) {
    uint32_t *baton = baton_of(thread);
    while (!__atomic_load_n(baton, __ATOMIC_ACQUIRE)) syscall(SYS_futex, baton, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

/// Lets another thread run, and waits until this one may.
static void hand_baton(int from, int to) {
    if (from == to) return;
    __atomic_store_n(baton_of(from), 0, __ATOMIC_RELAXED);
    __atomic_store_n(baton_of(to), 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, baton_of(to), FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    await_baton(from);
}

/// Carries out decisions until one lets this thread continue.
static void carry_on(void) {
    for (;;) {
        int process = choose_process();
        if (process >= 0) execute(process);
        if (process >= thread_count) continue;
        hand_baton(own_thread, process);
        return;
    }
}

static void *run_thread(void *argument) {
    own_thread = (int)(intptr_t)argument;
    await_baton(own_thread);
    for (;;) {
        program->run(own_thread);
        pending[own_thread].kind = OPERATION_NONE;
        carry_on();
    }
    return NULL;
}

static void fail_with_signal(int signal) {
    switch (signal) {
    case SIGSEGV: case SIGBUS: explorer_fail("a thread follows a bad pointer");
    case SIGALRM: explorer_fail("a thread runs forever, or waits for a lock that the explorer does not know");
    default: explorer_fail("a thread ends the program");
    }
}

static void start_threads(void) {
    const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGALRM };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], fail_with_signal);
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0) {
        int first = 0;
        while (!CPU_ISSET(first, &processors)) first += 1;
        first += (int)((unsigned)getpid() % (unsigned)CPU_COUNT(&processors));
        CPU_ZERO(&processors);
        CPU_SET(first, &processors);
        sched_setaffinity(0, sizeof processors, &processors);
    }
    for (intptr_t thread = 0; thread < thread_count; thread++) {
        pthread_t started;
        pthread_create(&started, NULL, run_thread, (void *)thread);
        pthread_detach(started);
    }
}

static void execute_once(void) {
    step_count = 0;
    sleep_count = 0;
    unnamed_count = 0;
    memset(delayed, 0, sizeof delayed);
    memset(watched, 0, sizeof watched);
    memset(sleeping, 0, sizeof sleeping);
    memset(locked, 0, sizeof locked);
    for (int thread = 0; thread < thread_count; thread++) {
        watched[thread].changed_by = -1;
        pending[thread] = (operation) { .kind = OPERATION_START, .enabled_by = -1 };
        pending[arrivals_of(thread)].kind = OPERATION_NONE;
    }
    // An execution takes less than a millisecond.
    alarm(60);
    program->prepare();
    carry_on();
    for (int thread = 0; thread < thread_count; thread++)
        if (pending[thread].kind != OPERATION_NONE)
            explorer_fail("the threads that have not ended wait for one another");
    program->check();
}

explorer_result explorer_run(const explorer_program *new_program, explorer_options new_options) {
    bool is_first = program == NULL;
    program = new_program;
    options = new_options;
    if (is_first) {
        thread_count = program->threads;
        start_threads();
    }
    begin_strategy();
    do {
        execute_once();
    } while (next_execution());
    return result;
}

// MARK: - Points

static uint64_t pass_point(operation next) {
    next.enabled_by = -1;
    pending[own_thread] = next;
    carry_on();
    return pending[own_thread].result;
}

uint64_t explored_load(const volatile void *address, size_t size) {
    if (own_thread < 0) return read_memory(address, size);
    if (options.skips_unnamed && !has_name(address)) return load_unnamed(address, size);
    return pass_point((operation) {
        .kind = OPERATION_LOAD, .address = (volatile void *)address, .size = size,
        .uses = { { word_at(address), false } }, .use_count = 1,
    });
}

static uint64_t change(
    volatile void *address, size_t size, explored_update update, uint64_t operand, uint64_t expected) {
    return pass_point((operation) {
        .kind = OPERATION_CHANGE, .address = address, .size = size, .update = update, .operand = operand,
        .expected = expected, .uses = { { word_at(address), true } }, .use_count = 1,
    });
}

void explored_store(volatile void *address, size_t size, uint64_t value, bool is_sequential) {
    if (own_thread < 0) {
        write_memory(address, size, value);
    } else if (is_sequential || !options.delays_stores) {
        change(address, size, EXPLORED_EXCHANGE, value, 0);
    } else {
        pass_point((operation) {
            .kind = OPERATION_STORE, .address = address, .size = size, .operand = value,
            .uses = { { list_of(own_thread), true } }, .use_count = 1,
        });
    }
}

uint64_t explored_change(
    volatile void *address, size_t size, explored_update update, uint64_t operand, uint64_t expected) {
    if (own_thread >= 0) return change(address, size, update, operand, expected);
    uint64_t before = read_memory(address, size);
    if (update != EXPLORED_COMPARE_EXCHANGE || before == expected)
        write_memory(address, size, updated(update, before, operand, size));
    return before;
}

void explored_fence(void) {
    if (own_thread >= 0 && options.delays_stores) pass_point((operation) { .kind = OPERATION_FENCE });
}

void explored_fence_others(void) {
    if (own_thread < 0 || !options.delays_stores) return;
    for (int other = 0; other < thread_count; other++) {
        if (other == own_thread) continue;
        pass_point((operation) {
            .kind = OPERATION_FENCE_OTHER, .other = other, .uses = { { list_of(other), false } }, .use_count = 1,
        });
    }
}

void explored_wait_for_change(void) {
    if (own_thread >= 0) pass_point((operation) { .kind = OPERATION_WAIT });
}

void explored_pass(void) {
    if (own_thread >= 0) pass_point((operation) { .kind = OPERATION_PASS });
}

/// The threads that sleep at a word, as an object of `uses`.
static uintptr_t sleepers_at(const volatile void *word) { return (uintptr_t)word | 4; }

void explored_park(const volatile uint64_t *word, uint64_t expected) {
    bool sleeps = pass_point((operation) {
        .kind = OPERATION_PARK, .address = (volatile void *)word, .size = 8, .expected = expected,
        .uses = { { word_at(word), false }, { sleepers_at(word), true } }, .use_count = 2,
    });
    if (sleeps) pass_point((operation) { .kind = OPERATION_WOKEN });
}

bool explored_wake(const volatile uint64_t *word) {
    if (own_thread < 0) return false;
    return pass_point((operation) {
        .kind = OPERATION_WAKE, .address = (volatile void *)word,
        .uses = { { sleepers_at(word), true } }, .use_count = 1,
    });
}

static void use_mutex(operation_kind kind, void *mutex) {
    if (own_thread < 0) return;
    pass_point((operation) { .kind = kind, .address = mutex, .uses = { { word_at(mutex), true } }, .use_count = 1 });
}

void explored_lock(void *mutex) { use_mutex(OPERATION_LOCK, mutex); }
void explored_unlock(void *mutex) { use_mutex(OPERATION_UNLOCK, mutex); }

// MARK: - Faults

static const char *fault = "";

void explorer_set_fault(const char *name) { fault = name; }
bool explored_has_fault(const char *name) { return strcmp(fault, name) == 0; }

// MARK: - Reports

enum { MOST_NAMES = 64 };
static struct { const volatile void *address; const char *name; } names[MOST_NAMES];
static int name_count;

void explorer_name(const volatile void *address, const char *name) {
    for (int i = 0; i < name_count; i++)
        if (names[i].address == address) return;
    if (name_count < MOST_NAMES) names[name_count++] = (__typeof__(names[0])) { address, name };
}

static bool has_name(const volatile void *address) {
    for (int i = 0; i < name_count; i++)
        if (names[i].address == address) return true;
    return false;
}

static void print_address(const volatile void *address) {
    for (int i = 0; i < name_count; i++)
        if (names[i].address == address) {
            printf(" %s", names[i].name);
            return;
        }
    printf(" %p", (const void *)address);
}

static void print_value(uint64_t value) {
    for (int i = 0; i < name_count; i++)
        if (value != 0 && (uint64_t)(uintptr_t)names[i].address == value) {
            printf(" %s", names[i].name);
            return;
        }
    printf(value < 10 ? " %llu" : " 0x%llx", (unsigned long long)value);
}

void print_operation(int process, const operation *operation) {
    static const char *const words[] = {
        "starts", "loads", "stores", "changes", "passes a fence", "makes pass a fence:", "parks at", "is woken",
        "wakes at", "locks", "unlocks", "waits for a change", "passes", "store arrives:", "has ended",
    };
    printf("  %c  %s", 'a' + thread_of(process), words[operation->kind]);
    if (operation->kind == OPERATION_FENCE_OTHER) printf(" %c", 'a' + operation->other);
    if (operation->address) print_address(operation->address);
    switch (operation->kind) {
    case OPERATION_LOAD:
        printf(" =");
        print_value(operation->result);
        break;
    case OPERATION_STORE: case OPERATION_ARRIVAL:
        printf(" :=");
        print_value(operation->operand);
        break;
    case OPERATION_CHANGE:
        printf(" from");
        print_value(operation->result);
        if (operation->update == EXPLORED_COMPARE_EXCHANGE && operation->result != operation->expected) {
            printf(": not");
            print_value(operation->expected);
            break;
        }
        printf(" to");
        print_value(updated(operation->update, operation->result, operation->operand, operation->size));
        break;
    case OPERATION_PARK:
        printf(operation->result ? ": sleeps" : ": has changed");
        break;
    case OPERATION_WAKE:
        printf(operation->result ? ": one" : ": none");
        break;
    default: break;
    }
    printf("\n");
}

void explorer_fail(const char *claim) {
    printf("%s: %s\n  found in schedule %llu: ", program->name, claim, (unsigned long long)result.schedules + 1);
    print_schedule();
    if (options.mode == EXPLORER_RANDOM) printf(" (seed %llu)", (unsigned long long)explorer_seed());
    printf("\n");
    if (options.mode == EXPLORER_REPLAY)
        for (int process = 0; process < thread_count; process++)
            if (pending[process].kind != OPERATION_NONE) {
                printf("about to:");
                print_operation(process, &pending[process]);
            }
    fflush(stdout);
    _exit(1);
}
