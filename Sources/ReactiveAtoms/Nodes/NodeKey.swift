// What makes a node the same node wherever it is used: a place in the source, or a value.

/// The identity of a node.
///
/// - A node made by a function (`atom`, `selector`, …) is known by where the call stands (function, file, line and column), its type, and, in a family, its parameter.
///   So a computed property that makes its atom anew on each access always means the same one, and two nodes on one line are two.
/// - A node of a type of your own is known by that type and its value.
///
/// A call that runs several times, in a loop say, makes one node; use a family for many.
public struct NodeKey: Hashable, @unchecked Sendable {
    // Sendable because it is immutable; parameters and nodes are values.

    /// A place in the source.
    struct Place: Sendable {
        let function: StaticString
        let fileID: StaticString
        let line: UInt
        let column: UInt
    }

    let type: ObjectIdentifier
    let place: Place?
    /// The parameter of a member of a family, or the node itself if its type is the user's.
    let value: AnyHashable?
    private let givenName: String?

    init(type: Any.Type, place: Place?, value: AnyHashable? = nil, name: String?) {
        self.type = ObjectIdentifier(type)
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

    /// What messages and graphs call the node: the name it was given, or the property that makes it, or the file and line.
    public var name: String {
        guard let place else { return (value?.base as? any Hashable).map { Self.text(of: $0) } ?? "?" }
        return (givenName ?? place.text) + (value.map { "(\($0.base))" } ?? "")
    }

    /// What describes a node of the user's type; its type alone if there is nothing else to it.
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
        hasher.combine(place?.line)
        hasher.combine(place?.column)
        hasher.combine(value)
    }
}

extension NodeKey: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

extension NodeKey.Place: Equatable {
    static func == (a: Self, b: Self) -> Bool {
        a.line == b.line && a.column == b.column && isSame(a.fileID, b.fileID) && isSame(a.function, b.function)
    }

    private static func isSame(_ a: StaticString, _ b: StaticString) -> Bool {
        guard a.hasPointerRepresentation, b.hasPointerRepresentation else { return "\(a)" == "\(b)" }
        return a.utf8Start == b.utf8Start || "\(a)" == "\(b)"
    }

    /// The property, if one makes the node on access; else the file and line.
    var text: String {
        let function = "\(function)"
        let isProperty = function.first.map { $0.isLowercase || $0 == "_" } == true && !function.contains("(")
        let file = "\(fileID)".split(separator: "/").last.map(String.init) ?? "\(fileID)"
        return isProperty ? function : "\(file):\(line)"
    }
}
