// Explores the graphs' lock: small programs for two and three threads, on the C sources of the library.
//
//     lock-programs                               prints the names of the programs
//     lock-programs PROGRAM                       explores one, as the table below says
//     lock-programs PROGRAM bounded PREEMPTIONS   … all schedules with so few pre-emptions
//     lock-programs PROGRAM random SEED COUNT     … at random
//     lock-programs PROGRAM replay SCHEDULE       repeats one schedule, and prints its operations
//
// A round is what an operation of the library does to the lock: enter, work, leave. The sources are compiled as parts
// of this file, so that the programs can set up the lock's private variables.
#include "Explorer.h"

#include "Lock.c"
#include "Bias.c"
#include "Graphs.c"
#include "Context.c"

#include <stdio.h>
#include <time.h>

void reactive_release_spare_stack(void) {}

extern bool explored_forbids_barriers;

// MARK: - What the lock guards

static reactive_graph graph, other_graph;
/// A count, and the same again if there is a reader: then they are equal while no thread holds the graph.
static uint64_t first, second;
static bool is_read;
static reactive_presence presences[EXPLORER_MOST_THREADS];
/// The thread that holds the graph, or -1. Not part of the program: it is neither delayed nor a point.
static int holder_now;

static void work(void) {
    EXPLORER_CHECK(holder_now == -1, "two threads hold the graph");
    holder_now = explorer_thread();
    uint64_t count = __atomic_load_n(&first, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&first, count, __ATOMIC_RELAXED);
    if (is_read) __atomic_store_n(&second, count, __ATOMIC_RELAXED);
    holder_now = -1;
}

static void leave(void) { EXPLORER_CHECK(!reactive_leave_needs_flush(&graph), "there is nothing to flush"); }

static void take_rounds(int rounds) {
    for (int i = 0; i < rounds; i++) {
        reactive_enter(&graph);
        work();
        leave();
    }
}

static void read_optimistically(void) {
    uint64_t word = reactive_read_begin(&graph);
    if (!reactive_may_read(word)) return;
    uint64_t copy[2] = { __atomic_load_n(&first, __ATOMIC_RELAXED), __atomic_load_n(&second, __ATOMIC_RELAXED) };
    if (reactive_read_is_valid(&graph, word, copy))
        EXPLORER_CHECK(copy[0] == copy[1], "an optimistic reader reads half of a change");
}

// MARK: - Preparation

static void prepare(void) {
    first = second = 0;
    is_read = false;
    holder_now = -1;
    has_barriers = true;
    barrier_calls = 0;
    explored_forbids_barriers = false;
    holder = NULL;
    unused_presences = NULL;
    reactive_default_graph_state.lock = REACTIVE_LOCK_VERSION;
    graph = (reactive_graph) { .lock = REACTIVE_LOCK_VERSION, .biased_to = &reactive_nobody, .epoch = 1 };
    // The only graph.
    newest_graph = &graph;
    other_graph = graph;
    for (int i = 0; i < EXPLORER_MOST_THREADS; i++) presences[i] = reactive_nobody;
    explorer_name(&graph.lock, "lock");
    explorer_name(&graph.biased_to, "biased_to");
    explorer_name(&graph.last_biased_to, "last_biased_to");
    explorer_name(&graph.waiters, "waiters");
    explorer_name(&graph, "graph");
    explorer_name(&other_graph.lock, "other lock");
    explorer_name(&presences[0].graph, "presence");
    explorer_name(&reactive_nobody, "nobody");
    explorer_name(&first, "first");
    explorer_name(&second, "second");
    explorer_name(&has_barriers, "has_barriers");
    explorer_name(&barrier_calls, "barrier_calls");
    explorer_name(&reactive_registry, "registry");
    explorer_name(&explored_forbids_barriers, "forbids_barriers");
    explorer_name(&reactive_recordings, "recordings");
}

/// The graph is biased to the first thread.
static void prepare_biased(void) {
    prepare();
    graph.biased_to = graph.last_biased_to = &presences[0];
    graph.lock |= REACTIVE_LOCK_BIASED;
}

static void prepare_read(void) {
    prepare();
    is_read = true;
}

static void prepare_read_biased(void) {
    prepare_biased();
    is_read = true;
}

/// The next time that the first thread finds itself alone, the graph becomes biased to it.
static void prepare_nearly_biased(void) {
    prepare();
    graph.lock = 0;
    graph.regular_streak = first_streak - 1;
}

static void prepare_held(void) {
    prepare();
    graph.lock |= REACTIVE_LOCK_HELD;
}

static void prepare_without_barriers(void) {
    prepare();
    has_barriers = false;
    graph.lock |= REACTIVE_LOCK_OUT_OF_LINE;
}

/// Two graphs, the older one of which is held.
static void prepare_two_graphs(void) {
    prepare();
    other_graph.lock |= REACTIVE_LOCK_HELD;
    graph.older = &other_graph;
    other_graph.newer = &graph;
}

/// A thread's context as at its start.
static void begin_thread(int thread) {
    reactive_thread = (reactive_context) { .tracking = &reactive_outside, .stack_limit = UINTPTR_MAX };
    // Others have none, as long as no graph has been biased to them.
    if (thread == 0) reactive_thread.presence = &presences[0];
}

// MARK: - Programs

/// Sums up how often threads have taken the lock.
static void check_count(uint64_t rounds) {
    EXPLORER_CHECK(first == rounds, "a change is lost");
    EXPLORER_CHECK(!(graph.lock & REACTIVE_LOCK_HELD), "the graph stays locked");
    EXPLORER_CHECK(graph.waiters == 0, "a thread is still counted as waiting");
}
static void check_2(void) { check_count(2); }
static void check_3(void) { check_count(3); }
static void check_4(void) { check_count(4); }

static void run_once(int thread) {
    begin_thread(thread);
    take_rounds(1);
}

static void run_twice_and_once(int thread) {
    begin_thread(thread);
    take_rounds(thread == 0 ? 2 : 1);
}

static void run_nearly_biased(int thread) {
    begin_thread(thread);
    if (thread == 0) graph.regular = &reactive_thread;
    take_rounds(thread == 0 ? 2 : 1);
}

static void run_reader(int thread) {
    begin_thread(thread);
    if (thread == 0) take_rounds(2);
    else read_optimistically();
}

static void avoid_barriers(void) {
    EXPLORER_CHECK(reactive_avoid_barriers(), "the use of barriers does not end");
    __atomic_store_n(&explored_forbids_barriers, true, __ATOMIC_SEQ_CST);
}

static void run_end_of_barriers(int thread) {
    begin_thread(thread);
    if (thread == 0) take_rounds(2);
    else avoid_barriers();
}

/// The first thread begins inside.
static void run_held(int thread) {
    begin_thread(thread);
    if (thread > 0) {
        take_rounds(1);
        return;
    }
    reactive_thread.graph = &graph;
    reactive_thread.depth = 1;
    work();
    leave();
}

static void run_held_and_end_of_barriers(int thread) {
    if (thread < 2) {
        run_held(thread);
        return;
    }
    begin_thread(thread);
    avoid_barriers();
}

/// The first thread takes the lock after it has ended the use of barriers.
static void run_after_end_of_barriers(int thread) {
    begin_thread(thread);
    if (thread == 0) avoid_barriers();
    take_rounds(thread == 0 ? 1 : 2);
}

/// Two graphs: the first thread, to which the newer one is biased, ends. Another one may get its presence, and becomes
/// regular in the older graph.
static void prepare_presence_for_reuse(void) {
    prepare_biased();
    graph.older = &other_graph;
    other_graph.newer = &graph;
    other_graph.lock = 0;
    other_graph.regular_streak = first_streak - 1;
    unused_presences = &presences[1];
}

static void run_presence_reused(int thread) {
    begin_thread(thread);
    if (thread == 0) {
        take_rounds(1);
        reactive_give_up_presence();
        return;
    }
    if (thread == 1) {
        other_graph.regular = &reactive_thread;
        for (int i = 0; i < 2; i++) {
            reactive_enter(&other_graph);
            EXPLORER_CHECK(!reactive_leave_needs_flush(&other_graph), "there is nothing to flush");
        }
    }
    take_rounds(1);
}

/// The presence that each thread has got.
static reactive_presence *taken[EXPLORER_MOST_THREADS];

/// Two presences are unused, and the first thread has one.
static void prepare_presences(void) {
    prepare();
    presences[1].next_unused = &presences[2];
    unused_presences = &presences[1];
    for (int i = 0; i < EXPLORER_MOST_THREADS; i++) taken[i] = NULL;
}

/// All threads get a presence, and the first one gives its own up before.
static void run_presences(int thread) {
    begin_thread(thread);
    if (thread == 0) reactive_give_up_presence();
    taken[thread] = own_presence();
    EXPLORER_CHECK(own_presence() == taken[thread], "a thread gets a second presence");
}

static void check_presences(void) {
    for (int i = 0; i < 3; i++) {
        bool is_known = taken[i] >= presences && taken[i] < presences + 3;
        EXPLORER_CHECK(is_known, "a presence is allocated although one is unused");
        for (int j = 0; j < i; j++) EXPLORER_CHECK(taken[i] != taken[j], "two threads have one presence");
    }
}

static void work_with_all(reactive_graph *each, void *argument) {
    (void)argument;
    if (each == &graph) work();
}

/// Two threads take all graphs, as for a recording; a third one is inside one of them.
static void run_with_all(int thread) {
    begin_thread(thread);
    if (thread < 2) {
        EXPLORER_CHECK(reactive_with_all_graphs(work_with_all, NULL), "a thread does not get all graphs");
    } else {
        reactive_thread.graph = &other_graph;
        reactive_thread.depth = 1;
        EXPLORER_CHECK(!reactive_leave_needs_flush(&other_graph), "there is nothing to flush");
    }
}

/// How a program is explored.
static const struct {
    explorer_program program;
    explorer_mode mode;
    /// The number of pre-emptions, or of random schedules.
    uint64_t bound;
} programs[] = {
    { { "biased", 2, prepare_biased, run_once, check_2 }, EXPLORER_ALL, 0 },
    { { "biased-longer", 2, prepare_biased, run_twice_and_once, check_3 }, EXPLORER_BOUNDED, 3 },
    { { "nearly-biased", 2, prepare_nearly_biased, run_nearly_biased, check_3 }, EXPLORER_BOUNDED, 3 },
    { { "waiting", 2, prepare, run_once, check_2 }, EXPLORER_ALL, 0 },
    { { "waiting-longer", 2, prepare, run_twice_and_once, check_3 }, EXPLORER_BOUNDED, 3 },
    { { "reading", 2, prepare_read_biased, run_reader, check_2 }, EXPLORER_ALL, 0 },
    { { "reading-unbiased", 2, prepare_read, run_reader, check_2 }, EXPLORER_ALL, 0 },
    { { "ending-barriers", 2, prepare_biased, run_end_of_barriers, check_2 }, EXPLORER_ALL, 0 },
    { { "without-barriers", 2, prepare_without_barriers, run_twice_and_once, check_3 }, EXPLORER_ALL, 0 },
    { { "after-barriers", 2, prepare, run_after_end_of_barriers, check_3 }, EXPLORER_BOUNDED, 3 },
    { { "all-graphs", 3, prepare_two_graphs, run_with_all, check_2 }, EXPLORER_BOUNDED, 3 },
    { { "presences", 3, prepare_presences, run_presences, check_presences }, EXPLORER_BOUNDED, 3 },
    { { "presence-reused", 3, prepare_presence_for_reuse, run_presence_reused, check_3 }, EXPLORER_RANDOM, 100000 },
    { { "three-waiting", 3, prepare_held, run_held, check_3 }, EXPLORER_BOUNDED, 2 },
    { { "three-biased", 3, prepare_biased, run_twice_and_once, check_4 }, EXPLORER_RANDOM, 100000 },
    { { "three-unbiased", 3, prepare, run_twice_and_once, check_4 }, EXPLORER_RANDOM, 100000 },
    { { "three-ending-barriers", 3, prepare_held, run_held_and_end_of_barriers, check_2 }, EXPLORER_RANDOM, 100000 },
};
enum { program_count = sizeof programs / sizeof *programs };

// MARK: - Main

/// Returns after the last schedule; a failure ends the process.
static void explore(const explorer_program *program, explorer_options options) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    explorer_result result = explorer_run(program, options);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%s: holds in ", program->name);
    switch (options.mode) {
    case EXPLORER_ALL: printf(result.is_incomplete ? "the first " : "all "); break;
    case EXPLORER_BOUNDED: printf("all with at most %d pre-emptions, ", options.bound); break;
    case EXPLORER_RANDOM: printf("random ones from seed %llu, ", (unsigned long long)options.seed); break;
    case EXPLORER_REPLAY: break;
    }
    printf(
        "%llu schedules of at most %d steps (%.1f s)\n", (unsigned long long)result.schedules, result.longest, seconds);
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < program_count; i++) {
        if (count < 2 || strcmp(arguments[1], programs[i].program.name) != 0) continue;
        explorer_options options = { .mode = programs[i].mode, .delays_stores = true, .seed = 1 };
        if (options.mode == EXPLORER_BOUNDED) options.bound = (int)programs[i].bound;
        if (options.mode == EXPLORER_RANDOM) options.limit = programs[i].bound;
        if (count == 4 && strcmp(arguments[2], "replay") == 0) {
            options.mode = EXPLORER_REPLAY;
            options.schedule = arguments[3];
        } else if (count == 4 && strcmp(arguments[2], "bounded") == 0) {
            options.mode = EXPLORER_BOUNDED;
            options.bound = atoi(arguments[3]);
        } else if (count == 5 && strcmp(arguments[2], "random") == 0) {
            options.mode = EXPLORER_RANDOM;
            options.seed = strtoull(arguments[3], NULL, 10);
            options.limit = strtoull(arguments[4], NULL, 10);
        } else if (count != 2) {
            break;
        }
        explore(&programs[i].program, options);
        return 0;
    }
    for (int i = 0; i < program_count; i++) puts(programs[i].program.name);
    return 2;
}
