// Which graph an object graph's state belongs to.
//
// Any `Encodable` may be a root: it has no graph, only observables somewhere below it. What finds them is encoding, so
// that is what looks for the first one, with an encoder that takes no value and ends as soon as it meets an observable.

import Reactive

extension GraphHandle {
    /// The graph that the state below `root` belongs to: that of the first observable that encoding `root` meets.
    ///
    /// Where this thread holds a graph, that one: nothing else can be used here. Where encoding meets no observable,
    /// because there is none or because an `encode(to:)` takes the values out of them itself, the current one.
    ///
    /// - Complexity: O(what encoding visits up to the first observable); most roots begin with one.
    init(ofStateIn root: some Encodable) {
        let current = GraphHandle.current
        guard GraphHandle.held == nil else {
            self = current
            return
        }
        let search = ObservableSearch()
        // Under the current graph's lock, as all encoding is: other state of the root may be guarded by it.
        current.withUntrackedLock {
            // An error is the end of the search, or what the encoding that follows will report.
            EncodersOfObservables.active { try? search.visit(root) }
        }
        self = search.found ?? current
    }
}

/// Looks for the first observable, or record of one, that an encoding meets.
private final class ObservableSearch {
    private(set) var found: GraphHandle?
    private let types = TypeTable<TypeInfo>()
    /// The objects that are being encoded, which may contain themselves.
    private var entered: Set<ObjectIdentifier> = []

    /// Ends the encoding.
    private struct End: Error {}

    func end(with graph: GraphHandle?) throws {
        if found == nil { found = graph }
        throw End()
    }

    func visit<Value: Encodable>(_ value: Value) throws {
        let info = types.info(of: Value.self)
        switch info.kind {
        case _ where info.isPlain: return
        case .observable:
            try end(with: (value as? _Node).map { GraphHandle(of: $0) })
        default:
            if found != nil { throw End() }
            let object = info.isObject ? ObjectIdentifier(unsafeBitCast(value, to: AnyObject.self)) : nil
            if let object, !entered.insert(object).inserted { return }
            guard !_ReactionPart.stackIsLow else { return try end(with: nil) }
            try value.encode(to: ObservableSearchEncoder(search: self))
        }
    }
}

/// The face of a search towards `encode(to:)`: an encoder, and all of its containers.
struct ObservableSearchEncoder: EncoderOfObservables, SingleValueEncodingContainer, UnkeyedEncodingContainer {
    fileprivate let search: ObservableSearch
    private(set) var count = 0

    fileprivate init(search: ObservableSearch) { self.search = search }

    /// Ends the search: what is being encoded is a record of state of this graph.
    func end(with graph: GraphHandle) throws { try search.end(with: graph) }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func encodeObservable<O: EncodableObservable>(_ observable: O) throws { try search.visit(observable) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedSearch<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    mutating func encodeNil() throws { count += 1 }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        count += 1
        try search.visit(value)
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { self }
}

private struct KeyedSearch<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ObservableSearchEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {}
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.search.visit(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { encoder.container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}
