// Encodes object graphs into plain JSON, as `JSONEncoder` would.
//
// Encoding a value fills a builder. An observable whose value may contain other observables remains in the builder as a
// holder. Holders are read after the value around them has been encoded, one after the other, so that a long chain of
// observables needs no stack.
//
//     builder    "title": "Shopping"          a complete value
//                "items": holder ◉            read next: its value fills a builder of its own, which replaces
//                                             the holder when it is complete

import Reactive

struct PlainEncoder {
    fileprivate(set) var builder: PlainBuilder
    let strategies: CodingStrategies
    private let path: CoderPath

    fileprivate init(_ builder: PlainBuilder, _ strategies: CodingStrategies, _ path: CoderPath) {
        self.builder = builder
        self.strategies = strategies
        self.path = path
    }

    // MARK: - Values

    /// Returns the JSON of a value. Under the lock of the graph of its observables.
    static func json(of value: some Encodable, _ strategies: CodingStrategies) throws -> JSONValue {
        let builder = PlainBuilder()
        try EncodersOfObservables.active {
            try PlainEncoder(builder, strategies, CoderPath()).encode(value)
        }
        return try builder.resolved(strategies)
    }

    /// Encodes any value.
    func encode<T: Encodable>(_ value: T) throws {
        let kind = strategies.kind(of: T.self)
        if let scalar = try scalar(of: value, kind) { return set(scalar) }
        switch kind {
        case .observable:
            // No test sees this never hold: `encode(to:)` leads to `encodeObservable` as well.
            if let observable = encodableObservable(value) {
                try encodeObservable(observable)
            } else {
                // No test sees this left out: the casts of today's runtime find each such value.
                try value.encode(to: self)
            }
        case .optionalProperty:
            if let property = value as? any AnyOptionalProperty {
                try encode(propertyOf: property.anyObservable)
            }
        case .date, .data, .url, .decimal: try encodeFoundationType(value)
        case .json: if let json = value as? JSONValue { set(json) }
        case .stringDictionary where !strategies.keepsEncodedKeys:
            if let dictionary = encodableStringDictionary(value) {
                try dictionary.encodeMembers(to: self)
            } else {
                // No test sees this left out: the casts of today's runtime find each such value.
                try value.encode(to: self)
            }
        case .unordered:
            builder.isUnordered = true
            try value.encode(to: self)
        default: try value.encode(to: self)
        }
    }

    /// Encodes a member.
    func encode<T: Encodable>(_ value: T, named name: String, _ key: any CodingKey) throws {
        // No test sees this never hold: it only saves a builder.
        if let scalar = try scalar(of: value, strategies.kind(of: T.self)) { return builder.add(scalar, named: name) }
        let child = PlainBuilder()
        try self.child(child, key).encode(value)
        builder.add(child, named: name)
    }

    /// Encodes an element.
    fileprivate func encodeElement<T: Encodable>(_ value: T) throws {
        // No test sees this never hold: it only saves a builder.
        if let scalar = try scalar(of: value, strategies.kind(of: T.self)) { return builder.add(scalar) }
        let child = PlainBuilder()
        try self.child(child, AnyKey.element(builder.count)).encode(value)
        builder.add(child)
    }

    func set(_ json: JSONValue) { builder.content = .value(json) }

    fileprivate func child(_ child: PlainBuilder, _ key: any CodingKey) -> PlainEncoder {
        PlainEncoder(child, strategies, path.appending(key))
    }

    // MARK: - Observables

    func encodeObservable<O: EncodableObservable>(_ observable: O) throws {
        // No test sees this never hold: it only saves a holder.
        guard strategies.isPlain(O.Recorded.self) else {
            builder.content = .held(ObservableHolder(observable: observable, view: PastView.current), path)
            return
        }
        try encodeValue(of: observable)
    }

    /// Encodes a property that is an observable of an optional: leaves it out if it is `nil`.
    private func encode(propertyOf observable: some EncodableObservable) throws {
        let isNil = PastView.current?.saved(of: observable)?.isNil ?? (observable.obstacle == nil && observable.isNil)
        if isNil { builder.content = .absent } else { try encodeObservable(observable) }
    }

    fileprivate func encodeValue(of observable: some EncodableObservable) throws {
        if let past = PastView.current?.saved(of: observable) {
            try past.encode(to: self)
        } else {
            try observable.requireReach(codingPath)
            try encode(observable.value)
        }
    }
}

// MARK: - Builders

/// A value during its encoding.
final class PlainBuilder {
    fileprivate enum Content {
        /// Nothing was encoded. A builder that remains empty is an empty object, as for `JSONEncoder`.
        case empty
        case value(JSONValue)
        case array
        case object
        /// The value of an observable, to be read when the value around it is complete.
        case held(ObservableHolder, CoderPath)
        /// Nothing, and no member.
        case absent
    }

    private enum Child {
        case value(JSONValue)
        case builder(PlainBuilder)
    }

    // Unchecked: a value is encoded completely before it is put in.
    @exclusivity(unchecked) fileprivate var content = Content.empty
    @exclusivity(unchecked) private var keys: [String] = []
    @exclusivity(unchecked) private var children: [Child] = []
    /// Whether it was encoded from a collection without an order.
    @exclusivity(unchecked) fileprivate var isUnordered = false

    fileprivate var count: Int { children.count }

    func becomeObject() { content = .object }
    fileprivate func becomeArray() { content = .array }

    // MARK: - Children

    /// Adds a member. If several members have the same key, the last one is used.
    fileprivate func add(_ value: JSONValue, named name: String) {
        keys.append(name)
        children.append(.value(value))
    }

    fileprivate func add(_ builder: PlainBuilder, named name: String) {
        if case .absent = builder.content {
            while let index = keys.firstIndex(where: { JSONKey($0) == JSONKey(name) }) {
                keys.remove(at: index)
                children.remove(at: index)
            }
            return
        }
        keys.append(name)
        children.append(builder.child)
    }

    fileprivate func add(_ value: JSONValue) { children.append(.value(value)) }
    fileprivate func add(_ builder: PlainBuilder) { children.append(builder.child) }

    /// Creates a child, to be filled.
    fileprivate func addChild(named name: String? = nil) -> PlainBuilder {
        let child = PlainBuilder()
        if let name { keys.append(name) }
        children.append(.builder(child))
        return child
    }

    /// The builder as a child: its value, if that is complete.
    private var child: Child {
        switch content {
        case .empty: .value([:])
        case .value(let value): .value(value)
        case .absent: .value(.null)
        case .held: .builder(self)
        case .array, .object: complete.map(Child.value) ?? .builder(self)
        }
    }

    /// The value of a container, if the values of all children are complete.
    private var complete: JSONValue? {
        var values: [JSONValue] = []
        // No test sees this: it only saves moving the values.
        values.reserveCapacity(children.count)
        for child in children {
            guard case .value(let value) = child else { return nil }
            values.append(value)
        }
        if case .object = content { return .object(JSONObject(zip(keys, values).map { (key: $0, value: $1) })) }
        return .array(isUnordered ? JSONArray(unordered: values) : JSONArray(values))
    }

    // MARK: - Holders

    /// A builder whose children are being read.
    private struct Open {
        let builder: PlainBuilder
        var next = 0
        /// The observables whose values it was.
        let objects: [ObjectIdentifier]
    }

    /// Reads all holders.
    fileprivate func resolved(_ strategies: CodingStrategies) throws -> JSONValue {
        var stack: [Open] = []
        // The observables being read, to detect a graph that contains itself.
        var objects: Set<ObjectIdentifier> = []
        // From the inside out, so that releasing a long chain does not recurse.
        defer { while let open = stack.popLast() { open.builder.children = [] } }

        func open(_ builder: PlainBuilder) throws {
            var read: [ObjectIdentifier] = []
            while case .held(let holder, let path) = builder.content {
                let object = ObjectIdentifier(holder.object)
                guard objects.insert(object).inserted else { throw cycleError(holder, path) }
                read.append(object)
                builder.content = .empty
                try EncodersOfObservables.active {
                    try PastView.with(holder.view) {
                        try PlainEncoder(builder, strategies, path).encodeValue(of: holder.observable)
                    }
                }
            }
            stack.append(Open(builder: builder, objects: read))
        }

        try open(self)
        while true {
            let top = stack.count - 1
            let builder = stack[top].builder
            var inner: PlainBuilder?
            while inner == nil, stack[top].next < builder.children.count {
                if case .builder(let child) = builder.children[stack[top].next] { inner = child }
                if inner == nil { stack[top].next += 1 }
            }
            if let inner {
                try open(inner)
                continue
            }
            let done = stack.removeLast()
            objects.subtract(done.objects)
            guard case .value(let value) = builder.child else {
                preconditionFailure("internal inconsistency: a builder is not complete")
            }
            guard let outer = stack.indices.last else { return value }
            stack[outer].builder.children[stack[outer].next] = .value(value)
        }
    }

    private func cycleError(_ holder: ObservableHolder, _ path: CoderPath) -> EncodingError {
        let keys = path.keys
        let pointer = JSONPointer(tokens: keys.map { $0.intValue.map(String.init) ?? $0.stringValue })
        return EncodingError.invalidValue(
            holder.object,
            EncodingError.Context(
                codingPath: keys,
                debugDescription: "The object at \(pointer) contains itself. JSON cannot represent cycles."))
    }
}

// MARK: - Containers

extension PlainEncoder: ValueEncoder {
    var codingPath: [any CodingKey] { path.keys }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        builder.becomeObject()
        return KeyedEncodingContainer(PlainKeyedEncoding<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        builder.becomeArray()
        return PlainUnkeyedEncoding(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { PlainSingleValueEncoding(encoder: self) }
}

private struct PlainKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PlainEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil(forKey key: Key) throws { encoder.builder.add(.null, named: try encoder.name(of: key)) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.encode(value, named: encoder.name(of: key), key)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { nested(key).container(keyedBy: keyType) }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { nested(AnyKey.super) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    /// Returns the encoder of a member that is a container. It cannot throw: a key whose strategy fails keeps its name.
    private func nested(_ key: some CodingKey) -> PlainEncoder {
        let name = (try? encoder.name(of: key)) ?? key.stringValue
        return encoder.child(encoder.builder.addChild(named: name), key)
    }
}

private struct PlainUnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: PlainEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.builder.count }

    mutating func encodeNil() throws { encoder.builder.add(.null) }
    mutating func encode<T: Encodable>(_ value: T) throws { try encoder.encodeElement(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nested().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { nested() }

    private func nested() -> PlainEncoder {
        let key = AnyKey.element(count)
        return encoder.child(encoder.builder.addChild(), key)
    }
}

private struct PlainSingleValueEncoding: SingleValueEncodingContainer {
    let encoder: PlainEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws { encoder.set(.null) }
    mutating func encode<T: Encodable>(_ value: T) throws { try encoder.encode(value) }
}
