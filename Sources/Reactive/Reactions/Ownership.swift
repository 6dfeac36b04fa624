// What a run of a reaction owns: the reactions made in it, and the cleanups registered in it. Both end before its next run.
//
// A reaction has two scopes, because its tracked part and its effect run again independently: what the effect made stays when the
// tracked part runs and finds nothing changed. The thread's context says whose run, and which part of it, is in progress.

import CReactive

/// The part of a reaction's run that owns something.
enum OwnerPhase: UInt32 {
    case tracked, effectful
}

struct OwnedScope {
    enum Item {
        case reaction(Reaction)
        case cleanup(() -> Void)
    }

    private var items: [Item] = []
    private var cancelledWhenPruned = 0

    var isEmpty: Bool { items.isEmpty }

    mutating func add(_ item: Item) {
        // An owner that makes and cancels reactions without running again must not collect them.
        if items.count >= 64, items.count >= 2 * cancelledWhenPruned {
            items.removeAll {
                guard case .reaction(let reaction) = $0 else { return false }
                return reaction.observer.flags.contains(.cancelled)
            }
            cancelledWhenPruned = items.count
        }
        items.append(item)
    }

    mutating func takeItems() -> [Item] {
        defer { items = [] }
        return items
    }

    /// Ends what a scope owned, the newest first. Outside the lock.
    static func dispose(_ items: [Item]) {
        let thread = reactive_current()
        let owner = thread.pointee.owner
        thread.pointee.owner = nil
        defer { thread.pointee.owner = owner }
        for item in items.reversed() {
            switch item {
            case .reaction(let reaction): reaction.cancel()
            case .cleanup(let cleanup): cleanup()
            }
        }
    }
}

extension Reaction {
    /// The reaction whose run, on this thread, owns what is made now: nobody's inside a derivation.
    static var currentOwner: Reaction? {
        if let evaluation = reactive_current().pointee.graph?.pointee.evaluating,
            !evaluation.pointee.node.pointee.flags.contains(.reaction)
        {
            return nil
        }
        return reactive_current().pointee.owner.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Hands a new reaction to the reaction in whose run it is made. Under the lock.
    func adoptByOwner() {
        Reaction.currentOwner?.own(.reaction(self))
    }

    /// Adds to the scope of the part that runs now. Under the lock.
    func own(_ item: OwnedScope.Item) {
        switch OwnerPhase(rawValue: reactive_current().pointee.owner_phase) {
        case .effectful: needExtras().effectful.add(item)
        default: needExtras().tracked.add(item)
        }
    }

    /// Runs `body` so that what it makes belongs to this reaction.
    @inline(__always)
    func owning(_ phase: OwnerPhase, _ body: () -> Void) {
        let thread = reactive_current()
        let owner = thread.pointee.owner
        let ownerPhase = thread.pointee.owner_phase
        thread.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
        thread.pointee.owner_phase = phase.rawValue
        defer {
            thread.pointee.owner = owner
            thread.pointee.owner_phase = ownerPhase
        }
        body()
    }
}

/// Registers what to do before the current reaction runs again, and when it is cancelled; once.
///
/// ```swift
/// let reaction = autorun {
///     let name = channel.value
///     print("open", name)
///     onCleanup { print("close", name) }
/// }  // prints "open news"
/// channel.value = "music"  // prints "close news", "open music"
/// reaction.cancel()  // prints "close music"
/// ```
///
/// Call it in the tracked closure or the effect of a reaction, or in a render of an ``ObserverScope``. Several run in reverse order.
/// Elsewhere there is nothing that could run it: the call is reported as misuse and ignored.
///
/// - Parameter body: Runs once, outside the library's lock, untracked, its writes batched, on the thread that runs the reaction next or
///   cancels it. Released afterwards.
public func onCleanup(_ body: @escaping () -> Void) {
    guard let owner = Reaction.currentOwner else {
        Diagnostics.report(
            .init(
                kind: .misuse,
                message:
                    "onCleanup is called outside a reaction's run and ignored. Call it in an autorun, reaction or render.",
                site: "onCleanup"), in: .current)
        return
    }
    owner.graph.enter()
    owner.own(.cleanup(body))
    owner.graph.leave()
}

/// Runs `body` so that the reactions made in it belong to nobody: they go on until they are cancelled themselves.
///
/// - Parameter body: Runs at once; its reads are tracked as they would be without `detached`. An ``onCleanup(_:)`` in it has no owner.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func detached<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    let thread = reactive_current()
    let owner = thread.pointee.owner
    thread.pointee.owner = nil
    defer { thread.pointee.owner = owner }
    return try body()
}
