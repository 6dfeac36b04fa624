// A computed whose closure may throw: a computed of a `Result`, with its own answer to a cycle.

import CReactive

/// A value computed from other values by a closure that may throw.
///
/// ```swift
/// let port = ThrowingComputed {
///     guard let number = Int(text.value) else { throw BadPort() }
///     return number
/// }
/// do { print(try port.value) } catch { print("bad port:", error) }  // prints "bad port: BadPort()"
/// ```
///
/// As ``Computed`` in everything else: lazy, cached, glitch-free. A thrown error is kept like a value, and thrown to
/// every reader until a source changes; errors never count as equal. A computed that reads itself, directly or through
/// others, throws ``CycleError`` where it reads itself.
public final class ThrowingComputed<Value> {
    @usableFromInline let result: Computed<Result<Value, any Error>>

    /// Creates a computed whose closure may throw.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call it. Without one: the file and line that made it.
    ///   - equals: When two results count as the same; without one the type decides, see ``Equality``.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
    ///   - compute: Returns the value or throws. Kept as long as the computed; runs on the reader's thread with the
    ///     graph locked.
    public init(
        named name: String? = nil, equals: Equality<Value>? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ compute: @escaping () throws -> Value
    ) {
        result = Computed(
            named: name, equals: ThrowingComputed.equality(equals), isolation: isolation, fileID: fileID, line: line
        ) {
            Result { try compute() }
        }
    }

    init(result: Computed<Result<Value, any Error>>) { self.result = result }

    /// The rule for results: values are compared, and errors never count as equal.
    static func equality(_ equality: Equality<Value>?) -> Equality<Result<Value, any Error>> {
        let areEqual = (equality ?? .automatic).areEqual
        return Equality(plain: { old, new in
            guard case .success(let old) = old, case .success(let new) = new else { return false }
            return areEqual(old, new)
        })
    }

    /// The value, computed now if need be. Reading it in an observer subscribes that observer, also when it throws.
    ///
    /// - Throws: What the closure threw; ``CycleError`` if the value depends on itself.
    public var value: Value {
        get throws {
            guard let result = result.valueUnlessInCycle(canThrow: true) else {
                throw CycleError(path: result.graph.namesOfCycle(through: result.node))
            }
            return try result.get()
        }
    }
}

extension ThrowingComputed: @unchecked Sendable where Value: Sendable {
    // As `Computed`, whose only addition is an immutable reference.
}
