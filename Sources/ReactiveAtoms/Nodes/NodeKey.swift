// What makes a node the same node wherever it is used: a source location, or a value.
//
// A computed property creates its atom anew on each access, and always means the same one. So a node is known by the
// location of the call that creates it, and a location that is reached for different things must be noticed. Three
// cases:
//
//   1. A stored property (`class Form { let text = atom("") }`) runs its initialiser once for each instance, and once
//   for a `static let`.
//      Each run creates a node of its own, numbered by `NodeLifetime`. `#function` tells: there it is the name of the
//      type, or an initialiser. Stores forget such a node when its last copy is gone.
//   2. An owner (`selector(of: model)`) is part of the key: a node for each.
//   3. Everywhere else, in computed properties and functions, the location is one node. Whether it was called for
//   different ones shows in
//      what the closures capture and in the defaults; see DefinitionCheck.swift. A difference is reported, once, with
//      the location.
//
// Nothing else is known at the call: not the type whose static property of a protocol extension or of a generic type
// this is, unless the closure mentions it. Macros would see it; a dependency on the compiler's own parser is not worth
// that.

import Reactive

/// The identity of a node.
///
/// - A node that a function creates (`atom`, `selector`, …) is identified by the source location of the call (function,
///   file, line and column), its type, and, in a family, its parameter. A computed property that creates its atom on
///   each access always means the same one, and two nodes on one line are distinct.
/// - A stored property, or an initialiser, creates a node for each instance. A store releases such a node when its last
///   copy is gone.
/// - A node of a type of your own is identified by that type and its value.
///
/// A function or computed property that is called for different parameters, objects or generic arguments creates one
/// node for all of them. The first use that shows a difference is reported as misuse; use a family.
public struct NodeKey: Hashable, @unchecked Sendable {
    // Sendable because it is immutable; parameters and nodes are values.

    let type: ObjectIdentifier
    let place: Place?
    /// The parameter of a member of a family, the owner, or the node itself if its type is the user's.
    let value: AnyHashable?
    private let givenName: String?

    init(type: Any.Type, place: Place?, value: AnyHashable? = nil, name: String?) {
        self.init(ObjectIdentifier(type), place, value, name)
    }

    private init(_ type: ObjectIdentifier, _ place: Place?, _ value: AnyHashable?, _ name: String?) {
        self.type = type
        self.place = place
        self.value = value
        givenName = name
    }

    /// The identity of a node of a type of your own: its type and its value.
    ///
    /// - Parameter node: The node.
    public init<Node: RecoilNode>(_ node: Node) {
        self.init(type: Node.self, place: nil, value: AnyHashable(node), name: nil)
    }

    /// The same identity, without keeping the node alive: for stores.
    var unretained: NodeKey {
        guard let place, place.lifetime != nil else { return self }
        return NodeKey(type, place.unretained, value, givenName)
    }

    /// What messages and graphs call the node: its given name, the property that creates it, or the file and line.
    public var name: String {
        guard let place else { return (value?.base as? any Hashable).map { Self.text(of: $0) } ?? "?" }
        return (givenName ?? place.text) + (value.map { "(\($0.base))" } ?? "")
    }

    /// The description of a node of the user's type; its type alone if there is nothing else to it.
    private static func text<Node>(of node: Node) -> String {
        MemoryLayout<Node>.size == 0 ? "\(Node.self)" : "\(node)"
    }

    /// Whether both mean the same node.
    public static func == (a: NodeKey, b: NodeKey) -> Bool {
        a.type == b.type && a.value == b.value && a.place == b.place
    }

    /// Feeds what identifies the node, except the texts, which the rest nearly always implies.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(place.map { UInt64($0.line) &+ $0.number &* 1_000_003 })
        hasher.combine(place?.column)
        hasher.combine(value)
    }
}

extension NodeKey: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

// MARK: - Source locations

extension NodeKey {
    /// A source location, and the instance that its stored property belongs to.
    struct Place: Sendable {
        let function: StaticString
        let fileID: StaticString
        let line: UInt
        let column: UInt
        /// Which of the nodes that this location has created; 0 if all are the same one.
        let number: UInt64
        /// Ends with the last copy of the node. `nil` in stores, and where `number` is 0.
        let lifetime: NodeLifetime?

        // One copy of the code: each function that creates a node calls it.
        @inline(never)
        init(function: StaticString, fileID: StaticString, line: UInt, column: UInt) {
            let lifetime = Self.isRunPerInstance(function) ? NodeLifetime() : nil
            self.init(function, fileID, line, column, lifetime?.number ?? 0, lifetime)
        }

        private init(
            _ function: StaticString, _ fileID: StaticString, _ line: UInt, _ column: UInt, _ number: UInt64,
            _ lifetime: NodeLifetime?
        ) {
            self.function = function
            self.fileID = fileID
            self.line = line
            self.column = column
            self.number = number
            self.lifetime = lifetime
        }

        var unretained: Place { Place(function, fileID, line, column, number, nil) }
    }
}

extension NodeKey.Place: Equatable {
    static func == (a: Self, b: Self) -> Bool {
        a.line == b.line && a.column == b.column && a.number == b.number && isSame(a.fileID, b.fileID)
            && isSame(a.function, b.function)
    }

    private static func isSame(_ a: StaticString, _ b: StaticString) -> Bool {
        a.hasPointerRepresentation && b.hasPointerRepresentation && a.utf8Start == b.utf8Start || isSameText(a, b)
    }

    @inline(never)
    private static func isSameText(_ a: StaticString, _ b: StaticString) -> Bool { "\(a)" == "\(b)" }

    /// Whether code of a function with this name runs once for each instance: it initialises a stored property.
    ///
    /// `#function` is the name of the type there, or `init(…)`. Types are told from properties by their names: a
    /// capital letter with a small one after it. `ID` and `URL` are properties.
    private static func isRunPerInstance(_ function: StaticString) -> Bool {
        guard function.hasPointerRepresentation, function.utf8CodeUnitCount > 1 else { return false }
        let name = UnsafeBufferPointer(start: function.utf8Start, count: function.utf8CodeUnitCount)
        switch name[0] {
        case UInt8(ascii: "i"): return name.starts(with: "init(".utf8)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            return !name.contains(UInt8(ascii: "("))
                && name.contains { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
        default: return false
        }
    }

    /// Whether a function creates the node, not a property.
    var isInFunction: Bool { contains(UInt8(ascii: "(")) }

    /// Whether that function has parameters.
    var hasParameters: Bool { contains(UInt8(ascii: ":")) }

    private func contains(_ character: UInt8) -> Bool { function.withUTF8Buffer { $0.contains(character) } }

    /// The property, if one creates the node on access; else the file and line.
    var text: String {
        let function = "\(function)"
        let isProperty = function.first.map { $0.isLowercase || $0 == "_" } == true && !function.contains("(")
        return isProperty ? function : location
    }

    /// The file and line.
    var location: String {
        let file = "\(fileID)".split(separator: "/").last.map(String.init) ?? "\(fileID)"
        return "\(file):\(line)"
    }
}
