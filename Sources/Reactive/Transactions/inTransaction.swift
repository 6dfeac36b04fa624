// Transactions: several writes as one change.

import CReactive

/// The treatment of a transaction's writes when its body throws.
public enum TransactionErrorPolicy: Sendable {
    /// Rolls every write back, as if the body had not run. The default.
    case rollBack
    /// Keeps the writes made so far.
    case commit
}

/// Runs `body` as one change: no observer sees a part of it, and reactions run once, when the outermost transaction
/// ends.
///
/// ```swift
/// inTransaction {
///     account.balance -= 20
///     savings.balance += 20
///     print("sum:", sum.value)  // prints "sum: 200"
/// }  // prints "80 120"
/// ```
///
/// Reads inside the body see its writes, also through computeds. If the body restores the earlier state of a comparable
/// value, no reaction runs for it. If the body throws, all its writes are rolled back and no reaction runs; a nested
/// transaction rolls back only its own writes. If the body cannot throw, no earlier values are kept.
///
/// - Parameters:
///   - fileID: The file of the call, for recordings.
///   - line: The line of the call.
///   - body: Runs immediately on the calling thread, which holds the graph until it returns. Transactions of other
///     threads come before or after it. Do not wait for another thread in it.
/// - Returns: The value that `body` returns.
/// - Throws: The error that `body` throws, after the writes have been rolled back.
/// - Complexity: O(1) plus the body and the reactions. A write in a transaction that can throw keeps the earlier value.
@discardableResult @inlinable
public func inTransaction<R, E: Error>(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws(E) -> R
) throws(E) -> R {
    let graph = GraphPointer.current
    if E.self == Never.self {
        graph.beginTransaction()
        // No test sees this always hold: it only saves steps.
        if graph.isRecorded { graph.recordBeginOfTransaction(fileID, line) }
        defer { graph.commitTransaction() }
        return try body()
    }
    let outerLevel = graph.beginRevertibleTransaction()
    // No test sees this always hold: it only saves steps.
    if graph.isRecorded { graph.recordBeginOfTransaction(fileID, line) }
    do {
        let result = try body()
        graph.commitRevertibleTransaction(outerLevel: outerLevel)
        return result
    } catch {
        graph.rollBackTransaction(outerLevel: outerLevel)
        throw error
    }
}

/// Runs `body` as one change, with a policy for its writes if it throws.
///
/// ```swift
/// try inTransaction(onError: .commit) {
///     log.value.append("trying")
///     try attempt()  // "trying" stays in the log
/// }
/// ```
///
/// - Parameters:
///   - onError: `.rollBack` rolls the writes back, like ``inTransaction(fileID:line:_:)``; `.commit` keeps them. In
///     both cases the error is rethrown after the reactions have run.
///   - fileID: The file of the call, for recordings.
///   - line: The line of the call.
///   - body: Runs immediately on the calling thread; see ``inTransaction(fileID:line:_:)``.
/// - Returns: The value that `body` returns.
/// - Throws: The error that `body` throws.
@discardableResult @inlinable
public func inTransaction<R, E: Error>(
    onError: TransactionErrorPolicy, fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws(E) -> R
) throws(E) -> R {
    guard onError == .commit else { return try inTransaction(fileID: fileID, line: line, body) }
    let graph = GraphPointer.current
    graph.beginTransaction()
    // No test sees this always hold: it only saves steps.
    if graph.isRecorded { graph.recordBeginOfTransaction(fileID, line) }
    defer { graph.commitTransaction() }
    return try body()
}
