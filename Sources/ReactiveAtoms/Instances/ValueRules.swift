// The rules that all instances with one type of values share, found once for each type.

import Reactive

/// The rules of a type of values.
@_fixed_layout @usableFromInline
final class ValueRules<T> {
    /// The rule by which two values count as the same.
    @usableFromInline let equality: Equality<T>
    /// Recomputes a selector, given its content. Created where the type is known, so that the code is specialised.
    @usableFromInline let recompute: (_Derivation) -> Bool

    @inlinable
    init() {
        let equality = Equality<T>.automatic
        self.equality = equality
        recompute = { content in
            unsafeDowncast(content, to: Computed<Result<T, any Error>>.self).recompute(
                { old, new in
                    guard case .success(let old) = old, case .success(let new) = new else { return false }
                    return equality(old, new)
                },
                isPlain: { result in
                    if case .success = result { _isPOD(T.self) } else { false }
                })
        }
    }
}
