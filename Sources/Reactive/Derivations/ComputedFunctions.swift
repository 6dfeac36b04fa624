// `computed { … }`: functions that create a `Computed` or a `ThrowingComputed`.

/// Creates a computed whose results are compared with `==`; see ``Computed``.
///
/// - Parameters:
///   - name: The name in diagnostics; by default the file and line of the call.
///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - compute: Returns the value.
@inlinable
public func computed<V: Equatable>(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ compute: @escaping () -> V
) -> Computed<V> {
    Computed(named: name, isolation: isolation, fileID: fileID, line: line, compute)
}

/// Creates a computed whose results are compared with `==`, where NaN equals NaN; see ``Computed``.
///
/// - Parameters:
///   - name: The name in diagnostics; by default the file and line of the call.
///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - compute: Returns the value.
@inlinable
public func computed<V: FloatingPoint>(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ compute: @escaping () -> V
) -> Computed<V> {
    Computed(named: name, isolation: isolation, fileID: fileID, line: line, compute)
}

/// Creates a computed whose results are compared by identity; see ``Computed``.
///
/// - Parameters:
///   - name: The name in diagnostics; by default the file and line of the call.
///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - compute: Returns the value.
@inlinable
public func computed<V: AnyObject>(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ compute: @escaping () -> V
) -> Computed<V> {
    Computed(named: name, isolation: isolation, fileID: fileID, line: line, compute)
}

/// Creates a computed whose results are compared with `==`; see ``Computed``.
///
/// - Parameters:
///   - name: The name in diagnostics; by default the file and line of the call.
///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - compute: Returns the value.
@inlinable
public func computed<V: AnyObject & Equatable>(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ compute: @escaping () -> V
) -> Computed<V> {
    Computed(named: name, isolation: isolation, fileID: fileID, line: line, compute)
}

/// Creates a computed that compares results by a custom rule; see ``Computed``.
@inlinable
public func computed<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ compute: @escaping () -> V
) -> Computed<V> {
    Computed(named: name, equals: equals, isolation: isolation, fileID: fileID, line: line, compute)
}

/// Creates a computed that compares results by the given rule. Without one, every new result is a change, because
/// values of this type cannot be compared. See ``Computed``.
@inlinable
public func computed<V>(
    named name: String? = nil, equals: Equality<V> = .never, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ compute: @escaping () -> V
) -> Computed<V> {
    Computed(named: name, equals: equals, isolation: isolation, fileID: fileID, line: line, compute)
}

/// Creates a computed whose closure may throw; see ``ThrowingComputed``.
///
/// - Parameters:
///   - name: The name in diagnostics; by default the file and line of the call.
///   - equals: The comparison of two results; by default that of the type.
///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - compute: Returns the value or throws. An error is cached, and thrown to every reader until a source changes.
@_disfavoredOverload
public func computed<V>(
    named name: String? = nil, equals: Equality<V>? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ compute: @escaping () throws -> V
) -> ThrowingComputed<V> {
    ThrowingComputed(named: name, equals: equals, isolation: isolation, fileID: fileID, line: line, compute)
}
