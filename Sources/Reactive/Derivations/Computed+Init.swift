// The initialisers of a computed. The type of the value selects the comparison, by overload.

extension Computed {
    /// Creates a computed that compares results by a custom rule.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: Returns whether two results count as the same. Called with the graph locked, untracked, after each
    ///     computation.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value. Kept as long as the computed; see ``Computed`` for when and where it runs.
    @inlinable
    public convenience init(
        named name: String? = nil, equals: @escaping @Sendable (Value, Value) -> Bool,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        _ compute: @escaping () -> Value
    ) {
        self.init(
            named: name, equals: Equality(equals), isolation: isolation, fileID: fileID, line: line, compute)
    }

    /// Creates a computed that compares results by the given rule. Without one, every new result is a change, because
    /// values of this type cannot be compared.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The rule.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value. Kept as long as the computed; see ``Computed`` for when and where it runs.
    @inlinable
    public convenience init(
        named name: String? = nil, equals: Equality<Value> = .never, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ compute: @escaping () -> Value
    ) {
        self.init(named: name, fileID: fileID, line: line, compute: Computed.confined(compute, to: isolation)) {
            unsafeDowncast($0, to: Computed<Value>.self).recompute(equals.areEqual)
        }
    }
}

extension Computed where Value: Equatable {
    /// Creates a computed that compares results with `==`: an equal result stops propagating.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value. Kept as long as the computed; see ``Computed`` for when and where it runs.
    @inlinable
    public convenience init(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ compute: @escaping () -> Value
    ) {
        self.init(named: name, fileID: fileID, line: line, compute: Computed.confined(compute, to: isolation)) {
            unsafeDowncast($0, to: Computed<Value>.self).recompute { $0 == $1 }
        }
    }
}

extension Computed where Value: FloatingPoint {
    /// Creates a computed that compares results with `==`, where NaN equals NaN.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value. Kept as long as the computed; see ``Computed`` for when and where it runs.
    @inlinable
    public convenience init(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ compute: @escaping () -> Value
    ) {
        self.init(named: name, fileID: fileID, line: line, compute: Computed.confined(compute, to: isolation)) {
            unsafeDowncast($0, to: Computed<Value>.self).recompute { $0 == $1 || ($0.isNaN && $1.isNaN) }
        }
    }
}

extension Computed where Value: AnyObject {
    /// Creates a computed that compares results by identity: the same object stops propagating.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value. Kept as long as the computed; see ``Computed`` for when and where it runs.
    @inlinable
    public convenience init(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ compute: @escaping () -> Value
    ) {
        self.init(named: name, fileID: fileID, line: line, compute: Computed.confined(compute, to: isolation)) {
            unsafeDowncast($0, to: Computed<Value>.self).recompute { $0 === $1 }
        }
    }
}

extension Computed where Value: AnyObject & Equatable {
    /// Creates a computed that compares results with `==`: an equal object stops propagating.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value. Kept as long as the computed; see ``Computed`` for when and where it runs.
    @inlinable
    public convenience init(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ compute: @escaping () -> Value
    ) {
        self.init(named: name, fileID: fileID, line: line, compute: Computed.confined(compute, to: isolation)) {
            unsafeDowncast($0, to: Computed<Value>.self).recompute { $0 == $1 }
        }
    }
}
