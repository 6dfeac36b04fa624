// Names of state that the library itself creates: decoded state, and state with the values of different state.
//
// Decoded state has the key of its property: `password` for `@Observable var password`. Only a case of an enum without
// payloads counts as the key of a property, such as the `CodingKeys` that the compiler generates. The key of a
// dictionary is data: it may be secret, and there is no limit to the number of such keys. So the elements of arrays and
// dictionaries have the name of the property around them.
//
// All state of a property shares one name object. Programs have a limited number of properties, so these objects are
// kept.

import CReactive

/// The name of state, for state that is created later.
package struct StateName: @unchecked Sendable {
    // Sendable because names are immutable.

    /// File and line in one word, if there is no object.
    private let origin: UInt64
    private let object: NodeName?

    fileprivate init(_ object: NodeName) {
        self.object = object
        origin = 0
    }

    /// Creates the name of a node.
    package init(of node: _Node) {
        object = NodeName.shared(by: node.node.pointee)
        // No test sees this always hold: a name with an object has no use for it.
        origin = object == nil ? node.node.pointee.origin & ~UInt64(REACTIVE_COMPARES_BITS) : 0
    }

    /// Creates the name that a node was given. Fails if its name is a file and a line.
    package init?(givenTo node: _Node) {
        guard NodeName.given(to: node.node.pointee) != nil else { return nil }
        self.init(of: node)
    }

    /// Gives the name to a node that has a default name.
    fileprivate func give(to header: inout NodeHeader) {
        let bits = header.origin & UInt64(REACTIVE_COMPARES_BITS)
        NodeName.release(header)
        if let object {
            header.origin = UInt64(UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())) | bits
            header.flags.insert(.named)
        } else {
            header.origin = origin | bits
            header.flags.remove(.named)
        }
    }
}

extension _Node {
    /// Gives a name to a node that has just been created, and that reports no observation.
    package final func take(_ name: StateName) { changeNewHeader { name.give(to: &$0) } }
}

// MARK: - Decoded state

/// The kind of decoder that decodes state on this thread.
package enum DecoderOfState: Sendable {
    /// A decoder of a different module. It knows values only. Its coding path is slow: it takes several allocations
    /// with `JSONDecoder`.
    case other
    /// A `StateNamingDecoder` that knows values only.
    case plain
    /// A `StateNamingDecoder` that must be asked for state, because it may return existing state.
    case tree

    @TaskLocal package static var current = DecoderOfState.other
}

/// A decoder that knows the name of the state at its path.
package protocol StateNamingDecoder: Decoder {
    /// The name for state that is created from the decoder.
    var stateName: StateName { get }
}

extension StateName {
    /// The name of decoded state that belongs to no property.
    package static let decoded = StateName(NodeName.decoded("decoded"))

    /// Creates the name for state that is created from a decoder.
    ///
    /// - Complexity: O(the length of the path).
    package init(for decoder: any Decoder) {
        // No test sees this always hold: it only saves a cast.
        if DecoderOfState.current != .other, let decoder = decoder as? any StateNamingDecoder {
            self = decoder.stateName
        } else {
            self = StateName(at: decoder.codingPath)
        }
    }

    /// Creates the name for state at a path.
    package init(at path: some BidirectionalCollection<any CodingKey>) {
        self = path.reversed().lazy.compactMap { StateName(property: $0) }.first ?? .decoded
    }

    /// Creates the name for state of a property. Fails if the key is no case of an enum without payloads.
    package init?(property key: some CodingKey) {
        guard let name = PropertyNames.name(of: key) else { return nil }
        self = name
    }

    /// Creates the name for state under a key, if the decoder can be asked for the value of the state instead.
    package init?(forValueUnder key: some CodingKey) {
        // No test sees this never hold: asked for the value of the state, a decoder leads to the same name.
        guard DecoderOfState.current != .tree else { return nil }
        self.init(property: key)
    }
}

/// The names of properties, by the types of their keys.
private enum PropertyNames {
    /// A case of a type of keys.
    private struct Case: Hashable {
        let type: ObjectIdentifier
        let bits: UInt16
    }

    /// An object, so that a change copies nothing.
    private final class Table {
        /// The names of the keys so far; `nil` for keys that are not the key of a property.
        var names: [Case: StateName?] = [:]
    }

    // The table is accessed only between lock and unlock.
    private static let table = Guarded(Table())

    static func name<Key: CodingKey>(of key: Key) -> StateName? {
        // Such a key contains no reference.
        // No test sees this boundary: only an enum with more than 256 cases takes both bytes.
        guard MemoryLayout<Key>.size <= MemoryLayout<UInt16>.size else { return nil }
        let id = Case(type: ObjectIdentifier(Key.self), bits: bits(of: key))
        return table.withLock { $0.names[id] } ?? add(key, id)
    }

    /// Returns the bits of a key of at most 16 bits.
    private static func bits(of key: some CodingKey) -> UInt16 {
        var bits: UInt16 = 0
        withUnsafeBytes(of: key) { key in withUnsafeMutableBytes(of: &bits) { $0.copyMemory(from: key) } }
        return bits
    }

    @inline(never)
    private static func add<Key: CodingKey>(_ key: Key, _ id: Case) -> StateName? {
        let isProperty = Mirror(reflecting: key).displayStyle == .enum && !isNumbered(key.stringValue)
        let new = isProperty ? StateName(NodeName.decoded(key.stringValue)) : nil
        return table.withLock { table in
            // No test sees this never hold: a second object with the same name does no harm.
            if let known = table.names[id] { return known }
            // No test sees this left out: as above.
            table.names[id] = .some(new)
            return new
        }
    }

    /// Whether the compiler made up the name: `_0` is the key of the first unlabeled value of an enum's case.
    private static func isNumbered(_ name: String) -> Bool {
        name.first == "_" && name.count > 1 && name.dropFirst().allSatisfy(\.isWholeNumber)
    }
}
