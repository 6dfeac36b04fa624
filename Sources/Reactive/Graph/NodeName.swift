// The name of a node: the given one, or the file and line of the call that created it.
//
// File and line fit into one word of the header: the address of the compiler's file string in the upper 48 bits, the
// line in the 15 below. A given name, or a line that does not fit, is a separate object, which the header then owns.
// The lowest bit, 0 in the address of an object, shows how the node compares values. The object also stores the hooks
// of the few nodes that report whether they are observed.
//
// A name that is computed when it is asked for costs nothing: a source provides it, and `origin` leads to that source.

import CReactive

@usableFromInline package final class NodeName {
    let name: String?
    let fileID: StaticString
    let line: UInt
    /// The report of whether the node is observed, if it has the flag `reportsObservation`.
    let observation: ObservationReport?

    /// The source location; the name itself if the library created the node for the program.
    var site: String {
        if line == 0, let name { return name }
        return NodeName.describe(file: fileID.description, line: line)
    }

    private init(name: String?, fileID: StaticString, line: UInt, observation: ObservationReport? = nil) {
        self.name = name
        self.fileID = fileID
        self.line = line
        self.observation = observation
    }

    /// File and line in one word, or `nil` if they do not fit.
    @inlinable @inline(__always)
    static func packed(_ fileID: StaticString, _ line: UInt) -> UInt64? {
        guard fileID.hasPointerRepresentation, line < 1 << 15 else { return nil }
        let address = UInt64(UInt(bitPattern: fileID.utf8Start))
        // No test sees this: addresses that do not fit are those of other systems.
        guard address < 1 << 48 else { return nil }
        return address << 16 | UInt64(line) << 1
    }

    static func store(_ name: String?, fileID: StaticString, line: UInt, in header: inout NodeHeader) {
        // No test sees this never hold: it only saves an object.
        if name == nil, let origin = packed(fileID, line) {
            header.origin = origin
        } else {
            let object = NodeName(name: name, fileID: fileID, line: line)
            header.origin = UInt64(UInt(bitPattern: Unmanaged.passRetained(object).toOpaque()))
            header.flags.insert(.named)
        }
    }

    /// Does what `store` does, for a node that reports whether it is observed.
    static func store(
        _ name: String?, fileID: StaticString, line: UInt, observation: ObservationReport, in header: inout NodeHeader
    ) {
        let object = NodeName(name: name, fileID: fileID, line: line, observation: observation)
        header.origin = UInt64(UInt(bitPattern: Unmanaged.passRetained(object).toOpaque()))
        header.flags.formUnion([.named, .reportsObservation])
    }

    /// Returns the report of whether a node is observed.
    static func observation(of header: NodeHeader) -> ObservationReport? { object(of: header)?.observation }

    /// Copies the name and the source location of a node to a different one.
    static func share(_ header: NodeHeader, with other: inout NodeHeader) {
        if let source = source(naming: header) {
            // It may be freed before the other node.
            return store(source.ownName, fileID: "", line: 0, in: &other)
        }
        other.origin = header.origin & ~UInt64(REACTIVE_COMPARES_BITS)
        guard let object = unmanagedObject(of: header) else { return }
        _ = object.retain()
        other.flags.insert(.named)
    }

    /// Creates a name that the state of a property shares. It has no source location.
    static func decoded(_ name: String) -> NodeName { NodeName(name: name, fileID: "", line: 0) }

    /// Returns the name of a node as an object that other nodes may share; `nil` if it is a file and a line in one
    /// word.
    static func shared(by header: NodeHeader) -> NodeName? {
        if let source = source(naming: header) { return decoded(source.ownName) }
        guard let object = object(of: header), object.observation != nil else { return object(of: header) }
        return NodeName(name: object.name, fileID: object.fileID, line: object.line)
    }

    static func release(_ header: NodeHeader) {
        unmanagedObject(of: header)?.release()
    }

    /// Keeps the name of a node for an event, without the closures that report whether the node is observed. Returns an
    /// `origin`, or `nil` if the name is no object.
    package static func retainedForEvent(_ header: NodeHeader) -> UInt64? {
        guard let plain = shared(by: header) else { return nil }
        return UInt64(UInt(bitPattern: Unmanaged.passRetained(plain).toOpaque()))
    }

    /// Balances one `retainedForEvent`.
    package static func release(origin: UInt64) { unmanagedObject(at: origin).release() }

    /// Returns the name and the source location that an `origin` means which leads to no source.
    package static func label(origin: UInt64, isObject: Bool) -> (name: String, site: String) {
        guard isObject else {
            let site = site(packed: origin)
            return (site, site)
        }
        let object = unmanagedObject(at: origin).takeUnretainedValue()
        let site = object.site
        return (object.name ?? site, site)
    }

    /// The given name, if there is one.
    static func given(to header: NodeHeader) -> String? { source(naming: header)?.ownName ?? object(of: header)?.name }

    /// Returns the source location that created the node.
    package static func site(of header: NodeHeader) -> String {
        if let source = source(naming: header) { return source.ownName }
        if let object = object(of: header) { return object.site }
        return site(packed: header.origin)
    }

    /// Returns the source location that a packed word means.
    package static func site(packed origin: UInt64) -> String {
        guard let file = UnsafePointer<CChar>(bitPattern: UInt(origin >> 16)) else { return "unknown" }
        return describe(file: String(cString: file), line: UInt(origin & 0xFFFF) >> 1)
    }

    /// Returns the given name, or else the source location that created the node.
    package static func text(of header: NodeHeader) -> String { given(to: header) ?? site(of: header) }

    /// Returns the node that provides the name, if it is computed when it is asked for.
    private static func source(naming header: NodeHeader) -> _Node? {
        guard header.flags.contains(.namedBySource) else { return nil }
        let address = UnsafeRawPointer(bitPattern: UInt(header.origin)).unsafelyUnwrapped
        return Unmanaged<_Node>.fromOpaque(address).takeUnretainedValue()
    }

    private static func object(of header: NodeHeader) -> NodeName? {
        unmanagedObject(of: header)?.takeUnretainedValue()
    }

    private static func unmanagedObject(of header: NodeHeader) -> Unmanaged<NodeName>? {
        header.flags.contains(.named) ? unmanagedObject(at: header.origin) : nil
    }

    private static func unmanagedObject(at origin: UInt64) -> Unmanaged<NodeName> {
        let address = UInt(origin & ~UInt64(REACTIVE_COMPARES_BITS))
        return .fromOpaque(UnsafeRawPointer(bitPattern: address).unsafelyUnwrapped)
    }

    /// `Module/File.swift` and a line, as `File.swift:12`.
    // One copy of the code: names are needed in many functions, and rarely.
    @inline(never)
    static func describe(file: String, line: UInt) -> String {
        let start = file.utf8.lastIndex(of: UInt8(ascii: "/")).map { file.utf8.index(after: $0) } ?? file.startIndex
        return "\(file[start...]):\(line)"
    }
}

/// Returns a chain of names in one line, without its middle if it is long.
func abbreviated(_ names: [String]) -> String {
    guard names.count > 12 else { return names.joined(separator: " → ") }
    return (names.prefix(5) + ["… \(names.count - 10) more …"] + names.suffix(5)).joined(separator: " → ")
}
