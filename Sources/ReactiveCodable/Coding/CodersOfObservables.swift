// How an encoder of this module gets at the observables that it meets, where others get their values.
//
// The protocols of observables and of their encoders are declared in the core, for state of other modules.

import Reactive

extension Observable: EncodableObservable where Value: Encodable {}

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

// What an encoder of observables gets besides (EncodableObservable.swift of the core): a property that is left out when it
// is `nil` arrives as an `OptionalProperty`. Encode inside `EncodersOfObservables.active { … }`, or observables of `nil`
// under a key are left out.

/// Whether an encoder of observables is at work on this thread.
package enum EncodersOfObservables {
    @TaskLocal static var areActive = false

    /// Runs `body`, in which such an encoder encodes.
    package static func active<Result>(_ body: () throws -> Result) rethrows -> Result {
        try $areActive.withValue(true, operation: body)
    }
}
