// What goes over the wire.

import ReactiveCodable

/// A change that a process makes and the log puts in order.
package struct Entry: Codable, Sendable {
    /// Who made it: a copy of the model, in one run of a process.
    package let author: String
    /// Which of its author's changes it is, from 1 on.
    package let number: Int
    /// What it changes.
    package let patch: JSONPatch
}
