// Testing a hook by itself.

/// Calls a hook as a component would, and keeps what it returned.
///
/// ```swift
/// let tester = HookTester { useState(0) }
/// tester.value.wrappedValue = 1
/// print(tester.value.wrappedValue, tester.valueHistory.count)  // prints "1 2"
/// tester.dispose()
/// ```
///
/// It is a ``HookRenderer`` whose body is the hook: a change renders at once, and effects have run when the write returns.
public final class HookTester<Parameter, Value> {
    private let record: Record
    private let renderer: HookRenderer<Value>

    /// What the hook was called with and returned. Under the graph's lock, since a renderer made in no isolation renders on any thread.
    private final class Record {
        var parameter: Parameter
        var history: [Value] = []
        var waiting: [(isMet: (Value) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

        init(_ parameter: Parameter) { self.parameter = parameter }

        func note(_ value: Value) {
            let met = inTransaction {
                history.append(value)
                let met = waiting.filter { $0.isMet(value) }
                if !met.isEmpty { waiting.removeAll { $0.isMet(value) } }
                return met
            }
            met.forEach { $0.continuation.resume() }
        }
    }

    /// Calls the hook for the first time.
    ///
    /// - Parameters:
    ///   - initialParameter: What the hook is called with.
    ///   - isolation: The actor that the closures belong to; by default the caller's.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
    ///   - hook: Calls the hook under test. Kept as long as the tester.
    ///   - environment: Sets up what `useEnvironment` and `useContext` find. Runs at once.
    public init(
        _ initialParameter: Parameter, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ hook: @escaping (Parameter) -> Value,
        environment: (inout EnvironmentValues) -> Void = { _ in }
    ) {
        let record = Record(initialParameter)
        self.record = record
        renderer = HookRenderer(
            isolation: isolation, fileID: fileID, line: line, { hook(record.parameter) }, environment: environment,
            onRender: { record.note($0) })
    }

    /// Calls the hook for the first time.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the closures belong to; by default the caller's.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
    ///   - hook: Calls the hook under test. Kept as long as the tester.
    ///   - environment: Sets up what `useEnvironment` and `useContext` find. Runs at once.
    public convenience init(
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        _ hook: @escaping () -> Value, environment: (inout EnvironmentValues) -> Void = { _ in }
    ) where Parameter == Void {
        self.init(
            (), isolation: isolation, fileID: fileID, line: line, { _ in hook() }, environment: environment)
    }

    /// What the hook returned last.
    public var value: Value { inTransaction { record.history.last } ?? renderer.output }

    /// What the hook returned in each render so far.
    public var valueHistory: [Value] { inTransaction { record.history } }

    /// Calls the hook again with another parameter.
    ///
    /// - Parameter parameter: What the hook is called with from now on.
    public func update(with parameter: Parameter) {
        record.parameter = parameter
        renderer.render()
    }

    /// Calls the hook again with the same parameter. After ``dispose()`` it starts anew, with fresh state.
    public func update() { renderer.render() }

    /// Waits until the hook returns a value that meets a condition: for hooks that do something asynchronous.
    ///
    /// ```swift
    /// let tester = HookTester { useAsync(.once) { 42 } }
    /// print(await tester.value { $0.isSuccess })  // prints "success(42)"
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor that the tester was made on; by default the caller's.
    ///   - condition: Asked about the newest value, and about each one that follows.
    /// - Returns: The first value that meets it.
    public func value(
        isolation: isolated (any Actor)? = #isolation, where condition: @escaping (Value) -> Bool
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let isMet = inTransaction {
                let isMet = condition(value)
                if !isMet { record.waiting.append((condition, continuation)) }
                return isMet
            }
            if isMet { continuation.resume() }
        }
        return value
    }

    /// Ends it, as if the component were gone: clean-ups run, and late writes to state are ignored.
    public func dispose() { renderer.unmount() }
}
