// The owner of a selector, as a part of the node's key.
//
// The owner is part of the key, by a weak reference. Two keys are equal while the owner lives; after its end a key
// equals itself alone, so an object that takes over the address has nodes of its own. A store cannot learn that an
// owner has gone: it releases the nodes of owners that are gone, and that nobody observes, each time that the number of
// such nodes has doubled.

/// An object as a part of a key.
struct OwnerIdentity: Hashable, CustomStringConvertible, @unchecked Sendable {
    // Sendable because it is immutable, and weak references may be read anywhere.
    private final class Reference {
        weak var owner: AnyObject?
        init(_ owner: AnyObject) { self.owner = owner }
    }

    private let id: ObjectIdentifier
    private let reference: Reference
    private let type: Any.Type

    init<Owner: AnyObject>(_ owner: Owner) {
        id = ObjectIdentifier(owner)
        reference = Reference(owner)
        type = Owner.self
    }

    var description: String { "\(type)" }

    /// The object, unless it is gone.
    var owner: AnyObject? { reference.owner }

    /// The object.
    ///
    /// - Throws: `RecoilError.ownerGone` if it is gone.
    func get<Owner: AnyObject>(_ type: Owner.Type, for key: NodeKey) throws -> Owner {
        guard let owner else { throw RecoilError.ownerGone(node: key.name) }
        return unsafeDowncast(owner, to: Owner.self)
    }

    static func == (a: Self, b: Self) -> Bool {
        a.reference === b.reference || (a.id == b.id && a.owner != nil && b.owner != nil)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
