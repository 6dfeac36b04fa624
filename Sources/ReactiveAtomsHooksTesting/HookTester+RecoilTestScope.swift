// Tests of hooks that use atoms.

#if canImport(SwiftUI)
import SwiftUI
#endif

@_exported public import ReactiveAtomsHooks
@_exported public import ReactiveAtomsTesting

extension HookTester {
    /// Calls a hook for the first time, with the store of a test scope around it.
    ///
    /// - Parameters:
    ///   - scope: The scope whose store the hook finds. After `scope.reset()`, create a new tester.
    ///   - initialParameter: The argument of the hook.
    ///   - isolation: The actor that the closures belong to; by default the caller's.
    ///   - fileID: The file that creates it.
    ///   - line: The line that creates it.
    ///   - hook: Calls the hook under test. Kept as long as the tester.
    ///   - environment: Sets the other values that `useEnvironment` and `useContext` find. Called immediately.
    public convenience init(
        scope: RecoilTestScope, _ initialParameter: Parameter, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ hook: @escaping (Parameter) -> Value,
        environment: (inout EnvironmentValues) -> Void = { _ in }
    ) {
        self.init(
            initialParameter, isolation: isolation, fileID: fileID, line: line, hook,
            environment: { values in
                values.recoilStore = scope.store
                environment(&values)
            })
    }

    /// Calls a hook for the first time, with the store of a test scope around it.
    ///
    /// ```swift
    /// @RecoilTestScope var recoil
    /// let tester = HookTester(scope: _recoil) { useRecoilState(count) }
    /// tester.value.wrappedValue = 5
    /// print(recoil.useValue(count) ?? 0)  // prints "5"
    /// ```
    ///
    /// - Parameters:
    ///   - scope: The scope whose store the hook finds. After `scope.reset()`, create a new tester.
    ///   - isolation: The actor that the closures belong to; by default the caller's.
    ///   - fileID: The file that creates it.
    ///   - line: The line that creates it.
    ///   - hook: Calls the hook under test. Kept as long as the tester.
    ///   - environment: Sets the other values that `useEnvironment` and `useContext` find. Called immediately.
    public convenience init(
        scope: RecoilTestScope, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ hook: @escaping () -> Value, environment: (inout EnvironmentValues) -> Void = { _ in }
    ) where Parameter == Void {
        self.init(
            scope: scope, (), isolation: isolation, fileID: fileID, line: line, { _ in hook() },
            environment: environment)
    }
}
