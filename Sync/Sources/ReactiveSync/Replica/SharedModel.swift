// A model without its type: the functions that the state of a replica needs.

import ReactiveCodable

/// A model whose changes are recorded.
protocol SharedModel: AnyObject {
    /// Returns the model's JSON. Called in the isolation of the model.
    func encoded() throws -> JSONValue

    /// Writes a patch. The closure that returns it runs after all earlier changes have been reported; see
    /// `PatchRecorder`.
    func exchange(_ makePatch: () throws -> JSONPatch?) throws -> JSONPatch?

    /// Writes a patch without returning what it has changed; see `PatchRecorder`.
    func write(_ makePatch: () throws -> JSONPatch?) throws

    /// Runs `body` with the model's graph locked.
    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result

    /// Stops recording, and reports the changes before.
    func end()
}

extension PatchRecorder: SharedModel {
    func encoded() throws -> JSONValue { try JSONValue(encoding: root) }
}
