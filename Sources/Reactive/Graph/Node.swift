// The objects that the graph's nodes live in.
//
//     _Node                header                      a source of values
//     ├─ Observable<Value>     + value, equality
//     ├─ _StoredSource         + a count of edges      a collection, or the node of a key: a subclass has the value
//     └─ _Observer         + validatedAt, sources      something that reads sources
//        ├─ _Derivation    + slot (the value), evaluate, a count
//        │  ├─ Computed<Value>    + closure
//        │  └─ _PartedDerivation  + its parts         a view of a collection: a subclass has the state
//        ├─ Reaction           + closure, extras
//        ├─ _ReactionPart      + its reaction
//        ├─ _DerivationPart    + its row, its derivation
//        └─ _Router            + nothing              keeps a view current while its keys are read
//
// The graph links and walks `NodeHeader`s through pointers and never asks what an object holds. A header lies right behind its
// object's own header, so either is found from the other by adding a constant. After initialisation a header is reached through
// that pointer only, which keeps Swift's exclusivity checks and reference counts out of every walk; what makes the accesses
// exclusive is the graph's lock. Their layout is part of what is inlined into other modules, so it is fixed
// (`@_fixed_layout`, which means something with library evolution only).
//
// Lifetimes: an edge keeps its source alive (+1, taken when the edge is made) and never its observer. That is safe because only
// live observers are in a source's list, and a live observer is kept alive: a reaction by the registry until it is cancelled, a
// derivation by the edge of whoever observes it, a part of one by its state, and a router by who ends it.

import CReactive

@usableFromInline typealias NodePointer = UnsafeMutablePointer<NodeHeader>
@usableFromInline typealias ObserverPointer = UnsafeMutablePointer<ObserverHeader>
@usableFromInline typealias EdgePointer = UnsafeMutablePointer<Edge>

/// The size of a Swift object's own header.
@usableFromInline let objectHeaderSize = 2 * MemoryLayout<UnsafeRawPointer>.size

/// The common part of everything that takes part in the graph. Public for the compiler's sake; not for use.
@_fixed_layout
open class _Node {
    // Unchecked, because the graph reaches it by pointer: the lock makes the accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var header: NodeHeader

    @usableFromInline
    init(flags: NodeFlags, graph: GraphPointer, name: String?, fileID: StaticString, line: UInt) {
        header = reactive_make_node(flags, graph, 0)
        NodeName.store(name, fileID: fileID, line: line, in: &header)
        if graph != .default { keepGraph() }
    }

    /// Fast path of `init`: nothing but stores, for unnamed nodes made where the file and line fit into a word.
    @inlinable @inline(__always)
    init(flags: NodeFlags, graph: GraphPointer, origin: UInt64) {
        header = reactive_make_node(flags, graph, origin)
        if graph != .default { keepGraph() }
    }

    /// Makes a graph of its own live as long as this node.
    @usableFromInline @inline(never)
    final func keepGraph() {
        header.flags.insert(.independent)
        guard let graph = header.graph.independent?.retain() else { return }
        if let onCreation = graph._withUnsafeGuaranteedRef({ $0.onCreation }) { onCreation(self) }
    }

    /// The part that the graph works on.
    @inlinable @inline(__always)
    final var node: NodePointer {
        (Unmanaged.passUnretained(self).toOpaque() + 2 * MemoryLayout<UnsafeRawPointer>.size)
            .assumingMemoryBound(to: NodeHeader.self)
    }

    @inlinable @inline(__always)
    final var graph: GraphPointer { node.pointee.graph }

    /// Swaps the value with one from the transaction log.
    func exchangeValue(withLogged value: UnsafeMutableRawPointer) {}

    /// Whether a value from the transaction log equals the current one.
    func equalsValue(logged value: UnsafeMutableRawPointer) -> Bool { false }

    /// Takes a value out of the transaction log, to be destroyed once the graph is unlocked.
    func discardValue(logged value: UnsafeMutableRawPointer) {}

    /// The derivation that changes this node in its evaluation. Asked of nodes with the flag `routed`, under the lock.
    var viewThatChangesIt: _PartedDerivation? { nil }

    /// The name of a node that is named when somebody asks. Asked of nodes with the flag `namedBySource`, on any
    /// thread.
    var ownName: String { "unknown" }

    /// Has another node name this one when somebody asks. During the initialisation.
    ///
    /// - Parameter source: This node, or one that this one keeps alive.
    @inlinable @inline(__always)
    final func beNamed(by source: _Node) {
        node.pointee.origin = UInt64(UInt(bitPattern: Unmanaged.passUnretained(source).toOpaque()))
        node.pointee.flags.insert(.namedBySource)
    }

    /// An edge to this node was created. Called for nodes with the flag `counted`, under the lock.
    func edgeWasAdded() {}

    /// An edge to this node was freed. Called for nodes with the flag `counted`, under the lock, while walks may stand on the node.
    func edgeWasRemoved() {}

    deinit {
        if header.log_index != 0 || !header.flags.isDisjoint(with: [.named, .independent, .followedOutside]) {
            leaveLogNameAndGraph()
        }
    }

    @inline(never)
    private final func leaveLogNameAndGraph() {
        let isForgotten = forgetOutsideReads()
        if header.log_index != 0, !header.flags.contains(.reaction) {
            graph.enter()
            graph.forgetLogEntries(of: node)
            graph.leave()
        }
        guard isForgotten else { return Trash.add(object: FreedNode(of: self)) }
        NodeName.release(header)
        if header.flags.contains(.independent) { graph.release() }
    }
}

/// Something that reads sources. Public for the compiler's sake; not for use.
@_fixed_layout
open class _Observer: _Node {
    // Together with the header in front these two make up an `ObserverHeader`. Unchecked for the same reason.
    @exclusivity(unchecked) @usableFromInline final var validatedAt: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline final var sources: EdgePointer = reactive_end_of_sources()

    @usableFromInline
    override init(flags: NodeFlags, graph: GraphPointer, name: String?, fileID: StaticString, line: UInt) {
        super.init(flags: flags, graph: graph, name: name, fileID: fileID, line: line)
    }

    @inlinable @inline(__always)
    override init(flags: NodeFlags, graph: GraphPointer, origin: UInt64) {
        super.init(flags: flags, graph: graph, origin: origin)
    }

    @inlinable @inline(__always)
    final var observer: ObserverPointer {
        UnsafeMutableRawPointer(node).assumingMemoryBound(to: ObserverHeader.self)
    }

    deinit {
        if sources != reactive_end_of_sources(), forgetOutsideReads() { AbandonedSources.drop(sources, of: graph) }
    }
}

/// Room for a value that is not there from the start: in place for what fits, else the address of memory of its own.
///
/// An optional property would do the same. But the deinitialiser of a generic class would have to ask the runtime for the optional's
/// metadata each time, which was a fifth of the instructions of making, reading and freeing a computed.
@frozen @usableFromInline struct Slot {
    private var words: (UInt64, UInt64) = (0, 0)

    @usableFromInline init() {}
}

/// A node that recomputes its value. Public for the compiler's sake; not for use.
@_fixed_layout
open class _Derivation: _Observer {
    // Right behind the `ObserverHeader`, where `Computed` finds it by pointer. Unchecked for the same reason.
    @exclusivity(unchecked) @usableFromInline final var slot = Slot()
    /// Recomputes the value; returns whether it changed. A closure without captures, made where the value's type is known, so
    /// that the graph reaches specialised code with one indirect call.
    @usableFromInline package final let evaluate: (_Derivation) -> Bool
    /// How often `evaluate` was called, for diagnostics. Guarded by the graph's lock.
    final var evaluationCount = 0

    @usableFromInline
    init(
        graph: GraphPointer, name: String?, fileID: StaticString, line: UInt,
        evaluate: @escaping (_Derivation) -> Bool
    ) {
        self.evaluate = evaluate
        super.init(flags: [.derivation, .stale], graph: graph, name: name, fileID: fileID, line: line)
    }

    @inlinable @inline(__always)
    init(graph: GraphPointer, origin: UInt64, evaluate: @escaping (_Derivation) -> Bool) {
        self.evaluate = evaluate
        super.init(flags: [.derivation, .stale], graph: graph, origin: origin)
    }
}

extension UnsafeMutablePointer where Pointee == NodeHeader {
    /// The object that the header lies in.
    var object: Unmanaged<_Node> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(self) - objectHeaderSize)
    }

    /// What is evaluated to find out whether the node changes: itself, or the view that changes it. `nil` for state.
    var evaluatedObserver: ObserverPointer? {
        if pointee.flags.contains(.derivation) { return asObserver }
        guard pointee.flags.contains(.routed) else { return nil }
        return object._withUnsafeGuaranteedRef { $0.viewThatChangesIt?.observer }
    }

    /// The node as an observer. Precondition: it is a derivation or a reaction.
    var asObserver: ObserverPointer {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: ObserverHeader.self)
    }
}

extension UnsafeMutablePointer where Pointee == ObserverHeader {
    @inlinable @inline(__always)
    var asNode: NodePointer {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: NodeHeader.self)
    }

    var flags: NodeFlags {
        get { pointee.node.flags }
        nonmutating set { pointee.node.flags = newValue }
    }

    /// Calls `body` with each source.
    func forEachSource(_ body: (NodePointer) -> Void) {
        var edge = pointee.sources
        while let source = edge.pointee.source {
            edge = edge.pointee.next_source
            body(source)
        }
    }

    /// The derivation that the header lies in. Precondition: it is one.
    var derivation: Unmanaged<_Derivation> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(self) - objectHeaderSize)
    }
}
