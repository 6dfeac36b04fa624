// Checks the explorer itself.
//
//  - *Litmus tests*, the small programs that tell memory models apart: each outcome that total store order allows is
//    found, and no other.
//  - *Random programs* for three threads: the search with reduction finds the same outcomes as the search without it,
//    which tries each sequence of decisions.
//
// A random program is left out if the search without reduction takes more than LIMIT schedules.
//
//     litmus [SEED [PROGRAMS [LIMIT]]]
#include "Explorer.h"

#include <stdio.h>

// MARK: - Programs of loads and stores

typedef enum { LOAD, STORE, SWAP, COMPARE_AND_SWAP, FENCE, FENCE_OTHERS, LOCK, UNLOCK } instruction_kind;

typedef struct {
    instruction_kind kind;
    /// The location, and the value to store.
    int location, value;
} instruction;

enum { most_locations = 3, most_instructions = 6, most_results = 64, most_outcomes = 4096 };

/// The number of schedules that the search without reduction may take.
static uint64_t most_schedules = 20000;

static struct {
    int thread_count;
    instruction code[EXPLORER_MOST_THREADS][most_instructions];
    int counts[EXPLORER_MOST_THREADS];
} program;

// Separate words, since an object of the explorer is a word.
static uint64_t memory[most_locations];
static uint64_t mutex;
/// What the loads of each thread have read, in order.
static uint64_t loaded[EXPLORER_MOST_THREADS][most_instructions];

/// The set of outcomes: what was loaded, and the memory at the end, as one number.
static uint64_t outcomes[most_outcomes];
static int outcome_count;

static void prepare(void) {
    memset(memory, 0, sizeof memory);
    memset(loaded, 0, sizeof loaded);
}

static void run(int thread) {
    for (int i = 0; i < program.counts[thread]; i++) {
        instruction next = program.code[thread][i];
        uint64_t *location = &memory[next.location];
        uint64_t value = (uint64_t)next.value;
        switch (next.kind) {
        case LOAD: loaded[thread][i] = __atomic_load_n(location, __ATOMIC_RELAXED); break;
        case STORE: __atomic_store_n(location, value, __ATOMIC_RELAXED); break;
        case SWAP: loaded[thread][i] = __atomic_exchange_n(location, value, __ATOMIC_SEQ_CST); break;
        case COMPARE_AND_SWAP: {
            uint64_t expected = 0;
            __atomic_compare_exchange_n(location, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
            loaded[thread][i] = expected;
            break;
        }
        case FENCE: __atomic_thread_fence(__ATOMIC_SEQ_CST); break;
        case FENCE_OTHERS: explored_fence_others(); break;
        case LOCK: explored_lock(&mutex); break;
        case UNLOCK: explored_unlock(&mutex); break;
        }
    }
}

static void check(void) {
    uint64_t outcome = 0;
    for (int thread = 0; thread < program.thread_count; thread++)
        for (int i = 0; i < program.counts[thread]; i++) outcome = outcome * 4 + loaded[thread][i];
    for (int i = 0; i < most_locations; i++) outcome = outcome * 4 + memory[i];
    for (int i = 0; i < outcome_count; i++)
        if (outcomes[i] == outcome) return;
    EXPLORER_CHECK(outcome_count < most_outcomes, "there is no room for so many outcomes");
    outcomes[outcome_count++] = outcome;
}

static explorer_program explored = { "litmus", EXPLORER_MOST_THREADS, prepare, run, check };

static explorer_result explore(explorer_mode mode, bool delays_stores) {
    outcome_count = 0;
    explorer_options options = {
        .mode = mode, .delays_stores = delays_stores, .bound = INT32_MAX, .limit = most_schedules
    };
    return explorer_run(&explored, options);
}

// MARK: - Litmus tests

/// Outcomes are written as what each instruction reads, in the order of the threads; stores and fences read 0.
typedef struct {
    const char *name;
    const char *code[EXPLORER_MOST_THREADS];
    /// An outcome that would be surprising, and whether total store order allows it.
    const char *surprise;
    bool is_allowed, is_allowed_without_delays;
} litmus_test;

// `x=1` stores, `x` loads, `x:1` swaps, `|` is a fence, `*` a fence of all others.
static const litmus_test tests[] = {
    { "store buffering", { "x=1 y", "y=1 x" }, "0000", true, false },
    { "store buffering with fences", { "x=1 | y", "y=1 | x" }, "000000", false, false },
    { "store buffering with one fence", { "x=1 | y", "y=1 x" }, "00000", true, false },
    { "store buffering with a barrier on one side", { "x=1 y", "y=1 * x" }, "00000", false, false },
    { "store buffering with swaps", { "x:1 y", "y:1 x" }, "0000", false, false },
    { "message passing", { "x=1 y=1", "y x" }, "0010", false, false },
    { "load buffering", { "x y=1", "y x=1" }, "1010", false, false },
    { "own stores early", { "x=1 x y", "y=1 y x" }, "010010", true, false },
    { "independent reads", { "x=1", "y=1", "x y", "y x" }, "001010", false, false },
    { "write to read causality", { "x=1", "x y=1", "y x" }, "01010", false, false },
};

static instruction parse(const char *word) {
    instruction result = { .kind = LOAD };
    if (*word == '|') result.kind = FENCE;
    else if (*word == '*') result.kind = FENCE_OTHERS;
    else result.location = *word - 'x';
    if (word[1] == '=' || word[1] == ':') {
        result.kind = word[1] == '=' ? STORE : SWAP;
        result.value = word[2] - '0';
    }
    return result;
}

static void load_test(const litmus_test *test) {
    memset(&program, 0, sizeof program);
    program.thread_count = EXPLORER_MOST_THREADS;
    for (int thread = 0; thread < EXPLORER_MOST_THREADS; thread++) {
        const char *code = test->code[thread];
        while (code && *code) {
            program.code[thread][program.counts[thread]++] = parse(code);
            while (*code && *code != ' ') code += 1;
            while (*code == ' ') code += 1;
        }
    }
}

/// Whether an outcome was found in which the instructions read these values.
static bool is_found(const char *read) {
    uint64_t wanted = 0;
    for (; *read; read++) wanted = wanted * 4 + (uint64_t)(*read - '0');
    for (int i = 0; i < outcome_count; i++)
        if (outcomes[i] >> (2 * most_locations) == wanted) return true;
    return false;
}

static bool run_tests(void) {
    bool is_as_expected = true;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        load_test(&tests[i]);
        for (int delays = 0; delays < 2; delays++) {
            explore(EXPLORER_ALL, delays == 1);
            bool is_allowed = delays ? tests[i].is_allowed : tests[i].is_allowed_without_delays;
            if (is_found(tests[i].surprise) == is_allowed) continue;
            printf("%s: %s is %s\n", tests[i].name, tests[i].surprise, is_allowed ? "not found" : "found");
            is_as_expected = false;
        }
    }
    return is_as_expected;
}

// MARK: - Random programs

static uint64_t random_state;

static int random_below(int bound) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((random_state >> 33) % (uint64_t)bound);
}

static void make_program(uint64_t seed) {
    static const int lengths[][3] = { { 3, 2, 0 }, { 2, 1, 1 }, { 3, 3, 0 }, { 2, 2, 1 } };
    random_state = seed;
    const int *length = lengths[random_below(4)];
    memset(&program, 0, sizeof program);
    program.thread_count = 3;
    for (int thread = 0; thread < 3; thread++) {
        bool is_locked = false;
        for (int i = 0; i < length[thread]; i++) {
            instruction next = { .kind = (instruction_kind)random_below(UNLOCK + 1) };
            // Half of all instructions are loads and stores.
            if (next.kind >= SWAP && random_below(2) == 0) next.kind = (instruction_kind)random_below(2);
            if (next.kind >= LOCK) next.kind = is_locked ? UNLOCK : i + 1 < length[thread] ? LOCK : LOAD;
            if (is_locked && i + 1 == length[thread]) next.kind = UNLOCK;
            if (next.kind == LOCK) is_locked = true;
            if (next.kind == UNLOCK) is_locked = false;
            next.location = random_below(2);
            next.value = 1 + random_below(3);
            program.code[thread][i] = next;
        }
        program.counts[thread] = length[thread];
    }
}

static int compare(const void *first, const void *second) {
    uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;
    return a < b ? -1 : a > b;
}

static void print_program(void) {
    static const char *const words[] = { "load", "store", "swap", "cas", "fence", "fence-others", "lock", "unlock" };
    for (int thread = 0; thread < program.thread_count; thread++) {
        printf("  %c:", 'a' + thread);
        for (int i = 0; i < program.counts[thread]; i++) {
            instruction next = program.code[thread][i];
            printf(" %s(%c, %d)", words[next.kind], 'x' + next.location, next.value);
        }
        printf("\n");
    }
}

static bool compare_searches(uint64_t first_seed, uint64_t count) {
    uint64_t reduced = 0, all = 0, outcomes_found = 0, compared = 0;
    for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
        make_program(seed);
        bool delays_stores = seed % 4 != 0;
        explorer_result without = explore(EXPLORER_BOUNDED, delays_stores);
        if (without.is_incomplete) continue;
        compared += 1;
        all += without.schedules;
        uint64_t expected[most_outcomes];
        int expected_count = outcome_count;
        memcpy(expected, outcomes, sizeof outcomes);
        reduced += explore(EXPLORER_ALL, delays_stores).schedules;
        qsort(expected, (size_t)expected_count, sizeof *expected, compare);
        qsort(outcomes, (size_t)outcome_count, sizeof *outcomes, compare);
        outcomes_found += (uint64_t)outcome_count;
        if (expected_count == outcome_count
            && memcmp(expected, outcomes, (size_t)outcome_count * sizeof *outcomes) == 0) continue;
        printf(
            "seed %llu: the reduced search finds %d outcomes of %d\n", (unsigned long long)seed, outcome_count,
            expected_count);
        print_program();
        return false;
    }
    printf(
        "%llu random programs from seed %llu: %llu outcomes, in %llu schedules with reduction and %llu without\n",
        (unsigned long long)compared, (unsigned long long)first_seed, (unsigned long long)outcomes_found,
        (unsigned long long)reduced, (unsigned long long)all);
    return true;
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    uint64_t programs = count > 2 ? strtoull(arguments[2], NULL, 10) : 60;
    if (count > 3) most_schedules = strtoull(arguments[3], NULL, 10);
    if (!run_tests()) return 1;
    printf("%zu litmus tests have the outcomes of total store order\n", sizeof tests / sizeof *tests);
    return compare_searches(seed, programs) ? 0 : 1;
}
