// The parts that Swift cannot express inline: the memory layout of the graph, the thread's own context, and the graph's
// lock.
//
// Nothing here depends on values or calls user code. The functions are `static inline`, so that they become part of the
// `@inlinable` accessors in the library's users. Rare or large functions are in the C files beside this header.
#ifndef CREACTIVE_H
#define CREACTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct reactive_node reactive_node;
typedef struct reactive_edge reactive_edge;
typedef struct reactive_observer reactive_observer;
typedef struct reactive_context reactive_context;
typedef struct reactive_graph reactive_graph;
typedef struct reactive_part_list reactive_part_list;

#define REACTIVE_INLINE static inline __attribute__((always_inline, unused))
#define REACTIVE_LIKELY(x) __builtin_expect(!!(x), 1)

// MARK: - Memory

/// Asks the processor to load memory that will be read soon, and does not wait for it. The memory need not be mapped.
REACTIVE_INLINE void reactive_prefetch(const void *_Nonnull address, size_t size) {
    // No test sees this never hold: it only saves time.
    for (size_t offset = 0; offset < size; offset += 64) __builtin_prefetch((const char *)address + offset);
}

// MARK: - Edges

/// An edge: `observer` has read `source`. It is a member of two lists.
///
/// `next_source` links the edges of one observer in the order of its reads. `previous_observer` and `next_observer`
/// link the edges of one source in the order of subscription. The first edge's `previous_observer` is the last edge, so
/// that a node needs one pointer for a list with two ends. An edge of an observer that is not live is only in its
/// observer's list.
struct __attribute__((swift_name("Edge"))) reactive_edge {
    reactive_node *_Nullable source;
    reactive_edge *_Nonnull next_source;
    reactive_node *_Nullable observer;
    reactive_edge *_Nullable previous_observer;
    union {
        reactive_edge *_Nullable next_observer;
        /// Edges that are not in use: the next one in the free list of its slab.
        reactive_edge *_Nullable next_free;
    };
};

/// The end of every source list: its own successor, with no source. It lets the cursor look one edge ahead without a
/// test.
extern reactive_edge reactive_no_edge;

REACTIVE_INLINE reactive_edge *_Nonnull reactive_end_of_sources(void) { return &reactive_no_edge; }

// MARK: - Nodes

/// The kind and the state of a node.
enum __attribute__((flag_enum, enum_extensibility(open), swift_name("NodeFlags"))) reactive_flags : uint32_t {
    /// Must be evaluated before its value may be used.
    REACTIVE_STALE __attribute__((swift_name("stale"))) = 1u << 0,
    /// Something upstream changed: its sources must be checked before its value may be used.
    REACTIVE_MAYBE_STALE __attribute__((swift_name("maybeStale"))) = 1u << 1,
    /// Its closure is running, on the thread that holds the graph.
    REACTIVE_RUNNING __attribute__((swift_name("running"))) = 1u << 2,
    /// A validation walk is checking it.
    REACTIVE_CHECKING __attribute__((swift_name("checking"))) = 1u << 3,
    /// An in-place mutation of its value is in progress.
    REACTIVE_MODIFYING __attribute__((swift_name("modifying"))) = 1u << 4,
    /// Subscribed to its sources. Reactions are live until cancelled, derivations while they have a live observer.
    REACTIVE_LIVE __attribute__((swift_name("live"))) = 1u << 5,
    /// A derivation: recomputes a value from its sources.
    REACTIVE_DERIVATION __attribute__((swift_name("derivation"))) = 1u << 6,
    /// A reaction: runs when its sources changed.
    REACTIVE_REACTION __attribute__((swift_name("reaction"))) = 1u << 7,
    /// A reaction in the queue of the next or current flush.
    REACTIVE_QUEUED __attribute__((swift_name("queued"))) = 1u << 8,
    /// A reaction that waits for its schedule to release its next run.
    REACTIVE_SCHEDULED __attribute__((swift_name("scheduled"))) = 1u << 9,
    /// A reaction that kept making itself run again, out of the queue until the flush is over.
    REACTIVE_SUSPENDED __attribute__((swift_name("suspended"))) = 1u << 10,
    /// A cancelled reaction.
    REACTIVE_CANCELLED __attribute__((swift_name("cancelled"))) = 1u << 11,
    /// A reaction whose cleanup or effect is running on some thread, outside the lock.
    REACTIVE_IN_FLIGHT __attribute__((swift_name("inFlight"))) = 1u << 12,
    /// A reaction whose schedule has released its next run.
    REACTIVE_RELEASED __attribute__((swift_name("released"))) = 1u << 13,
    /// `origin` is a retained `NodeName` rather than a packed file and line.
    REACTIVE_NAMED __attribute__((swift_name("named"))) = 1u << 14,
    /// An observer whose last evaluation read other sources than the one before.
    REACTIVE_RELINKED __attribute__((swift_name("relinked"))) = 1u << 15,
    /// A part of a reaction: when its sources changed, the reaction runs that part. `queued`, `stale` and `cancelled`
    /// mean it alone. With `parted` a part of a derivation, with `router` a router; `queued` then means collected, or
    /// pending.
    REACTIVE_PART __attribute__((swift_name("part"))) = 1u << 16,
    /// A source that it read is known to have changed, so its sources need not be checked. Comes with `maybeStale`, and
    /// may be removed at any time: the epochs contain the same information.
    REACTIVE_SOURCE_CHANGED __attribute__((swift_name("sourceChanged"))) = 1u << 17,
    /// A node of a graph other than the default one, which it keeps.
    REACTIVE_INDEPENDENT __attribute__((swift_name("independent"))) = 1u << 18,
    /// A derivation that has been evaluated, so that its storage contains a value.
    REACTIVE_HAS_VALUE __attribute__((swift_name("hasValue"))) = 1u << 19,
    /// A derivation that the push in progress has visited. Used where marks do not show it; see TakingOver.swift.
    REACTIVE_VISITED __attribute__((swift_name("visited"))) = 1u << 20,
    /// A source that counts the edges that lead to it, also those of observers that are not live.
    REACTIVE_COUNTED __attribute__((swift_name("counted"))) = 1u << 21,
    /// A derivation that may have parts; with `part`, a part of one. See DerivationParts.swift.
    REACTIVE_PARTED __attribute__((swift_name("parted"))) = 1u << 22,
    /// An observer that keeps a view current while nodes of its keys are read; with `part`. See Routers.swift.
    REACTIVE_ROUTER __attribute__((swift_name("router"))) = 1u << 23,
    /// A source that a view changes in its evaluation: it is reverted with the view.
    REACTIVE_ROUTED __attribute__((swift_name("routed"))) = 1u << 24,
    /// A source that reports whether a live observer reads it. See Observation.swift in the folder Graph.
    REACTIVE_REPORTS_OBSERVATION __attribute__((swift_name("reportsObservation"))) = 1u << 25,
    /// `origin` is the address of a `_StoredSource` that knows the name and is not retained: the node itself, or one
    /// that it keeps.
    REACTIVE_NAMED_BY_SOURCE __attribute__((swift_name("namedBySource"))) = 1u << 26,
    /// A source or derivation that observers outside the library may follow: the graph's `OutsideReader` knows it. See
    /// OutsideReads.swift.
    REACTIVE_FOLLOWED_OUTSIDE __attribute__((swift_name("followedOutside"))) = 1u << 27,
    /// A derivation whose closure belongs to an actor, and was evaluated.
    REACTIVE_CONFINED __attribute__((swift_name("confined"))) = 1u << 28,
    /// A node that a recorded event names: its end is recorded too. See Recorder.swift.
    REACTIVE_RECORDED __attribute__((swift_name("recorded"))) = 1u << 29,

    /// The marks that a change upstream leaves on a live observer.
    REACTIVE_MARKS __attribute__((swift_name("marks"))) = REACTIVE_MAYBE_STALE | REACTIVE_SOURCE_CHANGED,
    /// Either of these means that it must be evaluated, without checking its sources.
    REACTIVE_OUTDATED __attribute__((swift_name("outdated"))) = REACTIVE_STALE | REACTIVE_SOURCE_CHANGED,
    /// The nodes that have sources.
    REACTIVE_OBSERVERS __attribute__((swift_name("observers"))) =
        REACTIVE_DERIVATION | REACTIVE_REACTION | REACTIVE_PART,
    /// None of these is set on a node whose value may be used as it stands.
    REACTIVE_NOT_CURRENT __attribute__((swift_name("notCurrent"))) =
        REACTIVE_STALE | REACTIVE_MAYBE_STALE | REACTIVE_RUNNING | REACTIVE_CHECKING | REACTIVE_MODIFYING,
    /// Any of these keeps a reaction out of the queue.
    REACTIVE_HELD __attribute__((swift_name("held"))) =
        REACTIVE_QUEUED | REACTIVE_SCHEDULED | REACTIVE_SUSPENDED | REACTIVE_CANCELLED | REACTIVE_IN_FLIGHT,
};
typedef enum reactive_flags reactive_flags;

/// In a source's `origin`: its values are one word, and the same exactly if the bits are.
#define REACTIVE_COMPARES_BITS 1

/// The part of every node that the graph works on. It lies inside the Swift object that holds the value, right behind
/// the object's header. Epochs count the changes of the whole graph, see `reactive_graph.epoch`.
struct __attribute__((swift_name("NodeHeader"))) reactive_node {
    reactive_flags flags;
    union {
        /// Index + 1 of the node's newest entry in the transaction log, or 0.
        uint32_t log_index;
        /// Reactions: the index into the registry of live reactions.
        uint32_t registry_index;
        /// Parts of derivations: the index into the list of collected parts.
        uint32_t collected_index;
    };
    reactive_graph *_Nonnull graph;
    union {
        /// Sources and derivations: the number of the evaluation that last read the node.
        uint64_t last_reader;
        /// Reactions: the number in the order of creation. Routers: that of the view.
        uint64_t creation_number;
        /// Parts of reactions: the reaction (unretained).
        reactive_observer *_Nullable part_of;
        /// Parts of derivations: the list that they are in.
        reactive_part_list *_Nullable part_list;
    };
    union {
        /// Sources and derivations: the epoch at which the value last changed.
        uint64_t changed_at;
        /// Reactions: how often the tracked part ran.
        uint64_t run_count;
        /// Parts of derivations: the neighbour in their list.
        reactive_observer *_Nullable next_part;
    };
    /// File (upper 48 bits) and line (15 bits), a retained `NodeName`, or the address of a source that knows the name.
    /// Does not change after the initialisation, so it can be read without the lock. The lowest bit is
    /// `REACTIVE_COMPARES_BITS`.
    uint64_t origin;
    union {
        /// Sources and derivations: the first of the edges to live observers.
        reactive_edge *_Nullable observers;
        /// Reactions: the thread that has it queued, suspended or in flight; of that in order, if several are true.
        reactive_context *_Nullable held_by;
        /// Parts of derivations: the neighbour in their list.
        reactive_observer *_Nullable previous_part;
    };
};

/// The initial contents of a node.
REACTIVE_INLINE reactive_node reactive_make_node(
    reactive_flags flags, reactive_graph *_Nonnull graph, uint64_t origin) {
    return (reactive_node) { .flags = flags, .graph = graph, .origin = origin };
}

/// A node that has sources: a derivation or a reaction.
struct __attribute__((swift_name("ObserverHeader"))) reactive_observer {
    reactive_node node;
    /// The epoch up to which the value, or the last run, is known to reflect the sources.
    uint64_t validated_at;
    /// The edges to the nodes that the last evaluation read, in the order of the reads.
    reactive_edge *_Nonnull sources;
};

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(reactive_node) == 48, "reactive_node must have 48 bytes");
_Static_assert(sizeof(reactive_observer) == 64, "reactive_observer must have 64 bytes");
_Static_assert(sizeof(reactive_edge) == 40, "reactive_edge must have 40 bytes");
#endif

// MARK: - The thread's context

/// Growable storage of untyped elements.
struct __attribute__((swift_name("Buffer"))) reactive_buffer {
    void *_Nullable base;
    size_t count;
    size_t capacity;
};
typedef struct reactive_buffer reactive_buffer;

/// The parts of a derivation that exist. Outlives the derivation until the last of them is freed.
struct __attribute__((swift_name("PartList"))) reactive_part_list {
    /// The derivation, or `NULL` once it has been freed.
    reactive_observer *_Nullable derivation;
    /// The newest part.
    reactive_observer *_Nullable first;
    size_t count;
    /// Parts of which something upstream may have changed, in no order. Each knows its index.
    reactive_buffer collected;
};

/// The kinds of work that remain before an operation may end.
enum __attribute__((flag_enum, enum_extensibility(open), swift_name("Work"))) reactive_work : uint32_t {
    REACTIVE_WORK_REACTIONS __attribute__((swift_name("reactions"))) = 1u << 0,
    REACTIVE_WORK_DEFERRED __attribute__((swift_name("deferredActions"))) = 1u << 1,
    /// The queue has to be sorted before the next reaction is taken.
    REACTIVE_WORK_SORTING __attribute__((swift_name("sorting"))) = 1u << 2,
    /// Reactions have been taken over, and may have to be handed back.
    REACTIVE_WORK_TAKEN_OVER __attribute__((swift_name("takenOver"))) = 1u << 3,
    /// Routers are pending.
    REACTIVE_WORK_ROUTERS __attribute__((swift_name("routers"))) = 1u << 4,
    /// Routers wait for an actor. Set also while the lock is free: the thread that takes it checks whether it runs on
    /// that actor.
    REACTIVE_WORK_HOPPING __attribute__((swift_name("hopping"))) = 1u << 5,
    /// Sources may have got their first live observer, or lost their last one.
    REACTIVE_WORK_OBSERVATION __attribute__((swift_name("observation"))) = 1u << 6,
};
typedef enum reactive_work reactive_work;

/// The work that an operation has made due, and that its thread does before the operation ends; see DueWork.swift.
struct __attribute__((swift_name("DueWork"))) reactive_due {
    reactive_work work;
    /// Queued reactions in order of creation (until the first is taken: as they came), with the index of the next to
    /// run; and those that came out of order later, as a heap.
    size_t queue_head;
    reactive_buffer queue;
    reactive_buffer stragglers;
    /// The actions to run as soon as the lock is released: `DeferredAction`s, retained.
    reactive_buffer actions;
    /// Sources that got their first live observer or lost their last one, retained.
    reactive_buffer observation;
    /// Reactions that this flush has suspended, retained.
    reactive_buffer suspended;
    /// Reactions that were another thread's until this operation has written something that they read: `TakenOver`.
    reactive_buffer taken_over;
};
typedef struct reactive_due reactive_due;

/// A flush: a thread runs what an operation has made due. Lies on that thread's stack.
struct __attribute__((swift_name("Flush"))) reactive_flush {
    reactive_graph *_Nonnull graph;
    /// The flush of another graph in whose effect this one began.
    struct reactive_flush *_Nullable outer;
    /// The graph's epoch at the beginning, or when a change from outside last concerned a reaction in flight here.
    /// Guarded by the lock.
    uint64_t since;
    /// Set while the thread runs user code outside the lock.
    struct reactive_absence *_Nullable absence;
};
typedef struct reactive_flush reactive_flush;

/// A thread that has released the lock in the middle of a flush, to run user code. The record is on the thread's stack
/// and guarded by the lock.
struct __attribute__((swift_name("Absence"))) reactive_absence {
    reactive_context *_Nonnull thread;
    reactive_flush *_Nonnull flush;
    /// The remaining work of the flush. No other thread reads it.
    reactive_due due;
    /// The absence of this thread, from the same graph, in which this one began.
    struct reactive_absence *_Nullable outer;
    /// Neighbours among the graph's absences.
    struct reactive_absence *_Nullable previous;
    struct reactive_absence *_Nullable next;
};
typedef struct reactive_absence reactive_absence;

/// The record in which a thread publishes that it is inside a graph that is biased to it, or is trying to enter. Reused
/// by another thread when this one has ended, and never freed.
typedef struct reactive_presence {
    /// The graph, from shortly before it is locked by plain stores until shortly before it is unlocked. Written by its
    /// thread alone.
    reactive_graph *_Nullable graph;
    struct reactive_presence *_Nullable next_unused;
} reactive_presence;

/// The value that no thread has: that of a graph which is biased to no thread.
extern reactive_presence reactive_nobody;

/// An evaluation in progress. It is on the stack of the code that evaluates.
struct __attribute__((swift_name("Evaluation"))) reactive_evaluation {
    /// The node that the observer read at this position the last time; `NULL` at the end of the list.
    reactive_node *_Nullable expected;
    /// The location at which the next read is recorded.
    reactive_edge *_Nonnull *_Nonnull cursor;
    /// Distinguishes it from all other evaluations of the graph. Not 0.
    uint64_t number;
    /// The observer.
    reactive_node *_Nonnull node;
    /// The evaluation in which this one began.
    struct reactive_evaluation *_Nullable outer;
    /// The number of steps of validations in progress that led to it, from the first evaluation on.
    size_t path_count;
};
typedef struct reactive_evaluation reactive_evaluation;

/// Stands for an evaluation where reads are not tracked: it expects no node, its number is 0, and it has no observer.
extern reactive_evaluation reactive_no_evaluation;

/// The record that a thread begins with, and has outside of all closures of the library. While reads there are noted
/// for observers outside the library, its number is `REACTIVE_NOTED`, so that a read takes the lock and looks further.
/// See OutsideReads.swift.
extern reactive_evaluation reactive_outside;
/// The record that replaces it on threads that are known not to be the main thread.
extern reactive_evaluation reactive_elsewhere;

/// The number of no evaluation.
#define REACTIVE_NOTED UINT64_MAX

/// The current activity of a thread in the graph.
struct __attribute__((swift_name("ThreadContext"))) reactive_context {
    /// The evaluation that reads are recorded for; `reactive_no_evaluation` where they are not tracked.
    reactive_evaluation *_Nonnull tracking;
    /// The graph whose lock this thread holds.
    reactive_graph *_Nullable graph;
    /// How often it holds the lock. Undefined if it holds none.
    uint32_t depth;
    /// The number of nodes that are being freed inside one another; at least 1 during the deferred releases.
    uint32_t freeing_depth;
    /// Which of the owner's two scopes a new reaction or cleanup belongs to.
    uint32_t owner_phase;
    /// The reaction that owns new reactions and cleanups (unretained), or `NULL`.
    void *_Nullable owner;
    /// The object that renders on this thread, for a module that hosts rendering (unretained), or `NULL`. The engine
    /// does not use it.
    void *_Nullable rendering;
    /// The graph of nodes that are created outside of any graph's lock; `NULL` for the default one.
    reactive_graph *_Nullable scope;
    /// The flush in progress on this thread: an outermost operation nested in an effect leaves the queue to it.
    reactive_flush *_Nullable flush;
    /// The lowest stack address at which an evaluation may still begin; all ones until first asked.
    uintptr_t stack_limit;
    /// Objects to release once no lock is held.
    reactive_buffer deferred_releases;
    /// Made when a graph becomes biased to this thread for the first time.
    reactive_presence *_Nullable presence;
    /// This thread probes whether an observer outside the library tracks, and one has answered.
    bool is_probing;
    bool probe_was_answered;
    /// The batch of notifications that this thread sends to observers outside the library (compared only), or `NULL`.
    const void *_Nullable notifying;
};

extern _Thread_local reactive_context reactive_thread;

REACTIVE_INLINE __attribute__((pure)) reactive_context *_Nonnull reactive_current(void) { return &reactive_thread; }

/// The record of a thread that tracks no reads.
REACTIVE_INLINE reactive_evaluation *_Nonnull reactive_untracked(void) { return &reactive_no_evaluation; }

/// The record of a thread outside of all closures of the library.
REACTIVE_INLINE reactive_evaluation *_Nonnull reactive_outside_record(void) { return &reactive_outside; }

/// Whether this thread records its reads for one of the library's observers.
REACTIVE_INLINE __attribute__((pure)) bool reactive_is_tracking(void) { return reactive_thread.tracking->node != NULL; }

/// The number of a record. Atomic, since any thread may change that of `reactive_outside`: `reactive_note_reads`.
REACTIVE_INLINE __attribute__((pure)) uint64_t reactive_number_of(const reactive_evaluation *_Nonnull evaluation) {
    return __atomic_load_n(&evaluation->number, __ATOMIC_RELAXED);
}

/// The number of the evaluation that this thread tracks for; 0 where it records no reads.
REACTIVE_INLINE __attribute__((pure)) uint64_t reactive_tracking_number(void) {
    return reactive_number_of(reactive_thread.tracking);
}

/// Whether this thread records its reads: for one of the library's observers, or for those outside.
REACTIVE_INLINE __attribute__((pure)) bool reactive_records_reads(void) { return reactive_tracking_number() != 0; }

// MARK: - Reads outside the library's closures

/// The threads whose reads outside of the library's closures are noted.
enum __attribute__((enum_extensibility(closed), swift_name("NotedThreads"))) reactive_noted_threads {
    REACTIVE_NOTED_NONE __attribute__((swift_name("none"))) = 0,
    REACTIVE_NOTED_MAIN __attribute__((swift_name("main"))) = 1,
    REACTIVE_NOTED_ALL __attribute__((swift_name("all"))) = 2,
};
typedef enum reactive_noted_threads reactive_noted_threads;

/// Creates the object that notes the reads of a graph, retained.
typedef void *_Nonnull (*reactive_reader_maker)(reactive_graph *_Nonnull graph);

/// Sets the threads whose reads are noted, and the function that creates the readers. `main` is the calling thread.
void reactive_note_reads(reactive_noted_threads threads, reactive_reader_maker _Nonnull maker);
/// Creates the object that notes the reads of a graph, retained.
void *_Nonnull reactive_make_reader(reactive_graph *_Nonnull graph);
/// Whether the reads of this thread are noted. If not, its further ones take the fast path again.
bool reactive_notes_reads_here(void);

/// A flag that one thread sets and others look at.
REACTIVE_INLINE bool reactive_is_set(const bool *_Nonnull flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
REACTIVE_INLINE void reactive_set(bool *_Nonnull flag) { __atomic_store_n(flag, true, __ATOMIC_RELEASE); }
REACTIVE_INLINE void reactive_clear(bool *_Nonnull flag) { __atomic_store_n(flag, false, __ATOMIC_RELAXED); }

/// Makes the thread free the memory of its context when it ends.
void reactive_context_will_allocate(void);

/// The stack limit of the current thread, found out and stored on the first call.
uintptr_t reactive_find_stack_limit(void);

REACTIVE_INLINE bool reactive_stack_is_low(void) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    // No test sees this never hold: it only saves a call.
    if (REACTIVE_LIKELY(here > reactive_thread.stack_limit)) return false;
    return here <= reactive_find_stack_limit();
}

/// Runs `body` on a further piece of stack and returns true. Returns false if there is no memory, or if more levels are
/// in progress, from `innermost` on, than were promised for this thread's stack.
bool reactive_call_on_more_stack(
    const reactive_evaluation *_Nullable innermost, void (*_Nonnull body)(void *_Nullable argument),
    void *_Nullable argument);

/// `realloc` that ends the program with a message when there is no memory.
void *_Nonnull reactive_reallocate(void *_Nullable memory, size_t size);
void reactive_free(void *_Nullable memory);

/// Writes a line to standard error.
void reactive_print_error(const char *_Nonnull line);

// MARK: - The graph

/// The head of a page of edges; see EdgePool.swift.
struct __attribute__((swift_name("EdgeSlab"))) reactive_slab {
    /// Freed edges, strung by `next_free`.
    reactive_edge *_Nullable free;
    /// The number of edges that were ever allocated, and of those in use.
    uint32_t used;
    uint32_t live;
    /// Neighbours among the slabs with room.
    struct reactive_slab *_Nullable previous;
    struct reactive_slab *_Nullable next;
    /// The number of edges that it has room for.
    uint32_t capacity;
    bool is_listed;
};

/// One entry of the transaction log; see TransactionLog.swift.
struct __attribute__((swift_name("LogEntry"))) reactive_log_entry {
    /// The node, or `NULL` if it was freed meanwhile.
    reactive_node *_Nullable node;
    union {
        /// Sources and derivations: when the earlier value had changed.
        uint64_t changed_at;
        /// Reactions: the number of the run.
        uint64_t run_count;
    };
    /// Derivations: up to when the earlier value was validated.
    uint64_t validated_at;
    /// The storage of the earlier value if it does not fit into `small`.
    void *_Nullable large;
    /// The node's earlier entry (index + 1), or 0.
    uint32_t previous;
    /// An earlier value is stored.
    bool has_value;
    /// That value must be destroyed.
    bool needs_destruction;
    /// The node was written again after this entry.
    bool was_rewritten;
    /// Derivations: restoring the earlier value is not enough, since it was stale, or the sources have changed since it
    /// was computed.
    bool needs_evaluation;
    _Alignas(16) uint8_t small[16];
};

/// The state that one graph shares: a lock, two counters, and the work in progress. All but the lock word and the
/// counters that optimistic readers look at is touched only by the thread that holds the lock.
struct __attribute__((swift_name("GraphState"))) reactive_graph {
    /// The number of evaluations. Never repeats. First in the struct, because the thread sanitizer takes Swift's
    /// accesses to any member for accesses to the first one. If that were the lock, they would seem to race with
    /// threads that wait for it.
    uint64_t evaluations;
    /// Bit 0: held. Bit 1: biased, see Bias.c. Bit 2: every access goes through the C files (always set under the
    /// thread sanitizer, which cannot see into inlined code). Bit 3: reads take the lock as well, since routers wait
    /// for an actor. The remaining bits count releases; they validate optimistic reads. Only the holder changes a held
    /// word. Only the thread that a word is biased to, or a thread that has withdrawn the bias, changes a biased word
    /// that is not held.
    uint64_t lock;
    /// The thread that may lock a biased word without an atomic operation; `reactive_nobody` from the moment when
    /// another thread wants the lock.
    reactive_presence *_Nonnull biased_to;
    /// Counts changes of values. Never repeats.
    uint64_t epoch;
    /// Twice the number of threads that sleep until the lock is released, or are about to; plus 1 while one of them is
    /// being woken.
    uint32_t waiters;
    /// The number of transactions, of the thread that holds the lock, that roll back when their body throws; and the
    /// log entry at which the innermost begins.
    uint32_t rollback_depth;
    union {
        struct {
            uint32_t log_count;
            /// 1 while events of the graph are recorded, as the highest bit of `logging`; see Recorder.swift.
            uint32_t recording;
        };
        /// Both at once: nonzero if an evaluation or the end of a transaction has more to do than usual.
        uint64_t attention;
    };
    /// Nonzero while a write may have to be logged. The lower half counts the transactions that enclose the current
    /// code. The upper half counts the absent threads, whose effects are transactions with respect to values that are
    /// written back. The highest bit is set while events are recorded.
    uint64_t logging;
    uint32_t level_start;
    /// The work that the thread which holds the lock has made due. Empty whenever the lock is free: a thread that
    /// leaves takes it along.
    reactive_due due;
    /// Counts reactions created.
    uint64_t reactions_created;

    /// The thread that the word was biased to last, also when it may no longer.
    reactive_presence *_Nullable last_biased_to;
    /// The thread that has recently locked the graph, according to samples (its context, compared only), and the number
    /// of times in a row.
    const void *_Nullable regular;
    uint32_t regular_streak;
    /// The number of withdrawals of a bias that count.
    uint32_t bias_withdrawals;

    /// The transaction log: chunks of entries, see TransactionLog.swift.
    reactive_buffer log_chunks;
    /// Some entry's node was written again.
    bool log_has_rewrites;
    /// Whose log that is, if it has entries: the thread in whose transaction or effect they were written.
    reactive_context *_Nullable log_owner;
    /// The same thread, if its writes in a transaction need no preparation. `NULL` while events are recorded.
    reactive_context *_Nullable log_ready_for;

    /// The threads that are absent.
    reactive_absence *_Nullable absences;

    /// The object that owns an independent graph, kept alive by the nodes (unretained here); `NULL` for the default
    /// graph.
    void *_Nullable owner;

    /// The innermost evaluation in progress.
    reactive_evaluation *_Nullable evaluating;
    /// The path down of the validation walks in progress; nested walks follow one another.
    reactive_buffer path;
    /// The working stack of walks that call no user code.
    reactive_buffer worklist;
    /// Routers that are pending, retained: a heap by `creation_number`.
    reactive_buffer routers;
    /// Routers that are pending and wait for the actor of their view, retained, in no order.
    reactive_buffer hopping;
    /// The lowest number of a view that is being evaluated, or brought up to date for its router; 0 if there is none.
    /// Routers of views with this number or a higher one wait, since those may read this one.
    uint64_t router_limit;
    /// Live reactions, in no order (`node.index` is the position).
    reactive_buffer reactions;

    /// Edge slabs: the first, which is small and kept; the one to allocate from, and those with room.
    struct reactive_slab *_Nullable first_slab;
    struct reactive_slab *_Nullable current_slab;
    struct reactive_slab *_Nullable slabs_with_room;

    /// The flush that has writes recorded with their writer, to name a loop.
    reactive_flush *_Nullable tracing;
    /// The Swift object with the rarely needed parts (`GraphDetails`), retained.
    void *_Nullable details;

    /// The Swift object that notes reads for observers outside the library (`OutsideReader`), retained.
    void *_Nullable reader;
    /// The Swift object that records events (`Recorder`), retained.
    void *_Nullable recorder;

    /// Neighbours in the list of all graphs; see Graphs.c.
    struct reactive_graph *_Nullable older;
    struct reactive_graph *_Nullable newer;
    /// The thread (its context) that holds this graph because it holds all, or is about to.
    const void *_Nullable held_with_all_by;
    /// A thread that is not in this process held the graph when the process was forked.
    bool is_lost;
#if !defined(__linux__)
    /// The number of threads that sleep until the lock is released; see Systems/Parking.c.
    uint32_t parked;
#endif
};

extern reactive_graph reactive_default_graph_state;

REACTIVE_INLINE reactive_graph *_Nonnull reactive_default_graph(void) { return &reactive_default_graph_state; }

/// The graph of nodes that are created now.
REACTIVE_INLINE reactive_graph *_Nonnull reactive_current_graph(void) {
    if (reactive_thread.graph) return reactive_thread.graph;
    return reactive_thread.scope ? reactive_thread.scope : reactive_default_graph();
}

/// Makes every graph's lock work without the system call `membarrier`, from now on. Returns false, without any effect,
/// if this thread holds a graph.
bool reactive_avoid_barriers(void);

/// A number for a new view that is higher than those of all views before.
uint64_t reactive_next_view_number(void);

/// Calls `body` with each graph, whose lock this thread then holds. If this thread holds a graph already, it waits for
/// no other, and leaves out those that are in use; returns false then. `body` must not create a graph.
bool reactive_with_all_graphs(
    void (*_Nonnull body)(reactive_graph *_Nonnull graph, void *_Nullable argument), void *_Nullable argument);

/// Whether this thread holds the graph because it is in `reactive_with_all_graphs`.
bool reactive_is_held_with_all(const reactive_graph *_Nonnull graph);

/// Makes a new graph take part in the recordings in progress.
typedef void (*reactive_joining)(reactive_graph *_Nonnull graph);
/// Set while the events of any graph are recorded.
extern reactive_joining _Nullable reactive_recordings;
/// The default graph; `NULL` while the events of any graph are recorded. A new node compares its graph with it, and so
/// finds out in one comparison that it has nothing more to do.
extern reactive_graph *_Nullable reactive_plain_graph;
REACTIVE_INLINE bool reactive_is_plain(const reactive_graph *_Nonnull graph) {
    return graph == __atomic_load_n(&reactive_plain_graph, __ATOMIC_RELAXED);
}
REACTIVE_INLINE bool reactive_is_recording(void) {
    return __atomic_load_n(&reactive_recordings, __ATOMIC_RELAXED) != NULL;
}
REACTIVE_INLINE void reactive_set_recordings(reactive_joining _Nullable joining) {
    __atomic_store_n(&reactive_recordings, joining, __ATOMIC_RELEASE);
    __atomic_store_n(&reactive_plain_graph, joining ? NULL : reactive_default_graph(), __ATOMIC_RELEASE);
}
REACTIVE_INLINE void reactive_join_recordings(reactive_graph *_Nonnull graph) {
    reactive_joining joining = __atomic_load_n(&reactive_recordings, __ATOMIC_ACQUIRE);
    if (joining) joining(graph);
}

/// The code of recordings, as a table of Swift closures. A program that does not call this does not link that code; see
/// RecordingCode.swift.
const void *_Nonnull reactive_recording_functions(void);
/// The code of snapshots of graphs, as a Swift closure, likewise.
const void *_Nonnull reactive_snapshot_code(void);

/// The time of a clock that all threads share, in nanoseconds.
uint64_t reactive_now(void);

/// Initialises an independent graph, which belongs to `owner`.
void reactive_graph_init(reactive_graph *_Nonnull graph, void *_Nonnull owner);
/// Balances `reactive_graph_init`, before the memory is freed.
void reactive_graph_end(reactive_graph *_Nonnull graph);

/// In `reactive_graph.logging`: one transaction is 1, and one absent thread this.
#define REACTIVE_LOGGING_ABSENCE 0x100000000ull
/// In `reactive_graph.logging`: events are recorded. As a number with a sign, the word is then negative.
#define REACTIVE_LOGGING_RECORDING 0x8000000000000000ull

#define REACTIVE_LOCK_HELD UINT64_C(1)
#define REACTIVE_LOCK_BIASED UINT64_C(2)
#define REACTIVE_LOCK_OUT_OF_LINE UINT64_C(4)
#define REACTIVE_LOCK_READS UINT64_C(8)
#define REACTIVE_LOCK_VERSION UINT64_C(16)
/// None of these bits is set once in 128 times. Then the thread that locks the graph is noted.
#define REACTIVE_LOCK_SAMPLE (UINT64_C(127) * REACTIVE_LOCK_VERSION)

/// Whether a lock's word says so.
REACTIVE_INLINE __attribute__((const)) bool reactive_is_sample(uint64_t word) {
#if defined(__linux__)
    return (word & REACTIVE_LOCK_SAMPLE) == 0;
#else
    (void)word;
    return false;
#endif
}

void reactive_lock_slow(reactive_graph *_Nonnull graph);
void reactive_unlock_slow(reactive_graph *_Nonnull graph);
void reactive_wake_one(reactive_graph *_Nonnull graph);

/// Whether a thread waits and none is being woken, by the value of `waiters`.
REACTIVE_INLINE bool reactive_must_wake(uint32_t waiters) { return waiters != 0 && (waiters & 1) == 0; }

/// Takes the lock if it is biased to this thread: by plain stores. See Bias.c.
REACTIVE_INLINE bool reactive_lock_if_biased(reactive_graph *_Nonnull graph) {
#if defined(__linux__)
    reactive_presence *own = reactive_thread.presence;
    // No test sees this always hold: it only saves atomic operations.
    if (__atomic_load_n(&graph->biased_to, __ATOMIC_RELAXED) != own) return false;
    __atomic_store_n(&own->graph, graph, __ATOMIC_RELAXED);
    // A thread that withdraws the bias makes this one pass a barrier in between: either that thread sees the store, or
    // this load sees the withdrawal. The compiler must not use a value here that it loaded before.
    // No test sees this left out: the compiler uses none, but may.
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(__atomic_load_n(&graph->biased_to, __ATOMIC_RELAXED) != own, 0)) {
        // No test sees this left out: this thread then takes the lock, and the one that waits looks at the lock, too.
        __atomic_store_n(&own->graph, NULL, __ATOMIC_RELEASE);
        return false;
    }
    uint64_t word = __atomic_load_n(&graph->lock, __ATOMIC_RELAXED);
    __atomic_store_n(&graph->lock, word | REACTIVE_LOCK_HELD, __ATOMIC_RELAXED);
    // Optimistic readers must see the bit before they see the holder's writes. A thread that withdraws the bias must
    // see the bit before it sees that the presence has ended.
    // No test sees this left out: it matters on processors that reorder writes.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return true;
#else
    (void)graph;
    return false;
#endif
}

REACTIVE_INLINE void reactive_lock(reactive_graph *_Nonnull graph) {
    // No test sees this never hold: it only saves atomic operations.
    if (REACTIVE_LIKELY(reactive_lock_if_biased(graph))) return;
    uint64_t word = __atomic_load_n(&graph->lock, __ATOMIC_RELAXED);
    if (REACTIVE_LIKELY((word & 7) == 0) && REACTIVE_LIKELY(!reactive_is_sample(word))
        && REACTIVE_LIKELY(__atomic_compare_exchange_n(
            &graph->lock, &word, word | REACTIVE_LOCK_HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))) {
        // No test sees this left out: it matters on processors that reorder writes.
        __atomic_thread_fence(__ATOMIC_RELEASE);
        return;
    }
    reactive_lock_slow(graph);
}

/// Releases the lock with plain stores. A waiter must not be overlooked between the store and the load of `waiters`. On
/// Linux, the waiter ensures that: it can make all other threads pass a barrier (see Lock.c). An atomic exchange here
/// would be half of the cost of an unobserved write.
REACTIVE_INLINE void reactive_unlock(reactive_graph *_Nonnull graph) {
    uint64_t word = __atomic_load_n(&graph->lock, __ATOMIC_RELAXED);
#if defined(__linux__)
    if (REACTIVE_LIKELY(word & REACTIVE_LOCK_BIASED)) {
        __atomic_store_n(&reactive_thread.presence->graph, NULL, __ATOMIC_RELAXED);
    } else
#endif
    // No test sees this always hold: the function does the same, with an atomic operation.
    if (__builtin_expect(!!(word & REACTIVE_LOCK_OUT_OF_LINE), 0)) {
        reactive_unlock_slow(graph);
        return;
    }
    __atomic_store_n(&graph->lock, word + (REACTIVE_LOCK_VERSION - REACTIVE_LOCK_HELD), __ATOMIC_RELEASE);
#if defined(__linux__)
    // No test sees this left out: the compiler moves no load here, but may.
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
    // No test sees this always hold: the function looks again.
    if (__builtin_expect(reactive_must_wake(__atomic_load_n(&graph->waiters, __ATOMIC_RELAXED)), 0))
        reactive_wake_one(graph);
}

/// Says whether reads take the lock as well. By the thread that holds it.
REACTIVE_INLINE void reactive_lock_reads(reactive_graph *_Nonnull graph, bool isNeeded) {
    uint64_t word = __atomic_load_n(&graph->lock, __ATOMIC_RELAXED) & ~REACTIVE_LOCK_READS;
    __atomic_store_n(&graph->lock, isNeeded ? word | REACTIVE_LOCK_READS : word, __ATOMIC_RELAXED);
}

/// Whether reads take the lock as well.
REACTIVE_INLINE bool reactive_reads_take_lock(const reactive_graph *_Nonnull graph) {
    return (__atomic_load_n(&graph->lock, __ATOMIC_RELAXED) & REACTIVE_LOCK_READS) != 0;
}

/// Takes the lock, or counts one more level where this thread holds it. Returns false if it holds another graph's.
REACTIVE_INLINE bool reactive_enter(reactive_graph *_Nonnull graph) {
    reactive_graph *held = reactive_thread.graph;
    if (held == graph) {
        reactive_thread.depth += 1;
    } else {
        if (__builtin_expect(held != NULL, 0)) return false;
        reactive_lock(graph);
        reactive_thread.graph = graph;
        reactive_thread.depth = 1;
    }
    return true;
}

/// Balances one `reactive_enter`. If that was the outermost and there is work to do first, returns true and does
/// nothing.
REACTIVE_INLINE bool reactive_leave_needs_flush(reactive_graph *_Nonnull graph) {
    if (reactive_thread.depth > 1) {
        reactive_thread.depth -= 1;
        return false;
    }
    if (__builtin_expect((graph->due.work != 0) | (reactive_thread.deferred_releases.count != 0), 0)) return true;
    reactive_thread.graph = NULL;
    reactive_unlock(graph);
    return false;
}

/// Whether the current thread holds the graph.
REACTIVE_INLINE bool reactive_is_inside(const reactive_graph *_Nonnull graph) { return reactive_thread.graph == graph; }

// MARK: - Reading
//
// A read that holds no lock is optimistic: it copies, and then checks whether any thread has held the graph meanwhile.
// The rule:
//
//     Nothing that was copied is followed before it is validated.
//     No pointer is dereferenced, no object retained, no index used.
//
// The copied bytes may be of different moments: another processor's writes arrive in any order, and loads are done in
// any order, whatever the order in the source. So flags that say "there is a value" say nothing about the pointer
// beside them until both are known to belong together. A value behind a pointer takes two validations: of the pointer,
// and of what it leads to.
//
// Without any validation a thread may follow only what does not change from a node's initialisation to its end: the
// node, its `graph`, and its `origin` with the flag `REACTIVE_NAMED`. There are two optimistic reads, `Observable.read`
// and `Computed.value`; all else takes the lock. Tests/LockModel shows what happens otherwise.

/// Whether a record with this number is that of an evaluation: no other number is positive, as a number with a sign.
REACTIVE_INLINE __attribute__((const)) bool reactive_is_evaluation(uint64_t number) { return (int64_t)number > 0; }

/// Whether the running evaluation is known to make this read: the node is where the cursor expects it, or has already
/// been recorded in this evaluation. Both imply that the thread holds the lock and tracks.
REACTIVE_INLINE __attribute__((pure)) bool reactive_is_known_read(
    const reactive_node *_Nonnull node, reactive_flags mask, reactive_flags wanted) {
    const reactive_evaluation *evaluation = reactive_thread.tracking;
    // If nothing is tracked, memory that another thread may be writing is not read.
    uint64_t number = reactive_number_of(evaluation);
    return (evaluation->expected == node || (reactive_is_evaluation(number) && node->last_reader == number))
        && (node->flags & mask) == wanted;
}

/// Whether the node is where the running evaluation's cursor expects it, which implies that the thread holds the lock
/// and tracks.
REACTIVE_INLINE __attribute__((pure)) bool reactive_is_expected(const reactive_node *_Nonnull node) {
    return reactive_thread.tracking->expected == node;
}

/// The modes of a read: with the lock; directly, since the read is a known one; or optimistically, since reads are
/// not recorded and this thread holds no graph. (If it held one, an optimistic read would fail, or see a mix of
/// graphs.)
#define REACTIVE_READ_LOCKED 0
#define REACTIVE_READ_KNOWN 1
#define REACTIVE_READ_FREE 2

/// Returns how a value may be read. Known reads are those of `reactive_is_known_read`. Outside of evaluations there are
/// none, and reads may be optimistic. One comparison checks both, so that recording reads costs nothing where it is
/// off.
REACTIVE_INLINE __attribute__((pure)) int32_t reactive_read_mode(
    const reactive_node *_Nonnull node, reactive_flags mask, reactive_flags wanted) {
    const reactive_evaluation *evaluation = reactive_thread.tracking;
    // No test sees this never hold: it only saves the lock.
    if (evaluation->expected == node)
        return (node->flags & mask) == wanted ? REACTIVE_READ_KNOWN : REACTIVE_READ_LOCKED;
    uint64_t number = reactive_number_of(evaluation);
    // No test sees this never hold: it only saves the lock.
    // No test sees this always hold: another thread would have to write within a few instructions.
    if (reactive_is_evaluation(number)) {
        return node->last_reader == number && (node->flags & mask) == wanted
            ? REACTIVE_READ_KNOWN : REACTIVE_READ_LOCKED;
    }
    return ((uint64_t)(uintptr_t)reactive_thread.graph | number) == 0 ? REACTIVE_READ_FREE : REACTIVE_READ_LOCKED;
}

/// Begins an optimistic read: the lock's word.
REACTIVE_INLINE __attribute__((pure)) uint64_t reactive_read_begin(const reactive_graph *_Nonnull graph) {
    return __atomic_load_n(&graph->lock, __ATOMIC_ACQUIRE);
}

/// Whether an optimistic read that began with `word` may continue: no thread holds the graph.
REACTIVE_INLINE __attribute__((const)) bool reactive_may_read(uint64_t word) {
    return (word & (REACTIVE_LOCK_HELD | REACTIVE_LOCK_OUT_OF_LINE | REACTIVE_LOCK_READS)) == 0;
}

/// Whether no thread has held the graph since `word` was read, so that values read in between belong together.
///
/// `copy` is the address at which the reader has stored its copy. The function does not read it. But since it could, no
/// optimiser that takes the function for a read-only one may move the copying behind it.
REACTIVE_INLINE __attribute__((pure)) bool reactive_read_is_valid(
    const reactive_graph *_Nonnull graph, uint64_t word, const void *_Nonnull copy) {
    (void)copy;
    // No test sees this left out: it matters on processors that reorder reads.
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&graph->lock, __ATOMIC_RELAXED) == word;
}

/// Whether a derivation's value may be used as it stands. Called inside an optimistic read or under the lock.
REACTIVE_INLINE __attribute__((pure)) bool reactive_is_current(const reactive_node *_Nonnull node) {
    reactive_flags flags = node->flags;
    if (flags & REACTIVE_NOT_CURRENT) return false;
    // No test sees this never hold: it only saves the lock.
    return (flags & REACTIVE_LIVE) || ((const reactive_observer *)node)->validated_at == node->graph->epoch;
}

// MARK: - Writing

/// Records that the value of a source changed. Returns whether there are observers to notify.
REACTIVE_INLINE bool reactive_mark_changed(reactive_node *_Nonnull node) {
    node->changed_at = ++node->graph->epoch;
    return node->observers != NULL;
}

// MARK: - Executors

/// Whether the current code runs on the serial executor given by its two words. Never traps. False where the runtime
/// does not know.
bool reactive_is_current_executor(const void *_Nullable identity, uintptr_t implementation);

#endif
