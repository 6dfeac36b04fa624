// Notifications of observers that use Apple's Observation. Each followed node has a `Bell`: a registrar, and one key
// path per notification.
//
// A tracking is registered in two steps. `access` adds the access to a list of the thread. When the tracked closure has
// returned, the list is registered with the registrars. A change between the two steps would notify no observer. But
// the second step hashes the key path again. So each notification has its own key path, with a `Call` as its argument.
// A call that is hashed after its notification knows that an observer registered late:
//
//     access      ──▶ hashed, while this thread asks    an observer is tracking
//     registered  ──▶ hashed                            nothing to do
//     notified    ──▶ the call is over, the registrar notifies the registered observers
//     registered  ──▶ hashed, and over                  late: notify again

#if canImport(Observation)
import CReactive
import Observation

/// The registrar of one node, with which observers outside of the library register.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class Bell: Observation.Observable, @unchecked Sendable {
    // Sendable because the registrar is, and the graph's lock guards the rest.
    let registrar = ObservationRegistrar()
    /// The call that is accessed until the next notification, and below its key path; `nil` right after a notification.
    @exclusivity(unchecked) private var call: Call?
    @exclusivity(unchecked) private var path: KeyPath<Bell, Bool>?
    /// The last call that is over, and below its key path. Both are reused once nothing else refers to them. (Creating
    /// a key path is a third of the cost of tracking.)
    private var lastCall: Call?
    private var lastPath: KeyPath<Bell, Bool>?

    fileprivate subscript(call: Call) -> Bool { call.isOver }

    /// Registers the observer that is tracking on this thread. Under the lock.
    ///
    /// - Returns: Whether an observer is tracking.
    func isTracked() -> Bool {
        let thread = reactive_current()
        thread.pointee.is_asking = true
        thread.pointee.was_answered = false
        // Not retained: nothing replaces it meanwhile. (Most nodes are not tracked. Reading one costs little besides
        // this.)
        Unmanaged.passUnretained(path ?? newPath())._withUnsafeGuaranteedRef { registrar.access(self, keyPath: $0) }
        thread.pointee.is_asking = false
        return thread.pointee.was_answered
    }

    @inline(never)
    private func newPath() -> KeyPath<Bell, Bool> {
        let call: Call
        let path: KeyPath<Bell, Bool>
        if isKnownUniquelyReferenced(&lastPath), let lastCall, let lastPath, lastCall.hasRung,
            !lastCall.hasRungAgain
        {
            (call, path) = (lastCall, lastPath)
            call.begin()
        } else {
            call = Call()
            path = \Bell.[call]
        }
        lastCall = nil
        lastPath = nil
        self.call = call
        self.path = path
        return path
    }

    /// Ends the call in progress, if an observer has registered for it. Under the lock.
    ///
    /// - Parameter batch: The batch that notifies the observers, outside the lock.
    func add(to batch: RingBatch) {
        guard let call, let path else { return }
        self.call = nil
        self.path = nil
        lastCall = call
        lastPath = path
        call.end(of: self, in: batch)
        batch.rings.append(RingBatch.Ring(bell: self, path: path))
    }

    /// Ends the bell, because its node is being freed. Under the lock.
    func retire() {
        // A call that is over retains its bell.
        lastCall = nil
        lastPath = nil
    }
}

/// The notifications of one change.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class RingBatch: @unchecked Sendable {
    // Sendable because it is used by one thread at a time.
    fileprivate struct Ring {
        let bell: Bell
        let path: KeyPath<Bell, Bool>
    }

    fileprivate var rings: [Ring] = []
    /// Whether all observers have been notified. Guarded by the graph's lock, which thereby orders this before the
    /// reuse of a call.
    var isDone = false

    /// Notifies the registered observers. Outside the lock.
    func run() {
        let due = rings
        rings = []
        for next in due { ring(next.bell, next.path) }
    }

    /// Notifies the observers that have registered for one call of the batch.
    fileprivate func ring(_ bell: Bell, _ path: KeyPath<Bell, Bool>) {
        let thread = reactive_current()
        let outer = thread.pointee.ringing
        thread.pointee.ringing = address
        bell.registrar.withMutation(of: bell, keyPath: path) {}
        thread.pointee.ringing = outer
    }

    /// The identity of the batch, as long as a call refers to it.
    fileprivate var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
}

/// The argument of a key path. It notices that the key path is looked up.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class Call: Hashable, @unchecked Sendable {
    // Sendable because the flags are set and read by atomic operations, and the rest does not change.
    /// The bell, once the call is over. Set before the flag.
    @exclusivity(unchecked) private var bell: Bell?
    /// The batch that the call belongs to. The first observer that is notified ends its other registrations. That also
    /// hashes the key path, and is not late.
    @exclusivity(unchecked) private var batch: RingBatch?
    @exclusivity(unchecked) private var hasEnded = false
    @exclusivity(unchecked) private var wasLate = false

    var isOver: Bool { reactive_is_set(&hasEnded) }

    /// Whether an observer may have registered late.
    var hasRungAgain: Bool { reactive_is_set(&wasLate) }

    /// Whether all notifications of its batch are done. Under the lock; the call is over.
    var hasRung: Bool { batch?.isDone == true }

    /// Starts to use the call again. Precondition: nothing else refers to it, and it has not notified again.
    func begin() {
        bell = nil
        batch = nil
        reactive_clear(&hasEnded)
    }

    func end(of bell: Bell, in batch: RingBatch) {
        self.bell = bell
        self.batch = batch
        reactive_set(&hasEnded)
    }

    static func == (left: Call, right: Call) -> Bool { left === right }

    /// Feeds the identity, and detects the lookup. The registrar's lock may be held.
    func hash(into hasher: inout Hasher) {
        let thread = reactive_current()
        if thread.pointee.is_asking {
            thread.pointee.was_answered = true
        } else if isOver, thread.pointee.ringing != batch?.address {
            ringAgain()
        }
        hasher.combine(ObjectIdentifier(self))
    }

    /// Notifies again, because an observer has registered late, or ends a registration on a different thread. The
    /// registrar is in use at this moment.
    private func ringAgain() {
        guard let bell, let batch else { return }
        reactive_set(&wasLate)
        Task { batch.ring(bell, \Bell.[self]) }
    }
}
#endif
