// How an encoder of this module gets at the observables that it meets, where others get their values.

import Reactive

/// An observable whose value can be encoded, without its type.
package protocol EncodableObservable: RecordableState, Encodable where Value: Encodable {}

extension Observable: EncodableObservable where Value: Encodable {}

extension EncodableObservable {
    /// Throws if the value cannot be read, because this thread holds another graph than the observable's.
    func requireReach(_ codingPath: @autoclosure () -> [any CodingKey]) throws {
        guard let obstacle else { return }
        throw EncodingError.invalidValue(self, .init(codingPath: codingPath(), debugDescription: obstacle))
    }
}

/// An observable of an optional that is a property: left out under its key when it is `nil`. Only encoders of
/// observables get one, in a keyed container.
struct OptionalProperty<Wrapped: Encodable>: Encodable {
    let observable: Observable<Wrapped?>

    func encode(to encoder: any Encoder) throws { try observable.encode(to: encoder) }
}

/// An `OptionalProperty`, without its type. Its layout is that of the observable.
protocol AnyOptionalProperty {
    static var observableType: any EncodableObservable.Type { get }
    var anyObservable: any EncodableObservable { get }
}

extension OptionalProperty: AnyOptionalProperty {
    static var observableType: any EncodableObservable.Type { Observable<Wrapped?>.self }
    var anyObservable: any EncodableObservable { observable }
}

/// An encoder that takes observables themselves.
///
/// Whoever conforms gets each observable that is encoded, also those that are `nil` and that other encoders never see.
/// Containers may catch them earlier: `T.self is any EncodableObservable.Type` in `encode<T>(_ value: T)`. A property
/// that is left out when it is `nil` arrives there as an `OptionalProperty`.
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
