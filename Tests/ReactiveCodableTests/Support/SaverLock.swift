// The lock of a saver, for tests that keep it: a thread that uses a saver has a copy of its state for a moment.

import ReactiveCodable

extension FileSaver {
    /// The lock that the saver holds now.
    var lock: Any? { Mirror(reflecting: self).descendant("state", "state", "lock", "some") }
}
