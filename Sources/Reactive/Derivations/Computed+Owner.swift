// `Computed(of:)` and `ThrowingComputed(of:)`: computeds of an owner that they do not keep alive.

extension Computed {
    /// Creates a computed that belongs to an object and does not keep it alive.
    ///
    /// ```swift
    /// final class Order {
    ///     @Observable var price = 5
    ///     @Observable var count = 2
    ///     private(set) lazy var total = Computed(of: self) { $0.price * $0.count }
    /// }
    /// ```
    ///
    /// A reader may keep the computed longer than its owner. It then gets the last value. If the computed was never
    /// evaluated before, the read stops the program.
    ///
    /// - Parameters:
    ///   - owner: The object that `compute` receives. Held weakly.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two results; by default that of the type, see ``Equality``.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value. Kept as long as the computed; see ``Computed`` for when and where it runs.
    public convenience init<Owner: AnyObject>(
        of owner: Owner, named name: String? = nil, equals: Equality<Value>? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        _ compute: @escaping (Owner) -> Value
    ) {
        let (owner, closureIsolation) = (WeakOwner(owner), isolation.map { ClosureIsolation($0) })
        self.init(named: name, equals: equals ?? .automatic, isolation: nil, fileID: fileID, line: line) {
            if let owner = owner.strong() {
                closureIsolation?.checkEvaluation()
                return compute(owner)
            }
            guard let last = RunningDerivation.lastValue(of: Computed<Value>.self) else {
                fatalError(
                    """
                    Reactive: computed \(RunningDerivation.name) has no value: its owner, \(Owner.self), was released \
                    before the first read. Read it earlier, or keep the owner alive.
                    """)
            }
            return last
        }
    }

    /// Creates a computed that belongs to an actor, runs on it, and does not keep it alive.
    ///
    /// Like the form for an object; `compute` may use the actor like its own methods.
    ///
    /// - Parameters:
    ///   - owner: The actor that `compute` receives and belongs to. Held weakly.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two results; by default that of the type, see ``Equality``.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value. Kept as long as the computed. Evaluating it off the actor stops the program.
    public convenience init<Owner: Actor>(
        of owner: isolated Owner, named name: String? = nil, equals: Equality<Value>? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, _ compute: @escaping (isolated Owner) -> Value
    ) {
        self.init(
            of: owner, named: name, equals: equals, isolation: owner, fileID: fileID, line: line,
            Isolation.plain(compute))
    }
}

extension ThrowingComputed {
    /// Creates a computed whose closure may throw, that belongs to an object and does not keep it alive.
    ///
    /// Like `Computed(of:)`. A reader that keeps the computed longer than its owner gets the last value or error, or
    /// ``OwnerGoneError`` if there is none.
    ///
    /// - Parameters:
    ///   - owner: The object that `compute` receives. Held weakly.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two results; by default that of the type, see ``Equality``.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value or throws. Kept as long as the computed.
    public convenience init<Owner: AnyObject>(
        of owner: Owner, named name: String? = nil, equals: Equality<Value>? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        _ compute: @escaping (Owner) throws -> Value
    ) {
        let (owner, closureIsolation) = (WeakOwner(owner), isolation.map { ClosureIsolation($0) })
        self.init(
            result: Computed(
                named: name, equals: ThrowingComputed.equality(equals), isolation: nil, fileID: fileID, line: line
            ) {
                if let owner = owner.strong() {
                    closureIsolation?.checkEvaluation()
                    return Result { try compute(owner) }
                }
                return RunningDerivation.lastValue(of: Computed<Result<Value, any Error>>.self)
                    ?? .failure(OwnerGoneError(name: RunningDerivation.name))
            })
    }

    /// Creates a computed whose closure may throw, that belongs to an actor, runs on it, and does not keep it alive.
    ///
    /// Like the form for an object; `compute` may use the actor like its own methods.
    ///
    /// - Parameters:
    ///   - owner: The actor that `compute` receives and belongs to. Held weakly.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two results; by default that of the type, see ``Equality``.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value or throws. Kept as long as the computed. Evaluating it off the actor stops the
    ///     program.
    public convenience init<Owner: Actor>(
        of owner: isolated Owner, named name: String? = nil, equals: Equality<Value>? = nil,
        fileID: StaticString = #fileID, line: UInt = #line, _ compute: @escaping (isolated Owner) throws -> Value
    ) {
        self.init(
            of: owner, named: name, equals: equals, isolation: owner, fileID: fileID, line: line,
            Isolation.plain(compute))
    }
}
