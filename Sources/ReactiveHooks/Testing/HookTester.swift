// Tests of single hooks.

import Reactive

#if canImport(SwiftUI)
import SwiftUI
#endif

/// Calls a hook as a component would, and records its results.
///
/// ```swift
/// let tester = HookTester { useState(0) }
/// tester.value.wrappedValue = 1
/// print(tester.value.wrappedValue, tester.valueHistory.count)  // prints "1 2"
/// tester.dispose()
/// ```
///
/// It is a ``HookRenderer`` whose body is the hook. A change renders immediately, and effects have run when the write
/// returns.
public final class HookTester<Parameter, Value> {
    private let record: Record
    private let renderer: HookRenderer<Value>

    /// The arguments and results of the hook. Under the graph's lock, because a renderer that was created in no
    /// isolation renders on any thread.
    private final class Record {
        var parameter: Parameter
        var history: [Value] = []
        /// The pending waits. Those that have found a value resume when the turn is over.
        var waiting: [Wait] = []
        weak var renderer: HookRenderer<Value>?

        private let graph = GraphHandle.current

        init(_ parameter: Parameter) { self.parameter = parameter }

        func locked<R>(_ body: () -> R) -> R { graph.inTransaction(body) }

        func note(_ value: Value) {
            locked {
                history.append(value)
                for wait in waiting { wait.check(value) }
            }
        }

        /// Resumes the waits that have found a value. During a turn it does nothing; the end of the turn calls it
        /// again.
        func resumeWaits() {
            let met = locked {
                // Checked under the lock, so that no turn can add a value in between.
                guard renderer?.isBusy != true else { return [Wait]() }
                let met = waiting.filter { $0.value != nil }
                if !met.isEmpty { waiting.removeAll { $0.value != nil } }
                return met
            }
            met.forEach { $0.continuation?.resume() }
        }
    }

    /// A wait for a value.
    private final class Wait {
        private let condition: (Value) -> Bool
        /// The value that has met the condition.
        private(set) var value: Value?
        var continuation: CheckedContinuation<Void, Never>?

        init(for condition: @escaping (Value) -> Bool) { self.condition = condition }

        /// Keeps the first value that meets the condition.
        func check(_ value: Value) {
            if self.value == nil, condition(value) { self.value = .some(value) }
        }
    }

    /// Calls the hook for the first time.
    ///
    /// - Parameters:
    ///   - initialParameter: The argument of the hook.
    ///   - isolation: The actor that the closures belong to; by default the caller's.
    ///   - fileID: The file that creates it.
    ///   - line: The line that creates it.
    ///   - hook: Calls the hook under test. Kept as long as the tester.
    ///   - environment: Sets the values that `useEnvironment` and `useContext` find. Called immediately.
    public init(
        _ initialParameter: Parameter, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ hook: @escaping (Parameter) -> Value,
        environment: (inout EnvironmentValues) -> Void = { _ in }
    ) {
        let record = Record(initialParameter)
        self.record = record
        var scheduler = HookScheduler.immediate
        scheduler.rested = { record.resumeWaits() }
        renderer = HookRenderer(
            scheduler: scheduler, isolation: isolation, fileID: fileID, line: line, { hook(record.parameter) },
            environment: environment,
            onRender: { record.note($0) })
        record.renderer = renderer
    }

    /// Calls the hook for the first time.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the closures belong to; by default the caller's.
    ///   - fileID: The file that creates it.
    ///   - line: The line that creates it.
    ///   - hook: Calls the hook under test. Kept as long as the tester.
    ///   - environment: Sets the values that `useEnvironment` and `useContext` find. Called immediately.
    public convenience init(
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        _ hook: @escaping () -> Value, environment: (inout EnvironmentValues) -> Void = { _ in }
    ) where Parameter == Void {
        self.init(
            (), isolation: isolation, fileID: fileID, line: line, { _ in hook() }, environment: environment)
    }

    /// The latest result of the hook.
    public var value: Value { record.locked { record.history.last } ?? renderer.output }

    /// The results of all renders so far.
    public var valueHistory: [Value] { record.locked { record.history } }

    /// Calls the hook again with a different argument.
    ///
    /// - Parameter parameter: The argument of the hook from now on.
    public func update(with parameter: Parameter) {
        record.locked { record.parameter = parameter }
        renderer.render()
    }

    /// Calls the hook again with the same argument. After ``dispose()`` it starts anew, with fresh state.
    public func update() { renderer.render() }

    /// Waits until the hook returns a value that meets a condition. For asynchronous hooks.
    ///
    /// ```swift
    /// let tester = HookTester { useAsync(.once) { 42 } }
    /// print(await tester.value { $0.isSuccess })  // prints "success(42)"
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor that the tester was created on; by default the caller's.
    ///   - condition: Called with the newest value, and with each one that follows.
    /// - Returns: The first value that meets the condition, after its effects have run.
    public func value(
        isolation: isolated (any Actor)? = #isolation, where condition: @escaping (Value) -> Bool
    ) async -> Value {
        let wait = Wait(for: condition)
        await withCheckedContinuation { continuation in
            record.locked {
                wait.continuation = continuation
                wait.check(value)
                record.waiting.append(wait)
            }
            record.resumeWaits()
        }
        return wait.value ?? value
    }

    /// Ends the hook, as if the component had been removed: clean-ups run, and late writes to state are ignored.
    public func dispose() { renderer.unmount() }
}
