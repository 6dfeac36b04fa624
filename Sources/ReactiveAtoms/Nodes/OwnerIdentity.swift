// The owner of a selector, as a part of the node's key.
//
// The key refers to the owner weakly. Two keys are equal while the owner lives. After its end a key equals itself
// alone, so an object that reuses the address has nodes of its own. A store is not notified of the end of an owner.
// Each time the number of nodes with owners has doubled, it releases those that have lost their owner and have no
// observers.

/// An object as a part of a key.
struct OwnerIdentity: Hashable, CustomStringConvertible, @unchecked Sendable {
    // Sendable because it is immutable, and weak references may be read on any thread.
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

    /// The object, unless it has been released.
    var owner: AnyObject? { reference.owner }

    /// Returns the object.
    ///
    /// - Throws: `RecoilError.ownerGone` if it has been released.
    func get<Owner: AnyObject>(_ type: Owner.Type, for key: NodeKey) throws -> Owner {
        guard let owner else { throw RecoilError.ownerGone(node: key.name) }
        return unsafeDowncast(owner, to: Owner.self)
    }

    static func == (a: Self, b: Self) -> Bool {
        a.reference === b.reference || (a.id == b.id && a.owner != nil && b.owner != nil)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
