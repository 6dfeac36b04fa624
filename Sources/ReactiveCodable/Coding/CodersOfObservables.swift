// How encoders of this module receive observables, where other encoders receive their values.
//
// The core declares the protocols of observables and of their encoders, for state of other modules.

import Reactive

extension Observable: EncodableObservable where Value: Encodable {}

/// A property that is an observable of an optional: left out under its key when it is `nil`. Only encoders of
/// observables receive it, in a keyed container.
struct OptionalProperty<Wrapped: Encodable>: Encodable {
    let observable: Observable<Wrapped?>

    // No test sees this: encoders of observables take its observable instead.
    func encode(to encoder: any Encoder) throws { try observable.encode(to: encoder) }
}

/// An `OptionalProperty` without its type. Its layout is that of the observable.
protocol AnyOptionalProperty {
    static var observableType: any EncodableObservable.Type { get }
    var anyObservable: any EncodableObservable { get }
}

extension OptionalProperty: AnyOptionalProperty {
    static var observableType: any EncodableObservable.Type { Observable<Wrapped?>.self }
    var anyObservable: any EncodableObservable { observable }
}

// An encoder of observables (EncodableObservable.swift of the core) receives a property that is left out when it is
// `nil` as an `OptionalProperty`. Encode inside `EncodersOfObservables.active { … }`: otherwise observables that are
// `nil` under a key are left out.

/// Whether an encoder of observables is encoding on this thread.
package enum EncodersOfObservables {
    @TaskLocal static var areActive = false

    /// Runs `body`, in which such an encoder encodes.
    package static func active<Result>(_ body: () throws -> Result) rethrows -> Result {
        try $areActive.withValue(true, operation: body)
    }
}
