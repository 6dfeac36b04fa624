// How an encoder of this module gets at the observables that it meets, where others get their values.

import Reactive

/// An observable whose value can be encoded, without its type.
package protocol EncodableObservable: _Node, Encodable {
    /// The type of the value.
    associatedtype Value: Encodable

    /// The value. Reading it in an observer subscribes.
    var value: Value { get set }
}

extension Observable: EncodableObservable where Value: Encodable {}

extension EncodableObservable {
    /// Throws if the value cannot be read, because this thread holds another graph than the observable's.
    func requireReach(_ codingPath: @autoclosure () -> [any CodingKey]) throws {
        guard let obstacle else { return }
        throw EncodingError.invalidValue(self, .init(codingPath: codingPath(), debugDescription: obstacle))
    }
}

/// An encoder that takes observables themselves.
///
/// Whoever conforms gets each observable that is encoded, also those that are `nil` and that other encoders never see.
/// Containers may catch them earlier: `T.self is any EncodableObservable.Type` in `encode<T>(_ value: T)`.
///
/// - Important: Encode inside `EncodersOfObservables.active { … }`, or observables of `nil` under a key are left out.
package protocol EncoderOfObservables: Encoder {
    /// Takes an observable that asks to be encoded here.
    func encodeObservable<O: EncodableObservable>(_ observable: O) throws
}

/// Whether an encoder of observables is at work on this thread.
package enum EncodersOfObservables {
    @TaskLocal static var areActive = false

    /// Runs `body`, in which such an encoder encodes.
    package static func active<Result>(_ body: () throws -> Result) rethrows -> Result {
        try $areActive.withValue(true, operation: body)
    }
}
