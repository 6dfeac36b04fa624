// Access to the model for code that runs outside the isolation of the model.

import Reactive

/// Access to the model: runs closures in the isolation that the model belongs to.
struct ModelAccess: @unchecked Sendable {
    // Sendable because the state has a lock of its own, and the handler runs only in the isolation.
    let state: ReplicaState
    let isolation: (any Actor)?
    let onConflict: ((ReplicaConflict) -> Void)?
    /// The name of the replica in diagnostics.
    let name: String

    /// Runs `body` in the model's isolation.
    func run(_ body: @Sendable (ReplicaState) throws -> Void) async throws {
        try await run(body, isolation: isolation)
    }

    private func run(
        _ body: @Sendable (ReplicaState) throws -> Void, isolation: isolated (any Actor)?
    ) async throws {
        try body(state)
    }

    /// Applies the next entries of the log, and reports conflicts.
    func receive(_ entries: [LogEntry]) async throws { try await receive(entries, isolation: isolation) }

    private func receive(_ entries: [LogEntry], isolation: isolated (any Actor)?) async throws {
        var conflicts: [ReplicaConflict] = []
        defer { conflicts.forEach(report) }
        try state.receive(entries, conflicts: &conflicts)
    }

    /// Begins again with a document, and reports conflicts.
    func beginAgain(with loaded: LoadedDocument) async throws {
        try await beginAgain(with: loaded, isolation: isolation)
    }

    private func beginAgain(with loaded: LoadedDocument, isolation: isolated (any Actor)?) async throws {
        var conflicts: [ReplicaConflict] = []
        defer { conflicts.forEach(report) }
        try state.beginAgain(with: loaded, conflicts: &conflicts)
    }

    private func report(_ conflict: ReplicaConflict) {
        if let onConflict { return onConflict(conflict) }
        let event =
            conflict.isOutcomeUnknown
            ? "The model lacks edits of a transaction of \(name), and the log has pruned the transaction's entry."
            : "Edits of a transaction of \(name) were dropped."
        Diagnostics.report(.conflict, "\(event) Pass onConflict to handle them.\n\(conflict)", site: name)
    }
}
