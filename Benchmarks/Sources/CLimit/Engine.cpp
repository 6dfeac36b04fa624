// The parts of the engine that are not inlined into every read and write.
#include "Engine.hpp"

namespace limit {

// MARK: - The pool of edges

void EdgePool::refill() {
    if (Slab *slab = withRoom) {
        withRoom = slab->nextWithRoom;
        slab->nextWithRoom = nullptr;
        slab->isListed = false;
        current = slab;
        return;
    }
    void *memory = nullptr;
    if (posix_memalign(&memory, Slab::size, Slab::size) != 0) std::abort();
    current = new (memory) Slab();
}

void EdgePool::trim() {
    Slab **place = &withRoom;
    while (Slab *slab = *place) {
        if (slab->live == 0) {
            *place = slab->nextWithRoom;
            std::free(slab);
        } else {
            place = &slab->nextWithRoom;
        }
    }
    if (current && current->live == 0) {
        std::free(current);
        current = nullptr;
    }
}

// MARK: - Edges

/// Unlinks an edge from its source. A computed that loses its last observer forgets its value and its own sources.
static inline void drop(Edge *edge) {
    Node *source = edge->source;
    Edge *previous = edge->previousObserver, *next = edge->nextObserver;
    if (next) next->previousObserver = previous;
    else source->lastObserver = previous;
    if (previous) {
        previous->nextObserver = next;
    } else {
        source->firstObserver = next;
        if (!next && (source->flags & (isComputed | running)) == isComputed && source->sources != &noEdge) {
            source->flags = isComputed | stale;
            Edge *first = source->sources;
            source->sources = &noEdge;
            dropEdges(first);
        }
    }
    graph.edges.release(edge);
}

void dropEdges(Edge *edge) {
    while (edge != &noEdge) {
        Edge *next = edge->nextSource;
        drop(edge);
        edge = next;
    }
}

void track(Node *source) {
    if (graph.expected == source) {
        advance(source);
        return;
    }
    if (source->stamp == graph.evaluation) return;
    source->stamp = graph.evaluation;

    Edge *current = *graph.cursor;
    Edge *ahead = current->nextSource;
    if (ahead->source == source) {
        *graph.cursor = ahead;
        drop(current);
        graph.cursor = &ahead->nextSource;
        graph.expected = ahead->nextSource->source;
        return;
    }
    Edge *last = source->lastObserver;
    Edge *edge = graph.edges.allocate();
    *edge = Edge{source, current, graph.active, last, nullptr};
    if (last) last->nextObserver = edge;
    else source->firstObserver = edge;
    source->lastObserver = edge;
    *graph.cursor = edge;
    graph.cursor = &edge->nextSource;
}

// MARK: - Push

static inline void enqueue(Node *effect, uint32_t mark) {
    uint32_t flags = effect->flags;
    effect->flags = flags | mark | queued;
    if (!(flags & queued)) graph.queue.push(effect);
}

/// Marks everything below a computed as maybe stale.
static void markBelow(Edge *edge) {
    size_t bottom = graph.path.count;
    for (;;) {
        Edge *next = edge->nextObserver;
        Node *observer = edge->observer;
        uint32_t flags = observer->flags;
        if (!(flags & (stale | maybeStale))) {
            if (flags & isEffect) {
                enqueue(observer, maybeStale);
            } else {
                observer->flags = flags | maybeStale;
                if (Edge *below = observer->firstObserver) {
                    if (next) graph.path.push(next);
                    edge = below;
                    continue;
                }
            }
        }
        if (!next) {
            if (graph.path.count == bottom) return;
            next = graph.path.pop();
        }
        edge = next;
    }
}

void propagate(Edge *edge) {
    for (; edge; edge = edge->nextObserver) {
        Node *observer = edge->observer;
        uint32_t flags = observer->flags;
        if (flags & isEffect) {
            enqueue(observer, stale);
        } else {
            observer->flags = flags | stale;
            if (!(flags & (stale | maybeStale)) && observer->firstObserver) markBelow(observer->firstObserver);
        }
    }
}

// MARK: - Pull

/// Evaluates a node; if its value changed and others observe it too, tells them.
static inline bool updateAndConfirm(Node *node) {
    if (!node->update()) return false;
    if (node->firstObserver && node->firstObserver->nextObserver) confirmStale(node->firstObserver);
    return true;
}

/// Whether a source of `observer` really changed; evaluates what must be for the answer. A recursion over sources, written as a
/// loop with the way down in `path`.
bool isStale(Node *observer) {
    size_t bottom = graph.path.count;
    Edge *edge = observer->sources;
    bool changed = false;
    for (;;) {
        Node *source = edge->source;
        if (observer->flags & stale) {
            changed = true;
        } else if (source->flags & stale) {
            changed = updateAndConfirm(source);
        } else if (source->flags & maybeStale) {
            graph.path.push(edge);
            edge = source->sources;
            observer = source;
            continue;
        }
        if (!changed && edge->nextSource != &noEdge) {
            edge = edge->nextSource;
            continue;
        }
        // All is known about `observer`: go up until there is a source left to look at.
        bool hasMore = false;
        while (!hasMore && graph.path.count > bottom) {
            edge = graph.path.pop();
            if (changed) changed = updateAndConfirm(observer);
            else observer->flags &= ~maybeStale;
            observer = edge->observer;
            if (!changed && edge->nextSource != &noEdge) {
                edge = edge->nextSource;
                hasMore = true;
            }
        }
        if (!hasMore) return changed;
    }
}

void flush() {
    if (graph.batches) return;
    graph.batches = 1;
    while (graph.nextInQueue < graph.queue.count) {
        Node *effect = graph.queue.elements[graph.nextInQueue++];
        effect->flags &= ~queued;
        if (effect->flags & stale || (effect->flags & maybeStale && isStale(effect))) effect->update();
        else effect->flags &= ~(stale | maybeStale);
    }
    graph.nextInQueue = graph.queue.count = 0;
    graph.batches = 0;
}

// MARK: - The end

static void dropSources(Node *node) {
    Edge *first = node->sources;
    node->sources = &noEdge;
    dropEdges(first);
}

void freeGraph() {
    // In the order of creation, sources first: the other way round a long chain would be dropped by a recursion.
    for (Node *node : graph.nodes)
        if (node->sources != &noEdge) dropSources(node);
    for (Node *node : graph.nodes) delete node;
    graph.nodes.clear();
}

}  // namespace limit
