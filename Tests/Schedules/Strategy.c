// Which schedules are tried.
//
// *All* is a depth-first search: an execution repeats the decisions of the last one up to a step and takes a different
// one there. Not every order of operations is tried, since most operations do not affect one another. Dynamic
// partial-order reduction (Flanagan and Godefroid, 2005) finds those that matter: where an operation could have come
// before an earlier one of a different thread, and their order matters, that order is tried later. Sleep sets
// (Godefroid, 1996) leave out orders that are the same as one that has been tried. The two fit together only if the
// process that is tried is chosen as in Abdulla, Aronis, Jonsson and Sagonas, "Optimal Dynamic Partial Order Reduction"
// (2014): one that can begin what is to come earlier (a *source set*). A delayed store becomes visible by the step of a
// separate process (Zhang, Kusano and Wang, "Dynamic Partial Order Reduction for Relaxed Memory Models", 2015).
//
//  - Two operations *conflict* if they use the same object and one of them changes it; see `operation.uses`. The two
//    processes of one thread do not conflict: when a store becomes visible matters to other threads only.
//  - A step *follows* an earlier one if it is of the same process, conflicts with it, or was made possible by it, or if
//    it follows a step that does. `clock` stores for each process the last step that a step follows.
//  - So each pair of conflicting steps, of which the later one would not follow the earlier one without this conflict,
//    is tried in both orders. For a pair that is never possible in the same state there is only one order.
//
// Litmus.c compares the results with those of a search without reduction.
//
// *Bounded* tries all sequences of decisions with at most `bound` pre-emptions: changes to a different thread while the
// earlier one could continue (Musuvathi and Qadeer, "Iterative Context Bounding", 2007). It uses no reduction.
//
// *Random* alternates between two kinds of random schedules: at each step any process, usually the same one as before;
// and priorities with few changes (Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding
// Bugs", 2010).
#include "Execution.h"

#include <stdio.h>

typedef struct {
    int process;
    operation done;
    /// The processes that could have continued, those that must be tried here, have been, and need not be.
    process_set possible, wanted, tried, asleep;
    /// Bounded: the threads that could have continued and wait for a change.
    process_set waiting;
    /// The last step of each process that this one follows, or -1.
    int clock[MOST_PROCESSES];
    /// Bounded: the number of pre-emptions before this step.
    int preemptions;
} step;

explorer_result result;

static step steps[MOST_STEPS];
/// The number of steps that this execution repeats.
static int repeated;
/// Whether the rest of the execution shows nothing new and is not noted, and where it begins.
static bool is_cut;
static int cut_at;
/// The last step of each process, or -1.
static int last_step[MOST_PROCESSES];

static int process_count(void) { return 2 * thread_count; }

static int first_of(process_set set) { return __builtin_ctz(set); }

/// The threads of a set that wait for a change, which may be one that does not help them.
static process_set waiting_threads(process_set set) {
    process_set waiting = 0;
    for (int thread = 0; thread < thread_count; thread++)
        if (contains(set, thread) && pending[thread].kind == OPERATION_WAIT) waiting |= set_of(thread);
    return waiting;
}

/// The process that continues if nothing speaks for a different one: the thread of the last step, then other threads,
/// then delayed stores, and at last threads that wait for a change.
static int usual_choice(process_set set) {
    process_set waiting = waiting_threads(set);
    if (set != waiting) set &= ~waiting;
    if (step_count > 0) {
        int last = steps[step_count - 1].process;
        if (contains(set, last)) return last;
        if (contains(set, thread_of(last))) return thread_of(last);
    }
    return first_of(set);
}

// MARK: - Conflicts

static bool conflict(int process, const operation *first, int other, const operation *second) {
    if (thread_of(process) == thread_of(other)) return false;
    for (int i = 0; i < first->use_count; i++)
        for (int j = 0; j < second->use_count; j++)
            if (first->uses[i].object == second->uses[j].object
                && (first->uses[i].is_changed || second->uses[j].is_changed)) return true;
    return false;
}

/// Whether there may be a state in which both operations are possible, given that the first came before the second.
static bool may_be_swapped(const operation *first, const operation *second) {
    if (first->kind == OPERATION_UNLOCK) return second->kind != OPERATION_LOCK;
    if (first->kind == OPERATION_ARRIVAL) return second->kind != OPERATION_FENCE_OTHER;
    return true;
}

static bool follows(const int clock[], int earlier) { return clock[steps[earlier].process] >= earlier; }

static void join(int clock[], const int other[]) {
    for (int i = 0; i < process_count(); i++)
        if (other[i] > clock[i]) clock[i] = other[i];
}

static void join_step(int clock[], int index) {
    if (index < 0) return;
    join(clock, steps[index].clock);
    if (clock[steps[index].process] < index) clock[steps[index].process] = index;
}

/// Whether an operation waits until the thread's delayed stores are visible.
static bool needs_arrivals(const operation *operation) {
    return operation->kind != OPERATION_LOAD && operation->kind != OPERATION_STORE;
}

/// What the next operation of a process follows, without its conflicts.
static void clock_before(int process, const operation *next, int clock[]) {
    for (int i = 0; i < process_count(); i++) clock[i] = -1;
    join_step(clock, last_step[process]);
    join_step(clock, next->enabled_by);
    if (process < thread_count && needs_arrivals(next)) join_step(clock, last_step[arrivals_of(process)]);
}

static void set_clock(step *now, int index) {
    clock_before(now->process, &now->done, now->clock);
    for (int i = index - 1; i >= 0; i--)
        if (!follows(now->clock, i) && conflict(steps[i].process, &steps[i].done, now->process, &now->done))
            join_step(now->clock, i);
}

// MARK: - All

/// The processes that can begin, before step `index`, what the steps after it do independently of it, followed by the
/// operation `next` of `process`.
static process_set initial_processes(int index, int process, const operation *next, const int clock[]) {
    process_set initial = 0, seen = 0;
    bool is_next_initial = true;
    int independent[MOST_STEPS];
    int count = 0;
    for (int i = index + 1; i < step_count; i++) {
        const step *later = &steps[i];
        if (follows(later->clock, index)) continue;
        if (follows(clock, i) || conflict(later->process, &later->done, process, next)) is_next_initial = false;
        if (!contains(seen, later->process)) {
            seen |= set_of(later->process);
            bool is_initial = true;
            for (int k = 0; k < count && is_initial; k++) is_initial = !follows(later->clock, independent[k]);
            if (is_initial) initial |= set_of(later->process);
        }
        independent[count++] = i;
    }
    if (is_next_initial) initial |= set_of(process);
    return initial & steps[index].possible;
}

/// Looks for earlier steps that conflict with what a process is about to do and could have come after it, and makes a
/// later execution try that order.
static void find_orders_to_try(int process, const operation *next) {
    int before[MOST_PROCESSES], clock[MOST_PROCESSES];
    clock_before(process, next, before);
    memcpy(clock, before, sizeof clock);
    for (int i = step_count - 1; i >= 0; i--) {
        if (follows(clock, i) || !conflict(steps[i].process, &steps[i].done, process, next)) continue;
        if (!may_be_swapped(&steps[i].done, next)) continue;
        process_set initial = initial_processes(i, process, next, before);
        if (initial == 0) steps[i].wanted |= steps[i].possible;
        else if ((initial & steps[i].wanted) == 0)
            steps[i].wanted |= contains(initial, process) ? set_of(process) : set_of(first_of(initial));
        join_step(clock, i);
    }
}

/// The processes that need not be tried after the last step: what they would do has been tried before it, and does not
/// conflict with it.
static process_set asleep_after(const step *last) {
    process_set earlier = (last->asleep | last->tried) & ~set_of(last->process);
    process_set set = 0;
    for (int process = 0; process < process_count(); process++) {
        if (!contains(earlier, process)) continue;
        if (!conflict(last->process, &last->done, process, &pending[process])) set |= set_of(process);
    }
    return set;
}

static int choose_among_all(void) {
    if (step_count < repeated) return steps[step_count].process;
    process_set possible = possible_processes();
    if (possible == 0) return -1;
    process_set asleep = step_count > 0 ? asleep_after(&steps[step_count - 1]) : 0;
    if ((possible & ~asleep) == 0) {
        is_cut = true;
        cut_at = step_count;
        result.cut += 1;
        return usual_choice(possible);
    }
    int choice = usual_choice(possible & ~asleep);
    steps[step_count] = (step) {
        .process = choice, .possible = possible, .wanted = set_of(choice), .asleep = asleep
    };
    return choice;
}

static bool next_among_all(void) {
    for (int index = (is_cut ? cut_at : step_count) - 1; index >= 0; index--) {
        step *last = &steps[index];
        last->tried |= set_of(last->process);
        process_set open = last->wanted & ~last->tried & ~last->asleep;
        if (open == 0) continue;
        last->process = first_of(open);
        repeated = index + 1;
        return true;
    }
    return false;
}

// MARK: - Bounded

/// A thread that waits for a change lets others go first, too. Otherwise two that wait could take turns forever.
static bool is_preemption(int index, int process) {
    const step *now = &steps[index];
    if (contains(now->waiting, process)) return now->possible != now->waiting;
    if (index == 0) return false;
    int last = steps[index - 1].process;
    return process != last && contains(now->possible & ~now->waiting, last);
}

static int choose_bounded(void) {
    if (step_count < repeated) return steps[step_count].process;
    process_set possible = possible_processes();
    if (possible == 0) return -1;
    int choice = usual_choice(possible);
    step *now = &steps[step_count];
    *now = (step) { .process = choice, .possible = possible, .waiting = waiting_threads(possible) };
    if (step_count > 0)
        now->preemptions = now[-1].preemptions + (is_preemption(step_count - 1, now[-1].process) ? 1 : 0);
    return choice;
}

static bool next_bounded(void) {
    for (int index = step_count - 1; index >= 0; index--) {
        step *last = &steps[index];
        last->tried |= set_of(last->process);
        for (int process = 0; process < process_count(); process++) {
            if (!contains(last->possible & ~last->tried, process)) continue;
            if (last->preemptions + (is_preemption(index, process) ? 1 : 0) > options.bound) continue;
            last->process = process;
            repeated = index + 1;
            return true;
        }
    }
    return false;
}

// MARK: - Random

static uint64_t random_state;

/// SplitMix64.
static uint64_t random_number(void) {
    uint64_t number = random_state += UINT64_C(0x9E3779B97F4A7C15);
    number = (number ^ number >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ number >> 27) * UINT64_C(0x94D049BB133111EB);
    return number ^ number >> 31;
}

enum { MOST_CHANGES = 4 };
static uint64_t priorities[MOST_PROCESSES];
static uint64_t lowest_priority;
static int changes[MOST_CHANGES];

uint64_t explorer_seed(void) { return options.seed + result.schedules; }

static void prepare_random(void) {
    random_state = explorer_seed();
    for (int process = 0; process < MOST_PROCESSES; process++)
        priorities[process] = random_number() | UINT64_C(1) << 63;
    lowest_priority = UINT64_C(1) << 62;
    // Steps of a power of two, since the length is not known: most programs take less than 256.
    const int length = 32 << random_number() % 4;
    for (int i = 0; i < MOST_CHANGES; i++) changes[i] = (int)(random_number() % (uint64_t)length);
}

static int choose_at_random(void) {
    process_set possible = possible_processes();
    if (possible == 0) return -1;
    int choice;
    if (explorer_seed() % 2 == 0) {
        choice = usual_choice(possible);
        if (random_number() % 3 == 0)
            do choice = (int)(random_number() % (uint64_t)process_count()); while (!contains(possible, choice));
    } else {
        for (int i = 0; i < MOST_CHANGES; i++)
            if (changes[i] == step_count && step_count > 0)
                priorities[steps[step_count - 1].process] = --lowest_priority;
        choice = first_of(possible);
        for (int process = 0; process < process_count(); process++)
            if (contains(possible, process) && priorities[process] > priorities[choice]) choice = process;
        // A thread that waits for a change lets all others go first.
        if (pending[choice].kind == OPERATION_WAIT) priorities[choice] = --lowest_priority;
    }
    steps[step_count] = (step) { .process = choice };
    return choice;
}

// MARK: - Given schedules

static int process_of(char letter) {
    return letter >= 'a' ? letter - 'a' : arrivals_of(letter - 'A');
}

static int choose_as_given(void) {
    static int times_left;
    process_set possible = possible_processes();
    if (possible == 0) return -1;
    int choice = usual_choice(possible);
    if (*options.schedule) {
        char *end = NULL;
        if (times_left == 0) times_left = (int)strtol(options.schedule + 1, &end, 10);
        if (times_left == 0) times_left = 1;
        choice = process_of(*options.schedule);
        if (!contains(possible, choice)) explorer_fail("the schedule does not fit the program");
        if (--times_left == 0) {
            strtol(options.schedule + 1, &end, 10);
            options.schedule = end;
        }
    }
    steps[step_count] = (step) { .process = choice };
    return choice;
}

void print_schedule(void) {
    // A longer one is that of a program that does not end.
    const int most = 2000;
    for (int i = 0; i < step_count && i < most;) {
        int process = steps[i].process;
        int times = 0;
        while (i < step_count && steps[i].process == process) {
            i += 1;
            times += 1;
        }
        printf("%c", (process < thread_count ? 'a' : 'A') + thread_of(process));
        if (times > 1) printf("%d", times);
    }
}

// MARK: - All strategies

static void prepare_execution(void) {
    is_cut = false;
    for (int i = 0; i < MOST_PROCESSES; i++) last_step[i] = -1;
    if (options.mode == EXPLORER_RANDOM) prepare_random();
}

void begin_strategy(void) {
    result = (explorer_result) { 0 };
    repeated = 0;
    prepare_execution();
}

int choose_process(void) {
    if (step_count >= MOST_STEPS) explorer_fail("the program does not end");
    if (is_cut) {
        process_set possible = possible_processes();
        if (possible == 0) return -1;
        int choice = usual_choice(possible);
        steps[step_count] = (step) { .process = choice };
        return choice;
    }
    switch (options.mode) {
    case EXPLORER_ALL: return choose_among_all();
    case EXPLORER_BOUNDED: return choose_bounded();
    case EXPLORER_RANDOM: return choose_at_random();
    case EXPLORER_REPLAY: return choose_as_given();
    }
    return -1;
}

void note_operation(int process, const operation *done) {
    step *now = &steps[step_count];
    if (step_count < repeated && now->done.kind != done->kind && step_count < repeated - 1)
        explorer_fail("the program is not the same each time");
    now->done = *done;
    if (options.mode == EXPLORER_REPLAY) print_operation(process, done);
    if (options.mode != EXPLORER_ALL || is_cut) return;
    if (step_count >= repeated - 1) find_orders_to_try(process, done);
    set_clock(now, step_count);
    last_step[process] = step_count;
}

bool next_execution(void) {
    result.schedules += 1;
    if (step_count > result.longest) result.longest = step_count;
    bool is_more = false;
    switch (options.mode) {
    case EXPLORER_ALL: is_more = next_among_all(); break;
    case EXPLORER_BOUNDED: is_more = next_bounded(); break;
    case EXPLORER_RANDOM: is_more = result.schedules < options.limit; break;
    case EXPLORER_REPLAY: break;
    }
    if (is_more && options.limit > 0 && result.schedules >= options.limit) {
        result.is_incomplete = true;
        is_more = false;
    }
    if (is_more) prepare_execution();
    return is_more;
}
