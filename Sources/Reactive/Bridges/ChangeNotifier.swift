// Notifications of observers that use Apple's Observation. Each followed node has a `ChangeNotifier`: a registrar, and
// one key path per notification.
//
// A tracking is registered in two steps. `access` adds the access to a list of the thread. When the tracked closure has
// returned, the list is registered with the registrars. A change between the two steps would notify no observer. But
// the second step hashes the key path again. So each notification has its own key path, with a `NotificationToken` as
// its argument. A token that is hashed after its notification knows that an observer registered late:
//
//     access      ──▶ hashed, while this thread asks    an observer is tracking
//     registered  ──▶ hashed                            nothing to do
//     notified    ──▶ the token is over, the registrar notifies the registered observers
//     registered  ──▶ hashed, and over                  late: notify again

#if canImport(Observation)
import CReactive
import Observation

/// The registrar of one node, with which observers outside of the library register.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class ChangeNotifier: Observation.Observable, @unchecked Sendable {
    // Sendable because the registrar is, and the graph's lock guards the rest.
    let registrar = ObservationRegistrar()
    /// The token that is accessed until the next notification, and below its key path; `nil` right after a
    /// notification.
    @exclusivity(unchecked) private var token: NotificationToken?
    @exclusivity(unchecked) private var keyPath: KeyPath<ChangeNotifier, Bool>?
    /// The last token that is over, and below its key path. Both are reused once nothing else refers to them. (Creating
    /// a key path is a third of the cost of tracking.)
    private var lastToken: NotificationToken?
    private var lastKeyPath: KeyPath<ChangeNotifier, Bool>?

    fileprivate subscript(token: NotificationToken) -> Bool { token.isOver }

    /// Registers the observer that is tracking on this thread. Under the lock.
    ///
    /// - Returns: Whether an observer is tracking.
    func isTracked() -> Bool {
        let thread = reactive_current()
        thread.pointee.is_probing = true
        thread.pointee.probe_was_answered = false
        // Not retained: nothing replaces it meanwhile. (Most nodes are not tracked. Reading one costs little besides
        // this.)
        Unmanaged.passUnretained(keyPath ?? newKeyPath())._withUnsafeGuaranteedRef {
            registrar.access(self, keyPath: $0)
        }
        thread.pointee.is_probing = false
        return thread.pointee.probe_was_answered
    }

    @inline(never)
    private func newKeyPath() -> KeyPath<ChangeNotifier, Bool> {
        let token: NotificationToken
        let keyPath: KeyPath<ChangeNotifier, Bool>
        if isKnownUniquelyReferenced(&lastKeyPath), let lastToken, let lastKeyPath, lastToken.isDelivered,
            !lastToken.hasNotifiedAgain
        {
            (token, keyPath) = (lastToken, lastKeyPath)
            token.begin()
        } else {
            token = NotificationToken()
            keyPath = \ChangeNotifier.[token]
        }
        lastToken = nil
        lastKeyPath = nil
        self.token = token
        self.keyPath = keyPath
        return keyPath
    }

    /// Ends the token in use, if an observer has registered for it. Under the lock.
    ///
    /// - Parameter batch: The batch that notifies the observers, outside the lock.
    func add(to batch: NotificationBatch) {
        guard let token, let keyPath else { return }
        self.token = nil
        self.keyPath = nil
        lastToken = token
        lastKeyPath = keyPath
        token.end(of: self, in: batch)
        batch.entries.append(NotificationBatch.Entry(notifier: self, keyPath: keyPath))
    }

    /// Ends the notifier, because its node is being freed. Under the lock.
    func retire() {
        // A token that is over retains its notifier.
        lastToken = nil
        lastKeyPath = nil
    }
}

/// The notifications of one change.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
final class NotificationBatch: @unchecked Sendable {
    // Sendable because it is used by one thread at a time.
    fileprivate struct Entry {
        let notifier: ChangeNotifier
        let keyPath: KeyPath<ChangeNotifier, Bool>
    }

    fileprivate var entries: [Entry] = []
    /// Whether all observers have been notified. Guarded by the graph's lock, which thereby orders this before the
    /// reuse of a token.
    var isDone = false

    /// Notifies the registered observers. Outside the lock.
    func run() {
        let due = entries
        entries = []
        for next in due { notify(next.notifier, next.keyPath) }
    }

    /// Notifies the observers that have registered for one token of the batch.
    fileprivate func notify(_ notifier: ChangeNotifier, _ keyPath: KeyPath<ChangeNotifier, Bool>) {
        let thread = reactive_current()
        let outer = thread.pointee.notifying
        thread.pointee.notifying = address
        notifier.registrar.withMutation(of: notifier, keyPath: keyPath) {}
        thread.pointee.notifying = outer
    }

    /// The identity of the batch, as long as a token refers to it.
    fileprivate var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }
}

/// The argument of a key path. It notices that the key path is looked up.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class NotificationToken: Hashable, @unchecked Sendable {
    // Sendable because the flags are set and read by atomic operations, and the rest does not change.
    /// The notifier, once the token is over. Set before the flag.
    @exclusivity(unchecked) private var notifier: ChangeNotifier?
    /// The batch that the token belongs to. The first observer that is notified ends its other registrations. That also
    /// hashes the key path, and is not late.
    @exclusivity(unchecked) private var batch: NotificationBatch?
    @exclusivity(unchecked) private var hasEnded = false
    @exclusivity(unchecked) private var wasLate = false

    var isOver: Bool { reactive_is_set(&hasEnded) }

    /// Whether an observer may have registered late.
    var hasNotifiedAgain: Bool { reactive_is_set(&wasLate) }

    /// Whether all notifications of its batch are done. Under the lock; the token is over.
    var isDelivered: Bool { batch?.isDone == true }

    /// Starts to use the token again. Precondition: nothing else refers to it, and it has not notified again.
    func begin() {
        notifier = nil
        batch = nil
        reactive_clear(&hasEnded)
    }

    func end(of notifier: ChangeNotifier, in batch: NotificationBatch) {
        self.notifier = notifier
        self.batch = batch
        reactive_set(&hasEnded)
    }

    static func == (left: NotificationToken, right: NotificationToken) -> Bool { left === right }

    /// Feeds the identity, and detects the lookup. The registrar's lock may be held.
    func hash(into hasher: inout Hasher) {
        let thread = reactive_current()
        if thread.pointee.is_probing {
            thread.pointee.probe_was_answered = true
        } else if isOver, thread.pointee.notifying != batch?.address {
            notifyAgain()
        }
        hasher.combine(ObjectIdentifier(self))
    }

    /// Notifies again, because an observer has registered late, or ends a registration on a different thread. The
    /// registrar is in use at this moment.
    private func notifyAgain() {
        guard let notifier, let batch else { return }
        reactive_set(&wasLate)
        Task { batch.notify(notifier, \ChangeNotifier.[self]) }
    }
}
#endif
