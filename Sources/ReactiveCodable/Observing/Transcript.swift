// The recorded encoding of a region, which can be encoded again unchanged.
//
// A value alone determines its encoding if all changes in it happen in observables, whose earlier values are known.
// That is not the case if an `encode(to:)` reads observables itself. Then the walk records the containers and keys, the
// plain values, and in between references to the observables and the identities of cells.

import Reactive

/// The encoded form of a value, in which the plain parts are fixed. A walk writes it; after that it does not change.
final class Transcript: SavedValue {
    enum Content {
        case nothing
        case null
        case leaf(any Encodable)
        case observable(any EncodableObservable)
        /// A cell, which the observation keeps, or the change record in which it left. A reference to it would create
        /// a cycle of references between objects that refer to each other.
        case cell(Identity)
        case keyed([(key: AnyKey, value: Transcript)])
        case unkeyed([Transcript])
        case failure(any Error)

        /// The content for an observable whose value can be encoded.
        init(observable: AnyObject) {
            if let observable = encodableObservable(observable) {
                self = .observable(observable)
            } else {
                let problem = "Its value can be encoded only on the actor that the value belongs to."
                self = .failure(
                    EncodingError.invalidValue(observable, .init(codingPath: [], debugDescription: problem)))
            }
        }
    }

    var content = Content.nothing
    /// Whether the value is a dictionary whose keys no encoder converts.
    var isStringKeyed = false
    /// Whether the value is an observable that is left out under its key while it is `nil`.
    var leavesOutNil = false
    /// Whether the value is a collection without an order.
    var isUnordered = false

    // MARK: - Recording

    func becomeKeyed() {
        if case .keyed = content { return }
        content = .keyed([])
    }

    func becomeUnkeyed() {
        if case .unkeyed = content { return }
        content = .unkeyed([])
    }

    /// Adds a value under a key. The caller records it.
    func add(_ key: any CodingKey) -> Transcript {
        let value = Transcript()
        guard case .keyed(var entries) = content else { return value }
        // No test sees this: it only saves a copy.
        content = .nothing
        entries.append((AnyKey(key), value))
        content = .keyed(entries)
        return value
    }

    /// Adds an element. The caller records it.
    func add() -> Transcript {
        let value = Transcript()
        guard case .unkeyed(var elements) = content else { return value }
        // No test sees this: it only saves a copy.
        content = .nothing
        elements.append(value)
        content = .unkeyed(elements)
        return value
    }

    // MARK: - Replaying

    override func encode(to encoder: any Encoder) throws {
        switch content {
        case .nothing: break
        case .failure(let error): throw error
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .leaf(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .observable(let observable): try observable.encode(to: encoder)
        case .cell(let identity): try PastView.current?.saved(of: identity)?.encode(to: encoder)
        case .unkeyed(let elements) where isUnordered:
            var container = encoder.singleValueContainer()
            try container.encode(UnorderedElements(elements: elements))
        case .unkeyed(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .keyed(let entries) where isStringKeyed:
            let dictionary = Dictionary(entries.map { ($0.key.stringValue, $0.value) }) { $1 }
            var container = encoder.singleValueContainer()
            try container.encode(dictionary)
        case .keyed(let entries):
            var container = encoder.container(keyedBy: AnyKey.self)
            for (key, value) in entries where !value.isAbsent { try container.encode(value, forKey: key) }
        }
    }

    /// Whether the value is left out under its key.
    private var isAbsent: Bool {
        guard leavesOutNil, case .observable(let observable) = content else { return false }
        return PastView.current?.saved(of: observable)?.isNil ?? valueIsNil(observable.value)
    }

    override var isNil: Bool {
        switch content {
        case .null: true
        case .leaf(let value): valueIsNil(value)
        default: false
        }
    }
}

/// The encoding of a collection without an order.
private struct UnorderedElements: Encodable, UnorderedCollection {
    let elements: [Transcript]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in elements { try container.encode(element) }
    }
}
