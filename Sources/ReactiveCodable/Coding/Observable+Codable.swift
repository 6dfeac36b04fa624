// The encoded form of observables. An observable is encoded as its value, and decoded from its value.
//
// Neither the comparison nor the name is part of the encoded form. A decoded observable compares as its type implies.
// That is determined at run time, since the value's type is not known here to be `Equatable` or an object. Its name is
// the key of its property (StateName.swift of the core). The overload for observables below receives that key; the path
// of `JSONDecoder` takes several allocations.
//
// A property `@Observable var nickname: String?` behaves like a plain `String?`: it is left out when it is `nil`, and
// is `nil` when it is absent. The compiler generates `container.encode(_nickname, forKey: .nickname)` and
// `container.decode(…)` in the module of the type. It selects the overloads for observables of optionals below, since
// they are more specific than the containers' own methods. If the type of the property is a generic parameter, it does
// not: there `nil` becomes `null`, as for a plain property. Encoders of this module see the difference as an
// `OptionalProperty`.
//
// Coders of this module need more than values; see CodersOfObservables.swift.

public import Reactive

extension Observable: Encodable where Value: Encodable {
    /// Encodes the value as if it were not observable. In a reaction this subscribes, like reading.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: Any error that encoding the value throws.
    public func encode(to encoder: any Encoder) throws {
        try encodeValue(to: encoder) {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
}

extension Observable: Decodable where Value: Decodable {
    /// Creates state from an encoded value. It compares as its type implies; see `Equality`. Its name in diagnostics is
    /// the coding key of the property: the comparison and the name of the declaration are not part of the encoded form.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: Any error that decoding the value throws.
    public convenience init(from decoder: any Decoder) throws {
        let name = StateName(for: decoder)
        self.init(decoded: try decoder.singleValueContainer().decode(Value.self), name: name)
    }
}

extension Observable {
    fileprivate convenience init(decoded value: Value, name: StateName) {
        self.init(wrappedValue: value, equals: .automatic)
        take(name)
    }
}

extension KeyedEncodingContainer {
    /// Encodes the value of an observable. Encodes nothing for `nil`, as for a plain optional property.
    ///
    /// - Parameters:
    ///   - observable: The observable.
    ///   - key: The key.
    /// - Throws: Any error that encoding the value throws.
    public mutating func encode<Wrapped: Encodable>(_ observable: Observable<Wrapped?>, forKey key: Key) throws {
        if EncodersOfObservables.areActive {
            try encodeAsItIs(OptionalProperty(observable: observable), forKey: key)
        } else if !isKnownNil(observable) {
            try encodeAsItIs(observable, forKey: key)
        }
    }

    private func isKnownNil<Wrapped: Encodable>(_ observable: Observable<Wrapped?>) -> Bool {
        if let past = PastView.current?.saved(of: observable) { return past.isNil }
        return observable.obstacle == nil && observable.value == nil
    }

    private mutating func encodeAsItIs<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encode(value, forKey: key)
    }
}

// A name for the state under a key exists if the decoder can be asked for values. Otherwise it is asked for state.
extension KeyedDecodingContainer {
    /// Decodes an observable. Its name in diagnostics is the key.
    ///
    /// - Parameters:
    ///   - type: The type of the observable.
    ///   - key: The key.
    /// - Returns: A new observable.
    /// - Throws: Any error that decoding the value throws.
    public func decode<Value: Decodable>(
        _ type: Observable<Value>.Type, forKey key: Key
    ) throws -> Observable<Value> {
        // No test sees this never hold: it only saves the decoder's path, which leads to the same name.
        guard let name = StateName(forValueUnder: key) else { return try decodeAsItIs(type, forKey: key) }
        return Observable(decoded: try decode(Value.self, forKey: key), name: name)
    }

    /// Decodes an observable of an optional. Its value is `nil` if the key is absent, as for a plain optional property.
    ///
    /// - Parameters:
    ///   - type: The type of the observable.
    ///   - key: The key.
    /// - Returns: A new observable.
    /// - Throws: Any error that decoding the value throws.
    public func decode<Wrapped: Decodable>(
        _ type: Observable<Wrapped?>.Type, forKey key: Key
    ) throws -> Observable<Wrapped?> {
        // No test sees this never hold: it only saves the decoder's path, which leads to the same name.
        if let name = StateName(forValueUnder: key) {
            return Observable(decoded: try decodeIfPresent(Wrapped.self, forKey: key), name: name)
        }
        if contains(key) { return try decodeAsItIs(type, forKey: key) }
        return Observable(decoded: nil, name: StateName(property: key) ?? StateName(at: codingPath))
    }

    /// Decodes an array of observables. Their name in diagnostics is the key.
    ///
    /// - Parameters:
    ///   - type: The type of the array.
    ///   - key: The key.
    /// - Returns: New observables.
    /// - Throws: Any error that decoding a value throws.
    public func decode<Value: Decodable>(
        _ type: [Observable<Value>].Type, forKey key: Key
    ) throws -> [Observable<Value>] {
        // No test sees this never hold: it only saves the decoder's path, which leads to the same name.
        guard let name = StateName(forValueUnder: key) else { return try decodeAsItIs(type, forKey: key) }
        return try decode([Value].self, forKey: key).map { Observable(decoded: $0, name: name) }
    }

    private func decodeAsItIs<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decode(type, forKey: key)
    }
}
