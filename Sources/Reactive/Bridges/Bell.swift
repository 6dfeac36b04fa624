// What observers that use Apple's Observation register with: a registrar, and a key path for each time that it rings.
//
// A tracking is registered in two steps. `access` notes it in a list of the thread; when the tracked closure has returned, the list is
// handed to the registrars. A change in between would find nobody. But the handing over hashes the key path again. So each ring has a key
// path of its own, with a `Call` as its argument, and a call that is hashed after it has rung knows that somebody came late:
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
        let call = Call()
        let path = \Bell.[call]
        self.call = call
        self.path = path
        return path
    }

    /// Ends the call in progress. Under the lock.
    ///
    /// - Returns: What notifies those who have registered. To be called outside the lock.
    func takeRing() -> Ring? {
        guard let call, let path else { return nil }
        self.call = nil
        self.path = nil
        call.end(of: self)
        return Ring(bell: self, call: call, path: path)
    }

    /// Notifies those who have registered for a call.
    struct Ring {
        fileprivate let bell: Bell
        fileprivate let call: Call
        fileprivate let path: KeyPath<Bell, Bool>

        func callAsFunction() {
            let thread = reactive_current()
            let outer = thread.pointee.ringing
            thread.pointee.ringing = UnsafeRawPointer(Unmanaged.passUnretained(call).toOpaque())
            bell.registrar.withMutation(of: bell, keyPath: path) {}
            thread.pointee.ringing = outer
        }
    }
}

/// The argument of a key path: what notices that the key path is looked up.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class Call: Hashable, @unchecked Sendable {
    // Sendable because the flag is set and read by atomic operations, and the rest does not change.
    /// Set before the flag. The bell does not keep a call that is over.
    @exclusivity(unchecked) private var bell: Bell?
    @exclusivity(unchecked) private var hasEnded = false

    var isOver: Bool { reactive_is_set(&hasEnded) }

    func end(of bell: Bell) {
        self.bell = bell
        reactive_set(&hasEnded)
    }

    static func == (left: Call, right: Call) -> Bool { left === right }

    /// The registrar's lock may be held.
    func hash(into hasher: inout Hasher) {
        let thread = reactive_current()
        if thread.pointee.is_asking {
            thread.pointee.was_answered = true
        } else if isOver, thread.pointee.ringing != UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) {
            ringAgain()
        }
        hasher.combine(ObjectIdentifier(self))
    }

    /// Somebody has registered too late. The registrar is busy with that.
    private func ringAgain() {
        guard let bell else { return }
        Task {
            Bell.Ring(bell: bell, call: self, path: \Bell.[self])()
        }
    }
}
#endif
