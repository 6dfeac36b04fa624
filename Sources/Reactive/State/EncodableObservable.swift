// State that is encoded as its value, in the form that the coders of this package need.
//
// Observables, and the collections of a different module, conform without depending on the coders. The coders find them
// without depending on their types.

/// State whose value can be encoded, with the type of the value erased.
package protocol EncodableObservable: RecordableState, Encodable where Recorded: Encodable {}

/// An encoder that handles observables itself.
///
/// A conforming encoder receives each observable that is encoded, including those whose value is `nil`, which other
/// encoders never see. Containers may handle them earlier: `T.self is any EncodableObservable.Type` in `encode<T>(_
/// value: T)`.
package protocol EncoderOfObservables: Encoder {
    /// Encodes an observable at the current coding path.
    func encodeObservable<O: EncodableObservable>(_ observable: O) throws
}

/// The values that observables had at one moment, for encoders that do not support past values themselves.
package protocol PastValues: AnyObject, Sendable {
    /// Returns the value of an observable at that moment; `nil` if no value of it is known.
    func value(of observable: AnyObject) -> (any Encodable)?
}

/// The moment whose values are encoded. A task-local value, so that it is visible inside any encoder.
package enum EncodedPast {
    @TaskLocal package static var current: (any PastValues)?
}

extension EncodableObservable {
    /// Encodes the value as if it were not observable. In a reaction this subscribes, as a read does.
    ///
    /// - Parameters:
    ///   - encoder: Any encoder.
    ///   - encodeContents: Encodes the current value.
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

    /// Throws if the value cannot be read because this thread holds the lock of a different graph.
    package func requireReach(_ codingPath: @autoclosure () -> [any CodingKey]) throws {
        guard let obstacle else { return }
        throw EncodingError.invalidValue(self, .init(codingPath: codingPath(), debugDescription: obstacle))
    }
}
