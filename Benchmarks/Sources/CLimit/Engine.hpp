// The limit's engine: push-pull reactivity and nothing else. No locks, no reference counts, no cancellation of single effects, no
// names: what this algorithm costs when nothing else is asked of it. Closures are type-erased (`std::function`), as those of any
// library must be.
//
// A write marks what is downstream: direct observers stale, the rest maybe stale (`propagate`), and queues the effects among it. An
// effect that runs, or a read, walks up from a maybe stale node and re-evaluates what really is stale (`isStale`). An evaluation
// re-reads its sources by a cursor into the list that the last one left (`Readable::read`, `track`).
//
// The way of marking and checking is that of alien-signals (stackblitz/alien-signals), the cursor that of Reactively and Solid.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

// Hidden, so that the graph is addressed directly although the package is compiled as position-independent code.
namespace limit __attribute__((visibility("hidden"))) {

enum Flags : uint32_t {
    stale = 1,
    maybeStale = 2,
    queued = 4,
    running = 8,
    isComputed = 16,
    isEffect = 32,
};

struct Node;

/// A dependency: a member of its observer's list of sources and of its source's list of observers.
struct Edge {
    Node *source;
    Edge *nextSource;
    Node *observer;
    Edge *previousObserver;
    Edge *nextObserver;
};

/// Ends every list of sources: a source that no read matches, behind which it comes again.
inline Edge noEdge{nullptr, &noEdge, nullptr, nullptr, nullptr};

struct Node {
    uint32_t flags;
    /// The evaluation that last read this node.
    uint64_t stamp = 0;
    Edge *firstObserver = nullptr;
    Edge *lastObserver = nullptr;
    Edge *sources = &noEdge;

    explicit Node(uint32_t flags) : flags(flags) {}
    virtual ~Node() = default;
    /// Evaluates; returns whether the value changed.
    virtual bool update() = 0;
};

/// A growable array of pointers whose push is inlined and whose growth is not.
template <class Element> struct Stack {
    Element *elements = nullptr;
    size_t count = 0;
    size_t capacity = 0;

    void push(Element element) {
        if (__builtin_expect(count == capacity, 0)) grow();
        elements[count++] = element;
    }
    Element pop() { return elements[--count]; }

    __attribute__((noinline)) void grow() {
        capacity = capacity ? capacity * 2 : 256;
        elements = static_cast<Element *>(std::realloc(elements, capacity * sizeof(Element)));
        if (!elements) std::abort();
    }
};

// MARK: - The pool of edges

/// 16 KiB of edges, aligned to that, so that an edge finds its slab by masking its address.
struct Slab {
    static constexpr size_t size = 16384;
    static constexpr size_t header = 64;
    static constexpr uint32_t capacity = (size - header) / sizeof(Edge);

    Edge *free = nullptr;
    uint32_t used = 0;
    uint32_t live = 0;
    Slab *nextWithRoom = nullptr;
    bool isListed = false;

    Edge *at(uint32_t index) { return reinterpret_cast<Edge *>(reinterpret_cast<char *>(this) + header) + index; }
    static Slab *of(Edge *edge) { return reinterpret_cast<Slab *>(reinterpret_cast<uintptr_t>(edge) & ~(size - 1)); }
};

struct EdgePool {
    Slab *current = nullptr;
    Slab *withRoom = nullptr;

    Edge *allocate() {
        for (;;) {
            if (Slab *slab = current) {
                if (Edge *edge = slab->free) {
                    slab->free = edge->nextSource;
                    slab->live++;
                    return edge;
                }
                if (slab->used < Slab::capacity) {
                    slab->live++;
                    return slab->at(slab->used++);
                }
            }
            refill();
        }
    }

    void release(Edge *edge) {
        Slab *slab = Slab::of(edge);
        edge->nextSource = slab->free;
        slab->free = edge;
        if (--slab->live == 0) {
            slab->free = nullptr;
            slab->used = 0;
        }
        if (!slab->isListed && slab != current) {
            slab->isListed = true;
            slab->nextWithRoom = withRoom;
            withRoom = slab;
        }
    }

    __attribute__((noinline)) void refill();
    /// Gives empty slabs back to the system.
    void trim();
};

// MARK: - The graph

/// Everything that is in progress.
struct Graph {
    /// The node that the running evaluation read at this position the last time.
    Node *expected = nullptr;
    /// Where its next read is recorded.
    Edge **cursor = nullptr;
    /// Its number, and its observer.
    uint64_t evaluation = 0;
    Node *active = nullptr;

    uint64_t evaluations = 0;
    /// Batches in progress; while there are any, effects wait.
    int batches = 0;
    Stack<Node *> queue;
    size_t nextInQueue = 0;
    Stack<Edge *> path;
    EdgePool edges;
    /// Every node, to be freed by `freeGraph`.
    std::vector<Node *> nodes;
};
inline Graph graph;

void dropEdges(Edge *edge);
void propagate(Edge *observers);
bool isStale(Node *observer);
void flush();
void track(Node *source);

/// Frees all nodes and edges.
void freeGraph();

/// A node's value changed: its observers, marked maybe stale, are stale.
inline void confirmStale(Edge *edge) {
    for (; edge; edge = edge->nextObserver) {
        Node *observer = edge->observer;
        if ((observer->flags & (stale | maybeStale)) == maybeStale) observer->flags |= stale;
    }
}

/// Records the read that the cursor expects.
inline void advance(Node *source) {
    Edge *edge = *graph.cursor;
    source->stamp = graph.evaluation;
    graph.cursor = &edge->nextSource;
    graph.expected = edge->nextSource->source;
}

/// An evaluation in progress; keeps what it interrupts. Ended by `finish` rather than a destructor: what it takes to be ready for
/// exceptions costs up to 15 %, and nothing here throws.
class Evaluation {
    Node *node, *expected, *active;
    Edge **cursor;
    uint64_t evaluation;

public:
    Evaluation(Node *node, uint32_t kind)
        : node(node), expected(graph.expected), active(graph.active), cursor(graph.cursor), evaluation(graph.evaluation) {
        node->flags = kind | running;
        graph.active = node;
        graph.cursor = &node->sources;
        graph.expected = node->sources->source;
        graph.evaluation = ++graph.evaluations;
    }

    void finish() {
        Edge **rest = graph.cursor;
        graph.expected = expected;
        graph.cursor = cursor;
        graph.evaluation = evaluation;
        graph.active = active;
        node->flags &= ~running;
        if (Edge *unread = *rest; __builtin_expect(unread != &noEdge, 0)) {
            *rest = &noEdge;
            dropEdges(unread);
        }
    }
};

/// Holds effects back until the outermost batch ends.
struct Batch {
    Batch() { ++graph.batches; }
    ~Batch() {
        if (--graph.batches == 0 && graph.queue.count) flush();
    }
};

// MARK: - Values

template <class T> struct Readable : Node {
    T value;

    Readable(T value, uint32_t flags) : Node(flags), value(std::move(value)) {}

    const T &read() {
        if (__builtin_expect(!(flags & (stale | maybeStale | running)), 1)) {
            if (__builtin_expect(graph.expected == this, 1)) {
                advance(this);
                return value;
            }
            if (!graph.active || stamp == graph.evaluation) return value;
        }
        settleAndTrack();
        return value;
    }

private:
    __attribute__((noinline)) void settleAndTrack() {
        if (flags & stale || (flags & maybeStale && isStale(this))) {
            if (update()) confirmStale(firstObserver);
        } else {
            flags &= ~maybeStale;
        }
        if (graph.active) track(this);
    }
};

template <class T> struct Signal final : Readable<T> {
    explicit Signal(T value) : Readable<T>(std::move(value), 0) {}

    bool update() override { return false; }

    void write(T newValue) {
        if (this->value == newValue) return;
        this->value = std::move(newValue);
        changed();
    }

    /// Changes the value in place.
    template <class Body> void mutate(Body body) {
        body(this->value);
        changed();
    }

private:
    void changed() {
        if (this->firstObserver) {
            propagate(this->firstObserver);
            flush();
        }
    }
};

template <class T> struct Computed final : Readable<T> {
    std::function<T()> compute;

    explicit Computed(std::function<T()> compute) : Readable<T>(T(), isComputed | stale), compute(std::move(compute)) {}

    bool update() override {
        Evaluation evaluation(this, isComputed);
        T newValue = compute();
        evaluation.finish();
        if (newValue == this->value) return false;
        this->value = std::move(newValue);
        return true;
    }
};

struct Effect final : Node {
    std::function<void()> body;

    explicit Effect(std::function<void()> body) : Node(isEffect), body(std::move(body)) {}

    bool update() override {
        Evaluation evaluation(this, isEffect);
        body();
        evaluation.finish();
        return true;
    }
};

template <class T> Signal<T> *signal(T value) {
    auto *node = new Signal<T>(std::move(value));
    graph.nodes.push_back(node);
    return node;
}

/// A computed, as what can be read.
template <class Function> auto computed(Function function) {
    using T = std::decay_t<decltype(function())>;
    auto *node = new Computed<T>(std::move(function));
    graph.nodes.push_back(node);
    return static_cast<Readable<T> *>(node);
}

/// Runs `body` now and after each change of what it read.
template <class Function> void effect(Function body) {
    auto *node = new Effect(std::move(body));
    graph.nodes.push_back(node);
    ++graph.batches;
    node->update();
    --graph.batches;
}

}  // namespace limit
