// The body of a scope with an id, and what it returned last, so that the scope can render by itself.

import Reactive

/// The body of a scope with an id, as the last render of the enclosing body called it.
class ScopeContent {
    /// Runs the body again; returns whether the output differs.
    func renderAgain(_ instance: HookInstance, in environment: EnvironmentValues) -> Bool { true }

    /// Releases the outputs that the pass has replaced. Outside the lock, since that may run code of the user's.
    func releaseOld() {}
}

final class ScopeContentOf<Output, E: Error>: ScopeContent {
    /// Set by each render of the enclosing body.
    var body: () throws(E) -> Output
    private var result: Result<Output, E>?
    private var oldResults: [Result<Output, E>] = []

    init(_ body: @escaping () throws(E) -> Output) { self.body = body }

    /// What the body returned or threw last. Precondition: it has run.
    var output: Result<Output, E> { result.unsafelyUnwrapped }

    func render(_ instance: HookInstance, in environment: EnvironmentValues) {
        if let result, !_isPOD(Output.self) {
            if oldResults.isEmpty { instance.tree.discarded.append(self) }
            oldResults.append(result)
        }
        do throws(E) {
            result = .success(try instance.render(in: environment, body))
        } catch {
            result = .failure(error)
        }
    }

    override func renderAgain(_ instance: HookInstance, in environment: EnvironmentValues) -> Bool {
        let old = output
        render(instance, in: environment)
        guard case .success(let before) = old, case .success(let after) = output else { return true }
        return !isSame(before, after)
    }

    override func releaseOld() {
        let old = oldResults
        oldResults = []
        withExtendedLifetime(old) {}
    }
}

/// Whether two outputs cannot be told apart: they are equal, or consist of the same bits, such as references to the same objects; tuples if
/// that holds for each element.
private func isSame<Output>(_ a: Output, _ b: Output) -> Bool {
    if Equality<Output>.automatic(a, b) { return true }
    if withUnsafeBytes(of: a, { a in withUnsafeBytes(of: b) { b in a.elementsEqual(b) } }) { return true }
    let (first, second) = (Mirror(reflecting: a), Mirror(reflecting: b))
    return first.displayStyle == .tuple
        && zip(first.children, second.children).allSatisfy { first, second in
            func compare<Element>(_ value: Element) -> Bool {
                (second.value as? Element).map { isSame(value, $0) } ?? false
            }
            return _openExistential(first.value, do: compare)
        }
}
