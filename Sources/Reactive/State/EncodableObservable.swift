// State that is encoded as its value, as coders of this package see it.
//
// Observables, and the collections of a different module, conform without knowing the coders; the coders find them
// without knowing the types.

/// State whose value can be encoded, without its type.
package protocol EncodableObservable: RecordableState, Encodable where Recorded: Encodable {}

/// An encoder that takes observables themselves.
///
/// Whoever conforms gets each observable that is encoded, also those that are `nil` and that other encoders never see.
/// Containers may catch them earlier: `T.self is any EncodableObservable.Type` in `encode<T>(_ value: T)`.
package protocol EncoderOfObservables: Encoder {
    /// Takes an observable that asks to be encoded here.
    func encodeObservable<O: EncodableObservable>(_ observable: O) throws
}

/// The values that observables had at one moment, for encoders that know nothing of the past.
package protocol PastValues: AnyObject, Sendable {
    /// The value of an observable at that moment; `nil` if nothing is known of it.
    func value(of observable: AnyObject) -> (any Encodable)?
}

/// The moment that encoding shows. A task-local value, so that it reaches through any encoder.
package enum EncodedPast {
    @TaskLocal package static var current: (any PastValues)?
}

extension EncodableObservable {
    /// Encodes the value as if it were not observable. In a reaction this subscribes, as reading does.
    ///
    /// - Parameters:
    ///   - encoder: Any encoder.
    ///   - encodeContents: Encodes the present value.
    package func encodeValue(to encoder: any Encoder, _ encodeContents: () throws -> Void) throws {
        if let encoder = encoder as? any EncoderOfObservables {
            try encoder.encodeObservable(self)
        } else if let past = EncodedPast.current?.value(of: self) {
            try past.encode(to: encoder)
        } else {
            try requireReach(encoder.codingPath)
            try encodeContents()
        }
    }

    /// Throws if the value cannot be read, because this thread holds a different graph than the observable's.
    package func requireReach(_ codingPath: @autoclosure () -> [any CodingKey]) throws {
        guard let obstacle else { return }
        throw EncodingError.invalidValue(self, .init(codingPath: codingPath(), debugDescription: obstacle))
    }
}
