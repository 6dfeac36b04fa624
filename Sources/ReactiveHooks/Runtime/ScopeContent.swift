// The body of a scope with an id and its last output, so that the scope can render by itself.
//
// One closure without captures performs everything that depends on the types. It is created where the types are known:
// in the user's module. The object around it is not generic. (Overridden methods of a generic class are not
// specialised.)

import Reactive

#if canImport(SwiftUI)
import SwiftUI
#endif

/// The body of a scope with an id, as the last render of the enclosing body called it, and its output.
@usableFromInline
final class ScopeContent {
    @frozen @usableFromInline
    enum Operation {
        /// Runs the body again. The result is whether the output differs.
        case renderAgain
        /// Releases the output that the pass has replaced. Outside the lock, since that may run user code.
        case releaseOld
        case free
    }

    @usableFromInline let typed: UnsafeMutableRawPointer
    @usableFromInline let type: ObjectIdentifier
    private let perform: (Operation, UnsafeMutableRawPointer, RenderUnit?) -> Bool

    @usableFromInline
    init(
        _ typed: UnsafeMutableRawPointer, _ type: ObjectIdentifier,
        perform: @escaping (Operation, UnsafeMutableRawPointer, RenderUnit?) -> Bool
    ) {
        self.typed = typed
        self.type = type
        self.perform = perform
    }

    deinit {
        _ = perform(.free, typed, nil)
        // No test sees this left out: it only frees memory.
        typed.deallocate()
    }

    @discardableResult
    func perform(_ operation: Operation, for unit: RenderUnit? = nil) -> Bool { perform(operation, typed, unit) }
}

/// The typed part of a `ScopeContent`, in memory of its own.
@frozen @usableFromInline
struct TypedContent<Output, E: Error> {
    /// Set by each render of the enclosing body.
    @usableFromInline var body: () throws(E) -> Output
    /// The last result or error of the body; `nil` before the first run.
    @usableFromInline var result: Result<Output, E>?
    /// The result before that, until the end of the pass.
    @usableFromInline var oldResult: Result<Output, E>?
    /// Whether two outputs are the same; found by the first comparison.
    @usableFromInline var areSame: ((Output, Output) -> Bool)?

    @inlinable
    init(_ body: @escaping () throws(E) -> Output) { self.body = body }

    /// Creates a content that runs `body`.
    @inlinable
    static func created(_ body: @escaping () throws(E) -> Output) -> ScopeContent {
        let typed = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        typed.initialize(to: Self(body))
        return ScopeContent(typed, ObjectIdentifier(Self.self)) { operation, typed, unit in
            perform(operation, typed.assumingMemoryBound(to: Self.self), unit)
        }
    }

    /// The typed part of a content, if it is of this type.
    @inlinable
    static func of(_ content: ScopeContent?) -> UnsafeMutablePointer<Self>? {
        guard let content, content.type == ObjectIdentifier(Self.self) else { return nil }
        return content.typed.assumingMemoryBound(to: Self.self)
    }

    @inlinable
    static func perform(
        _ operation: ScopeContent.Operation, _ typed: UnsafeMutablePointer<Self>, _ unit: RenderUnit?
    ) -> Bool {
        switch operation {
        case .renderAgain:
            guard let unit, let instance = unit.instance, let old = typed.pointee.result else {
                // No test sees this: a unit that renders again is in the tree, and has rendered before.
                return true
            }
            render(typed, unit, instance, in: instance.environment)
            guard case .success(let before) = old, case .success(let after)? = typed.pointee.result else { return true }
            return !isSame(typed, before, after)
        case .releaseOld:
            let old = typed.pointee.oldResult
            typed.pointee.oldResult = nil
            // No test sees this left out: only an optimizing compiler would release it earlier.
            withExtendedLifetime(old) {}
            // No test sees this: nobody uses the result.
            return true
        case .free:
            typed.deinitialize(count: 1)
            // No test sees this: nobody uses the result.
            return true
        }
    }

    /// Runs the body and stores its result. Tracked as part of the caller.
    @inlinable
    static func render(
        _ typed: UnsafeMutablePointer<Self>, _ unit: RenderUnit, _ instance: HookInstance,
        in environment: EnvironmentValues
    ) {
        // No test sees this always hold: it only saves to release nothing.
        if !_isPOD(Output.self), let old = typed.pointee.result {
            // No test sees this never hold: both branches release it outside the lock.
            if typed.pointee.oldResult == nil {
                typed.pointee.oldResult = .some(old)
                unit.leaveOldResult()
            } else {
                // The scope runs twice in one pass.
                unit.release(later: old)
            }
        }
        do throws(E) {
            let body = typed.pointee.body
            typed.pointee.result = .success(try instance.render(in: environment, body))
        } catch {
            typed.pointee.result = .failure(error)
        }
    }

    /// Whether two outputs are the same: they consist of the same bits, such as references to the same objects, or they
    /// are equal.
    @inlinable
    static func isSame(_ typed: UnsafeMutablePointer<Self>, _ a: Output, _ b: Output) -> Bool {
        if haveSameBits(a, b) { return true }
        // No test sees this never hold: it only saves a look-up.
        if let areSame = typed.pointee.areSame { return areSame(a, b) }
        let areSame = sameness(of: a)
        // No test sees this left out: it only saves look-ups.
        typed.pointee.areSame = areSame
        return areSame(a, b)
    }

    /// Returns a function that decides whether values with different bits are equal, for the type of `example`. Tuples
    /// are equal if their elements are.
    @usableFromInline
    static func sameness(of example: Output) -> (Output, Output) -> Bool {
        Mirror(reflecting: example).displayStyle == .tuple ? areElementsSame : Equality<Output>.automatic.comparison
    }
}

/// Whether two values consist of the same bits.
@inlinable
func haveSameBits<Value>(_ a: Value, _ b: Value) -> Bool {
    // In optimized code, `withUnsafeBytes` of a value without bits passes wild buffers (Swift 6.3).
    // No test sees this never hold: only optimized code does that.
    if MemoryLayout<Value>.size == 0 { return true }
    return withUnsafeBytes(of: a) { a in withUnsafeBytes(of: b) { b in a.elementsEqual(b) } }
}

/// Whether each element of a tuple is the same as the corresponding element of the other tuple.
private func areElementsSame<Tuple>(_ a: Tuple, _ b: Tuple) -> Bool {
    let (a, b) = (Mirror(reflecting: a), Mirror(reflecting: b))
    // A value of the type `Any` may be a tuple of a different type, or none.
    return a.displayStyle == .tuple && a.subjectType == b.subjectType
        && zip(a.children, b.children).allSatisfy { first, second in
            func compare<Element>(_ value: Element) -> Bool {
                // No test sees this: elements of one type of tuple have the same types.
                (second.value as? Element).map { isSame(value, $0) } ?? false
            }
            return _openExistential(first.value, do: compare)
        }
}

private func isSame<Value>(_ a: Value, _ b: Value) -> Bool {
    if haveSameBits(a, b) { return true }
    return TypedContent<Value, Never>.sameness(of: a)(a, b)
}
