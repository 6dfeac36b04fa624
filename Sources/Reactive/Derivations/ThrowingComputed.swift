// A computed whose closure may throw. It is a computed of a `Result`, and reports cycles as errors.

import CReactive

/// A value derived from other values by a closure that may throw.
///
/// ```swift
/// let port = ThrowingComputed {
///     guard let number = Int(text.value) else { throw BadPort() }
///     return number
/// }
/// do { print(try port.value) } catch { print("bad port:", error) }  // prints "bad port: BadPort()"
/// ```
///
/// Otherwise it behaves like a ``Computed``: lazy, cached, glitch-free. A thrown error is cached like a value, and
/// thrown to every reader until a source changes. Errors never count as equal. A computed that reads itself, directly
/// or through others, throws ``CycleError`` at the read that closes the cycle.
public final class ThrowingComputed<Value> {
    @usableFromInline let result: Computed<Result<Value, any Error>>

    /// Creates a computed whose closure may throw.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two results; by default that of the type, see ``Equality``.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
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

    /// Returns the rule for results: values are compared, and errors never count as equal.
    static func equality(_ equality: Equality<Value>?) -> Equality<Result<Value, any Error>> {
        let areEqual = (equality ?? .automatic).areEqual
        return Equality(plain: { old, new in
            guard case .success(let old) = old, case .success(let new) = new else { return false }
            return areEqual(old, new)
        })
    }

    /// The value, evaluated now if necessary. Reading it in an observer subscribes that observer, even if the read
    /// throws.
    ///
    /// - Throws: The error that the closure threw, of any type; ``CycleError`` if the value depends on itself.
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
    // Sendable as `Computed` is: it adds only an immutable reference.
}
