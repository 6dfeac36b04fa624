// What observers that use Apple's Observation register with: a registrar, and a key path for each time that it rings.
//
// A tracking is registered in two steps. `access` notes it in a list of the thread; when the tracked closure has
// returned, the list is handed to the registrars. A change in between would find nobody. But the handing over hashes
// the key path again. So each ring has a key path of its own, with a `Call` as its argument, and a call that is hashed
// after it has rung knows that somebody came late:
//
//     access  ──▶ hashed, while this thread asks        somebody tracks
//     handed over ──▶ hashed                            nothing to do
//     ring    ──▶ the call is over, the registrar notifies whoever has been handed over
//     handed over ──▶ hashed, and over                  came late: ring again

#if canImport(Observation)
import CReactive
import Observation

/// What the trackings of one node are registered with.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class Bell: Observation.Observable, @unchecked Sendable {
    // Sendable because the registrar is, and the graph's lock guards the rest.
    let registrar = ObservationRegistrar()
    /// What is accessed until the bell rings the next time, and how the registrar knows it; `nil` right after a ring.
    @exclusivity(unchecked) private var call: Call?
    @exclusivity(unchecked) private var path: KeyPath<Bell, Bool>?
    /// The same of the last call that is over, to be used again once nobody else has it. (To create a key path is a
    /// third of what tracking takes.)
    private var lastCall: Call?
    private var lastPath: KeyPath<Bell, Bool>?

    fileprivate subscript(call: Call) -> Bool { call.isOver }

    /// Registers with whoever tracks on this thread. Under the lock.
    ///
    /// - Returns: Whether somebody does.
    func isTracked() -> Bool {
        let thread = reactive_current()
        thread.pointee.is_asking = true
        thread.pointee.was_answered = false
        // Not retained: nothing replaces it meanwhile. (Most reads are of what nobody tracks, and cost little else.)
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

    /// Ends the call in progress, if anybody has registered for it. Under the lock.
    ///
    /// - Parameter batch: What notifies them, outside the lock.
    func add(to batch: RingBatch) {
        guard let call, let path else { return }
        self.call = nil
        self.path = nil
        lastCall = call
        lastPath = path
        call.end(of: self, in: batch)
        batch.rings.append(RingBatch.Ring(bell: self, path: path))
    }

    /// Ends the bell: its node is being freed. Under the lock.
    func retire() {
        // A call that is over keeps its bell.
        lastCall = nil
        lastPath = nil
    }
}

/// The bells that one change has ring.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class RingBatch: @unchecked Sendable {
    // Sendable because one thread at a time has it.
    fileprivate struct Ring {
        let bell: Bell
        let path: KeyPath<Bell, Bool>
    }

    fileprivate var rings: [Ring] = []
    /// Everybody has been notified. Guarded by the graph's lock, which so orders what happens to a call that is used
    /// again.
    var isDone = false

    /// Notifies those who have registered. Outside the lock.
    func run() {
        let due = rings
        rings = []
        for next in due { ring(next.bell, next.path) }
    }

    /// Notifies those who have registered for one call of the batch.
    fileprivate func ring(_ bell: Bell, _ path: KeyPath<Bell, Bool>) {
        let thread = reactive_current()
        let outer = thread.pointee.ringing
        thread.pointee.ringing = address
        bell.registrar.withMutation(of: bell, keyPath: path) {}
        thread.pointee.ringing = outer
    }

    /// The same for no other batch that a call belongs to.
    fileprivate var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
}

/// The argument of a key path: what notices that the key path is looked up.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class Call: Hashable, @unchecked Sendable {
    // Sendable because the flag is set and read by atomic operations, and the rest does not change.
    /// The bell, once the call is over. Set before the flag.
    @exclusivity(unchecked) private var bell: Bell?
    /// Those that it rings with. Whoever is notified first ends its other registrations, which is not late.
    @exclusivity(unchecked) private var batch: RingBatch?
    @exclusivity(unchecked) private var hasEnded = false
    @exclusivity(unchecked) private var wasLate = false

    var isOver: Bool { reactive_is_set(&hasEnded) }

    /// Whether somebody may have come late.
    var hasRungAgain: Bool { reactive_is_set(&wasLate) }

    /// Whether all that it rings with have rung. Under the lock; the call is over.
    var hasRung: Bool { batch?.isDone == true }

    /// Begins the call again. Precondition: nobody else has it, and it has not rung again.
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

    /// The registrar's lock may be held.
    func hash(into hasher: inout Hasher) {
        let thread = reactive_current()
        if thread.pointee.is_asking {
            thread.pointee.was_answered = true
        } else if isOver, thread.pointee.ringing != batch?.address {
            ringAgain()
        }
        hasher.combine(ObjectIdentifier(self))
    }

    /// Somebody has registered too late, or ends a registration on a different thread. The registrar is busy with that.
    private func ringAgain() {
        guard let bell, let batch else { return }
        reactive_set(&wasLate)
        Task { batch.ring(bell, \Bell.[self]) }
    }
}
#endif
