// `computed { … }`: the function spelling of `Computed` and `ThrowingComputed`.

/// Creates a computed whose results are compared with `==`; see ``Computed``.
///
/// - Parameters:
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - compute: Returns the value.
@inlinable
public func computed<V: Equatable>(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ compute: @escaping () -> V
) -> Computed<V> {
    Computed(named: name, isolation: isolation, fileID: fileID, line: line, compute)
}

/// Creates a computed whose results are compared with `==`, NaN as equal to NaN; see ``Computed``.
///
/// - Parameters:
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
///   - fileID: The file that made it.
///   - line: The line that made it.
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
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
///   - fileID: The file that made it.
///   - line: The line that made it.
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
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - compute: Returns the value.
@inlinable
public func computed<V: AnyObject & Equatable>(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ compute: @escaping () -> V
) -> Computed<V> {
    Computed(named: name, isolation: isolation, fileID: fileID, line: line, compute)
}

/// Creates a computed that compares results by a rule of your own; see ``Computed``.
@inlinable
public func computed<V>(
    named name: String? = nil, equals: @escaping @Sendable (V, V) -> Bool,
    isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
    _ compute: @escaping () -> V
) -> Computed<V> {
    Computed(named: name, equals: equals, isolation: isolation, fileID: fileID, line: line, compute)
}

/// Creates a computed that compares results by the given rule; without one, every new result is a change, because
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
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - equals: When two results count as the same; without one the type decides.
///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - compute: Returns the value or throws. An error is kept, and thrown to every reader until a source changes.
@_disfavoredOverload
public func computed<V>(
    named name: String? = nil, equals: Equality<V>? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ compute: @escaping () throws -> V
) -> ThrowingComputed<V> {
    ThrowingComputed(named: name, equals: equals, isolation: isolation, fileID: fileID, line: line, compute)
}
