// The identity of a node: a source location, or a value.
//
// A computed property creates its atom anew on each access, and always means the same node. So the location of the call
// that creates a node identifies it, and the use of one location for different nodes must be detected. There are three
// cases:
//
// 1. A stored property (`class Form { let text = atom("") }`) runs its initialiser once for each instance, and once for
//    a `static let`. Each run creates a node of its own, numbered by `NodeLifetime`. `#function` shows this case: it is
//    the name of the type, or an initialiser. Stores release such a node when its last copy is released.
// 2. An owner (`selector(of: model)`) is part of the key: each owner has a node.
// 3. Everywhere else, in computed properties and functions, the location is one node. The captures of the closures and
//    the defaults show whether the location was used for different nodes; see DefinitionCheck.swift. A difference is
//    reported, once, with the location.
//
// Nothing else is known at the call. In particular, a static property of a protocol extension or of a generic type does
// not know the type, unless the closure mentions it. Macros could see it, but would require a dependency on the
// compiler's parser.

import Reactive

/// The identity of a node.
///
/// - A node that a function creates (`atom`, `selector`, …) is identified by the source location of the call (function,
///   file, line and column), its type, and, in a family, its parameter. A computed property that creates its atom on
///   each access always means the same node, and two nodes on one line are distinct.
/// - A stored property, or an initialiser, creates a node for each instance. A store releases such a node when its last
///   copy is released.
/// - A node of a type of your own is identified by that type and its value.
///
/// A function or computed property that is called for different parameters, objects or generic arguments creates one
/// node for all of them. The first use that shows a difference is reported as misuse; use a family.
@frozen
public struct NodeKey: Hashable, @unchecked Sendable {
    // Sendable because it is immutable; parameters and nodes are values.

    @usableFromInline let type: Any.Type
    /// The source location that creates the node; `.nowhere` for the user's types.
    @usableFromInline let origin: SourceLocation
    /// The parameter of a member of a family, the owner, or the node itself if its type is the user's.
    @usableFromInline let parameter: NodeParameter
    @usableFromInline let givenName: String?

    @inlinable @inline(__always)
    init(type: Any.Type, location: SourceLocation?, parameter: NodeParameter = .none, name: String?) {
        self.type = type
        origin = location ?? .nowhere
        self.parameter = parameter
        givenName = name
    }

    /// The identity of a node of a type of your own: its type and its value.
    ///
    /// - Parameter node: The node.
    @inlinable
    public init<Node: RecoilNode>(_ node: Node) {
        self.init(type: Node.self, location: nil, parameter: NodeParameter(node: node), name: nil)
    }

    /// The same identity, without retaining the lifetime of the node: for stores.
    @inlinable
    var unretained: NodeKey {
        guard origin.lifetime != nil else { return self }
        return NodeKey(type: type, location: origin.unretained, parameter: parameter, name: givenName)
    }

    /// The source location that creates the node; `nil` for the user's types.
    var location: SourceLocation? { origin.position == 0 ? nil : origin }

    /// The name in messages and graphs: the given name, the property that creates the node, or the file and line.
    public var name: String {
        guard let location else { return parameter.text ?? "\(type)" }
        return (givenName ?? location.text) + (parameter.text.map { "(\($0))" } ?? "")
    }

    /// The owner of the node, if it belongs to one.
    var owner: OwnerIdentity? { parameter.owner }

    /// Whether both identify the same node.
    public static func == (a: NodeKey, b: NodeKey) -> Bool {
        a.origin.position == b.origin.position && a.type == b.type && a.origin.number == b.origin.number
            && a.parameter == b.parameter && SourceLocation.isSame(a.origin.file, b.origin.file)
            && SourceLocation.isSame(a.origin.function, b.origin.function)
    }

    /// Hashes the identity of the node.
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// A hash of the identity, without the texts, which rarely differ if the rest is equal.
    ///
    /// It is cheap, since a store uses it on each access. Swift has already hashed the users' values in it.
    var hash: UInt64 { Self.hash(of: type, origin.position, origin.number, parameter.hash) }

    @inline(__always)
    fileprivate static func hash(
        of type: Any.Type, _ position: UInt64, _ number: UInt64, _ parameter: UInt64
    ) -> UInt64 {
        let type = UInt64(UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self)))
        let bits = type ^ position &* 0x9E37_79B9_7F4A_7C15 ^ number &* 0xA24B_AED4_963E_E407
        return mixed(mixed(bits) ^ parameter)
    }

    /// Spreads the bits over the whole word.
    @inline(__always)
    private static func mixed(_ bits: UInt64) -> UInt64 {
        let product = (bits ^ bits >> 32) &* 0xD6E8_FEB8_6659_FD93
        return product ^ product >> 32
    }
}

// MARK: - Looking up

extension NodeKey {
    /// The identity without references of its own, with which a store looks a node up.
    ///
    /// A key has three references, and copying one takes as long as finding a node. Valid as long as the key exists, or
    /// a node that keeps it.
    @frozen @usableFromInline
    struct Bits {
        @usableFromInline let type: Any.Type
        @usableFromInline let function: UnsafePointer<UInt8>?
        @usableFromInline let file: UnsafePointer<UInt8>?
        @usableFromInline let position: UInt64
        @usableFromInline let number: UInt64
        @usableFromInline let parameter: NodeParameter.Bits

        @inlinable @inline(__always)
        init(
            _ type: Any.Type, _ function: UnsafePointer<UInt8>?, _ file: UnsafePointer<UInt8>?, _ position: UInt64,
            _ number: UInt64, _ parameter: NodeParameter.Bits
        ) {
            self.type = type
            self.function = function
            self.file = file
            self.position = position
            self.number = number
            self.parameter = parameter
        }

        /// The hash of the key.
        var hash: UInt64 { NodeKey.hash(of: type, position, number, parameter.hash) }
    }

    /// The identity with which a store looks the node up.
    @inlinable
    var bits: Bits {
        @inline(__always) get {
            Bits(type, origin.function, origin.file, origin.position, origin.number, parameter.bits)
        }
    }

    /// Returns whether the bits are those of an equal key. May run the `==` of a parameter.
    @inline(__always)
    func isKey(of bits: Bits) -> Bool {
        origin.position == bits.position && type == bits.type && origin.number == bits.number
            && parameter.isParameter(of: bits.parameter) && SourceLocation.isSame(origin.file, bits.file)
            && SourceLocation.isSame(origin.function, bits.function)
    }
}

extension NodeKey: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

// MARK: - Source locations

extension NodeKey {
    /// A source location, and the instance of its stored property.
    @frozen @usableFromInline
    struct SourceLocation: @unchecked Sendable {
        // Sendable because the texts are constants.

        /// The function's name, terminated by a zero, as the compiler writes constants.
        @usableFromInline let function: UnsafePointer<UInt8>?
        @usableFromInline let file: UnsafePointer<UInt8>?
        /// Line and column in one word; 0 for nowhere.
        @usableFromInline let position: UInt64
        /// The number of the node among those that this location has created; 0 if all are the same node.
        @usableFromInline let number: UInt64
        /// Ends with the last copy of the node. `nil` in stores, and if `number` is 0.
        @usableFromInline let lifetime: NodeLifetime?

        @usableFromInline static var nowhere: SourceLocation { SourceLocation(nil, nil, 0, 0, nil) }

        /// Creates the location of a call. For a property or function whose name begins with a lowercase letter, the
        /// usual case, this takes a few stores.
        @inlinable @inline(__always)
        init(function: StaticString, fileID: StaticString, line: UInt, column: UInt) {
            let position = UInt64(line) << 24 | UInt64(column) & 0xFF_FFFF
            if function.hasPointerRepresentation, fileID.hasPointerRepresentation,
                UInt8(ascii: "j")...UInt8(ascii: "z") ~= function.utf8Start.pointee
                    || UInt8(ascii: "a")...UInt8(ascii: "h") ~= function.utf8Start.pointee
            {
                self.init(function.utf8Start, fileID.utf8Start, position, 0, nil)
            } else {
                self.init(function, fileID, position)
            }
        }

        @usableFromInline @inline(never)
        init(_ function: StaticString, _ fileID: StaticString, _ position: UInt64) {
            let lifetime = Self.isRunPerInstance(function) ? NodeLifetime() : nil
            self.init(Self.text(of: function), Self.text(of: fileID), position, lifetime?.number ?? 0, lifetime)
        }

        @inlinable @inline(__always)
        init(
            _ function: UnsafePointer<UInt8>?, _ file: UnsafePointer<UInt8>?, _ position: UInt64, _ number: UInt64,
            _ lifetime: NodeLifetime?
        ) {
            self.function = function
            self.file = file
            self.position = position
            self.number = number
            self.lifetime = lifetime
        }

        @usableFromInline
        var unretained: SourceLocation { SourceLocation(function, file, position, number, nil) }

        /// Returns the address of a text. A single character, which Swift may represent differently, gets memory that
        /// is never freed.
        private static func text(of text: StaticString) -> UnsafePointer<UInt8> {
            if text.hasPointerRepresentation { return text.utf8Start }
            let copy = Array("\(text)\0".utf8)
            let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: copy.count)
            memory.initialize(from: copy, count: copy.count)
            return UnsafePointer(memory)
        }
    }
}

extension NodeKey.SourceLocation: Equatable {
    @usableFromInline
    static func == (a: Self, b: Self) -> Bool {
        a.position == b.position && a.number == b.number && isSame(a.file, b.file) && isSame(a.function, b.function)
    }

    fileprivate static func isSame(_ a: UnsafePointer<UInt8>?, _ b: UnsafePointer<UInt8>?) -> Bool {
        a == b || isSameText(a, b)
    }

    @inline(never)
    private static func isSameText(_ a: UnsafePointer<UInt8>?, _ b: UnsafePointer<UInt8>?) -> Bool {
        guard var a, var b else { return false }
        while a.pointee == b.pointee {
            if a.pointee == 0 { return true }
            (a, b) = (a + 1, b + 1)
        }
        return false
    }

    /// Returns whether a function with this name runs once for each instance: it initialises a stored property.
    ///
    /// `#function` is the name of the type there, or `init(…)`. The names distinguish types from properties: a type has
    /// a capital letter with a lowercase letter after it. `ID` and `URL` are properties.
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

    /// Returns whether a name is that of a function, not of a property: it ends with the parenthesis of its parameters.
    @inlinable @inline(__always)
    static func isOfFunction(_ name: StaticString) -> Bool {
        guard name.hasPointerRepresentation, name.utf8CodeUnitCount > 0 else { return true }
        return name.utf8Start[name.utf8CodeUnitCount - 1] == UInt8(ascii: ")")
    }

    /// Whether a function creates the node, not a property.
    var isInFunction: Bool { functionName.hasSuffix(")") }

    /// Whether that function has parameters.
    var hasParameters: Bool { functionName.contains(":") }

    private var functionName: String { function.map { String(cString: $0) } ?? "" }

    /// The file with its module.
    var fileID: String { file.map { String(cString: $0) } ?? "" }

    var line: UInt64 { position >> 24 }

    var column: UInt64 { position & 0xFF_FFFF }

    /// The property that creates the node on access, or else the file and line.
    var text: String {
        let function = functionName
        let isProperty = function.first.map { $0.isLowercase || $0 == "_" } == true && !function.contains("(")
        return isProperty ? function : fileAndLine
    }

    /// The file and line.
    var fileAndLine: String {
        let fileID = fileID
        return "\(fileID.split(separator: "/").last.map(String.init) ?? fileID):\(line)"
    }
}
