// The objects that contain the graph's nodes.
//
//     _Node                header                      a source of values
//     ├─ Observable<Value>     + value, equality
//     ├─ _StoredSource         + a count of edges      a collection, or the node of a key: a subclass has the value
//     └─ _Observer         + validatedAt, sources      something that reads sources
//        ├─ _Derivation    + inline storage, evaluate, a count
//        │  ├─ Computed<Value>    + closure
//        │  └─ _PartedDerivation  + its parts         a view of a collection: a subclass has the state
//        ├─ Reaction           + closure, options
//        ├─ _ReactionPart      + its reaction
//        ├─ _DerivationPart    + its row, its derivation
//        └─ _Router            + nothing              keeps a view current while its keys are read
//
// The graph links and walks `NodeHeader`s through pointers and does not depend on the contents of an object. A header
// lies directly behind its object's own header, so adding a constant to either address yields the other. After
// initialisation, a header is accessed only through that pointer. This keeps Swift's exclusivity checks and reference
// counts out of every walk; the graph's lock makes the accesses exclusive. The layout is inlined into other modules, so
// it is fixed (`@_fixed_layout`, which has a meaning only with library evolution).
//
// Lifetimes: an edge keeps its source alive (+1, taken when the edge is created) and never its observer. That is safe
// because only live observers are in a source's list, and a live observer is kept alive: a reaction by the registry
// until it is cancelled, a derivation by the edge of an observer, a part of a derivation by that derivation's state,
// and a router by the code that ends it.

import CReactive

@usableFromInline package typealias NodePointer = UnsafeMutablePointer<NodeHeader>
@usableFromInline package typealias ObserverPointer = UnsafeMutablePointer<ObserverHeader>
@usableFromInline typealias EdgePointer = UnsafeMutablePointer<Edge>

/// The size of a Swift object's own header.
@usableFromInline let objectHeaderSize = 2 * MemoryLayout<UnsafeRawPointer>.size

/// The common part of all nodes of the graph. Public only for the compiler; do not use it directly.
@_fixed_layout
open class _Node {
    // Unchecked, because the graph accesses it by pointer: the lock makes the accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var header: NodeHeader

    /// - Parameter originBits: The bits of `origin` that are not part of the name.
    @usableFromInline
    init(
        flags: NodeFlags, graph: GraphPointer, name: String?, fileID: StaticString, line: UInt, originBits: UInt64 = 0
    ) {
        header = reactive_make_node(flags, graph, 0)
        NodeName.store(name, fileID: fileID, line: line, in: &header)
        header.origin |= originBits
        // No test sees this always hold: it only saves a call.
        if !reactive_is_plain(graph) { beginInGraph() }
    }

    /// The fast path of `init`: only stores, for unnamed nodes whose file and line fit into a word.
    @inlinable @inline(__always)
    init(flags: NodeFlags, graph: GraphPointer, origin: UInt64) {
        header = reactive_make_node(flags, graph, origin)
        // No test sees this always hold: it only saves a call.
        if !reactive_is_plain(graph) { beginInGraph() }
    }

    /// Keeps an independent graph alive as long as this node, and records the creation, if the name is known.
    @usableFromInline @inline(never)
    final func beginInGraph() {
        keepGraph()
        // Last, because from here on a recorder on a different thread may read the header.
        // No test sees this always hold: it only saves the lock.
        if header.origin != 0, reactive_is_recording() { recordCreation() }
    }

    /// Records the creation while there are recordings, after the name is set: the lock makes it visible to other
    /// threads.
    @usableFromInline @inline(never)
    final func recordCreation() {
        guard header.flags.isDisjoint(with: .part) else { return }
        graph.recordFromOutside(.creation(node))
    }

    /// Changes the header of a node that has just been created. Nobody has the node yet, but a recorder may read its
    /// name.
    package final func changeNewHeader(_ change: (inout NodeHeader) -> Void) {
        // No test sees this always hold: it only saves the lock.
        let isRecorded = reactive_is_recording() && !graph.isOutOfReach
        // No test sees this never hold: only the thread sanitizer sees a race.
        if isRecorded { graph.enter() }
        change(&node.pointee)
        // No test sees this never hold: as above.
        if isRecorded { graph.leave() }
    }

    /// Keeps an independent graph alive. Does nothing for a node of the default graph.
    private final func keepGraph() {
        guard let graph = header.graph.independent?.retain() else { return }
        header.flags.insert(.independent)
        if let onCreation = graph._withUnsafeGuaranteedRef({ $0.onCreation }) { onCreation(self) }
    }

    /// The header, which the graph works on.
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
    // No test sees this: each kind of state overrides it, and derivations are not asked.
    func equalsValue(logged value: UnsafeMutableRawPointer) -> Bool { false }

    /// Removes a value from the transaction log. It is destroyed once the graph is unlocked.
    func discardValue(logged value: UnsafeMutableRawPointer) {}

    /// The derivation that changes this node in its evaluation. Called for nodes with the flag `routed`, under the
    /// lock.
    var viewThatChangesIt: _PartedDerivation? { nil }

    /// The name of a node whose name is computed when it is asked for. Called for nodes with the flag `namedBySource`,
    /// on any thread.
    var ownName: String { "unknown" }

    /// Makes another node name this one when the name is asked for. Called during the initialisation.
    ///
    /// - Parameter source: This node, or one that this node keeps alive.
    @inlinable @inline(__always)
    final func beNamed(by source: _Node) {
        node.pointee.origin = UInt64(UInt(bitPattern: Unmanaged.passUnretained(source).toOpaque()))
        node.pointee.flags.insert(.namedBySource)
        // No test sees this always hold: it only saves the lock.
        if reactive_is_recording() { recordCreation() }
    }

    #if DEBUG
    /// A sentence for each broken invariant of what the node stores. Called for tests, under the lock, outside of
    /// evaluations.
    open func brokenInvariants() -> [String] { [] }

    /// The node that stores what this one stands for, such as the collection of a key. No edge may lead there. Called
    /// for tests, like `brokenInvariants`.
    open var storingNode: _Node? { nil }
    #endif

    /// Called when an edge to this node was created. Only for nodes with the flag `counted`, under the lock.
    func edgeWasAdded() {}

    /// Called when an edge to this node was freed. Only for nodes with the flag `counted`, under the lock, possibly
    /// during a walk at this node.
    func edgeWasRemoved() {}

    deinit {
        // No test sees this always hold: it only saves a call.
        if header.log_index != 0 || !header.flags.isDisjoint(with: [.named, .independent, .followedOutside, .recorded])
        {
            leaveLogNameAndGraph()
        }
    }

    @inline(never)
    private final func leaveLogNameAndGraph() {
        let isForgotten = forgetOutsideReads()
        // No test sees this always hold: a reaction that has left the registry has no index.
        if header.log_index != 0, !header.flags.contains(.reaction) {
            graph.enter()
            graph.forgetLogEntries(of: node)
            graph.leave()
        }
        guard isForgotten else { return DeferredReleases.add(object: FreedNode(of: self)) }
        NodeName.release(header)
        graph.release()
    }
}

/// A node that reads sources. Public only for the compiler; do not use it directly.
@_fixed_layout
open class _Observer: _Node {
    // Together with the header in front, these two make up an `ObserverHeader`. Unchecked for the same reason.
    @exclusivity(unchecked) @usableFromInline final var validatedAt: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline final var sources: EdgePointer = reactive_end_of_sources()

    @usableFromInline
    init(flags: NodeFlags, graph: GraphPointer, name: String?, fileID: StaticString, line: UInt) {
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
        // No test sees this always hold: it only saves the lock.
        if sources != reactive_end_of_sources(), forgetOutsideReads() { AbandonedSources.drop(sources, of: graph) }
    }
}

/// Storage for a value that does not exist from the start: in place for values that fit, else the address of separate
/// memory.
///
/// An optional property would do the same. But the deinitialiser of a generic class would then ask the runtime for the
/// optional's metadata each time. That was a fifth of the instructions for creating, reading and freeing a computed.
@frozen @usableFromInline struct InlineStorage {
    private var words: (UInt64, UInt64) = (0, 0)

    @usableFromInline init() {}
}

/// A node that recomputes its value. Public only for the compiler; do not use it directly.
@_fixed_layout
open class _Derivation: _Observer {
    // Directly behind the `ObserverHeader`, where `Computed` finds it by pointer. Unchecked for the same reason.
    @exclusivity(unchecked) @usableFromInline final var inlineStorage = InlineStorage()
    /// Recomputes the value; returns whether it changed. A closure without captures, created where the value's type is
    /// known, so that the graph reaches specialised code with one indirect call.
    @usableFromInline package final let evaluate: (_Derivation) -> Bool
    /// The number of calls of `evaluate`, for diagnostics. Guarded by the graph's lock.
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
    /// The object that contains the header.
    package var object: Unmanaged<_Node> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(self) - objectHeaderSize)
    }

    /// The observer whose evaluation determines whether the node changes: the node itself, or the view that changes it.
    /// `nil` for state.
    package var evaluatedObserver: ObserverPointer? {
        if pointee.flags.contains(.derivation) { return asObserver }
        // No test sees this always hold: it only saves a call.
        guard pointee.flags.contains(.routed) else { return nil }
        return object._withUnsafeGuaranteedRef { $0.viewThatChangesIt?.observer }
    }

    /// The node as an observer. Precondition: it is a derivation or a reaction.
    package var asObserver: ObserverPointer {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: ObserverHeader.self)
    }
}

extension UnsafeMutablePointer where Pointee == ObserverHeader {
    @inlinable @inline(__always)
    package var asNode: NodePointer {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: NodeHeader.self)
    }

    var flags: NodeFlags {
        get { pointee.node.flags }
        nonmutating set { pointee.node.flags = newValue }
    }

    /// Calls `body` with each source.
    package func forEachSource(_ body: (NodePointer) -> Void) {
        var edge = pointee.sources
        while let source = edge.pointee.source {
            edge = edge.pointee.next_source
            body(source)
        }
    }

    /// The derivation that contains the header. Precondition: the node is a derivation.
    var derivation: Unmanaged<_Derivation> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(self) - objectHeaderSize)
    }
}
