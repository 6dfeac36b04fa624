// Testing a hook that uses atoms.

#if DOCUMENTATION
// Exported symbols would be documented as the module's own.
public import ReactiveAtomsHooks
public import ReactiveAtomsTesting
#else
@_exported public import ReactiveAtomsHooks
@_exported public import ReactiveAtomsTesting
#endif

extension HookTester {
    /// Calls a hook for the first time, with the store of a test scope around.
    ///
    /// - Parameters:
    ///   - scope: Whose store the hook finds. After `scope.reset()`, make a new tester.
    ///   - initialParameter: What the hook is called with.
    ///   - isolation: The actor that the closures belong to; by default the caller's.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
    ///   - hook: Calls the hook under test. Kept as long as the tester.
    ///   - environment: Sets up what else `useEnvironment` and `useContext` find. Runs at once.
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

    /// Calls a hook for the first time, with the store of a test scope around.
    ///
    /// ```swift
    /// @RecoilTestScope var recoil
    /// let tester = HookTester(scope: _recoil) { useRecoilState(count) }
    /// tester.value.wrappedValue = 5
    /// print(recoil.useValue(count) ?? 0)  // prints "5"
    /// ```
    ///
    /// - Parameters:
    ///   - scope: Whose store the hook finds. After `scope.reset()`, make a new tester.
    ///   - isolation: The actor that the closures belong to; by default the caller's.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
    ///   - hook: Calls the hook under test. Kept as long as the tester.
    ///   - environment: Sets up what else `useEnvironment` and `useContext` find. Runs at once.
    public convenience init(
        scope: RecoilTestScope, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ hook: @escaping () -> Value, environment: (inout EnvironmentValues) -> Void = { _ in }
    ) where Parameter == Void {
        self.init(
            scope: scope, (), isolation: isolation, fileID: fileID, line: line, { _ in hook() },
            environment: environment)
    }
}
