// Transactions: several writes as one change.

import CReactive

/// What a transaction does with its writes when its body throws.
public enum TransactionErrorPolicy: Sendable {
    /// Takes every write back, as if the body had not run. The default.
    case rollBack
    /// Keeps the writes made so far.
    case commit
}

/// Runs `body` as one change: nobody sees a part of it, and reactions run once, when the outermost transaction ends.
///
/// ```swift
/// inTransaction {
///     account.balance -= 20
///     savings.balance += 20
///     print("sum:", sum.value)  // prints "sum: 200"
/// }  // prints "80 120"
/// ```
///
/// Reads inside see the writes, computeds included. A comparable value that is put back to what it was wakes nobody. If the body
/// throws, what it wrote is taken back and no reaction runs; a nested transaction takes back its own writes only. A body that cannot
/// throw keeps nothing for that case.
///
/// - Parameter body: Runs at once on the calling thread, which holds the graph until it returns: transactions of other threads come
///   before or after it. Do not wait for another thread in it.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws, after the writes have been taken back.
/// - Complexity: O(1) besides the body and the reactions; a write in a transaction that can throw keeps the earlier value.
@discardableResult @inlinable
public func inTransaction<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    let graph = GraphPointer.current
    if E.self == Never.self {
        graph.beginTransaction()
        defer { graph.commitTransaction() }
        return try body()
    }
    let outerLevel = graph.beginRevertibleTransaction()
    do {
        let result = try body()
        graph.commitRevertibleTransaction(outerLevel: outerLevel)
        return result
    } catch {
        graph.rollBackTransaction(outerLevel: outerLevel)
        throw error
    }
}

/// Runs `body` as one change, with a say in what happens to its writes when it throws.
///
/// ```swift
/// try inTransaction(onError: .commit) {
///     log.value.append("trying")
///     try attempt()  // "trying" stays in the log
/// }
/// ```
///
/// - Parameters:
///   - onError: `.rollBack` takes the writes back, as ``inTransaction(_:)`` does; `.commit` keeps them. Either way the error is
///     thrown on, after the reactions have run.
///   - body: Runs at once on the calling thread; see ``inTransaction(_:)``.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult @inlinable
public func inTransaction<R, E: Error>(
    onError: TransactionErrorPolicy, _ body: () throws(E) -> R
) throws(E) -> R {
    guard onError == .commit else { return try inTransaction(body) }
    let graph = GraphPointer.current
    graph.beginTransaction()
    defer { graph.commitTransaction() }
    return try body()
}
