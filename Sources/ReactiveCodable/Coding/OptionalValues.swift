// Values that may be `nil`, without their types.

import Reactive

/// Whether a value of any type is `nil`.
// No test sees this: only values of optional properties are asked about.
func valueIsNil(_ value: Any) -> Bool { (value as? any AnyOptional)?.isNil ?? false }

extension EncodableObservable {
    /// Whether the value is `nil`.
    var isNil: Bool { valueIsNil(value) }

    /// Whether the value can be `nil`.
    var canBeNil: Bool { Recorded.self is any AnyOptional.Type }
}

private protocol AnyOptional {
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    fileprivate var isNil: Bool { self == nil }
}
