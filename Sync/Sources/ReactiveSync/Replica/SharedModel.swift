// A model without its type: all that the state of a replica asks of it.

import ReactiveCodable

/// A model whose changes are recorded.
protocol SharedModel: AnyObject {
    /// The model's JSON. Where the model may be used.
    func encoded() throws -> JSONValue

    /// Writes a patch that is made when everything that was changed before has been reported; see `PatchRecorder`.
    func exchange(_ makePatch: () throws -> JSONPatch?) throws -> JSONPatch?

    /// Writes a patch without finding out what it changes; see `PatchRecorder`.
    func write(_ makePatch: () throws -> JSONPatch?) throws

    /// Runs `body` with the model's graph locked.
    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result

    /// Stops recording, and reports what was changed before.
    func end()
}

extension PatchRecorder: SharedModel {
    func encoded() throws -> JSONValue { try JSONValue(encoding: root) }
}
