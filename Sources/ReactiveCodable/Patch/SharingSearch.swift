// Traverses a graph and finds the observables and objects that have several paths.
//
// The traversal enters each observable and each object once, and records those that it meets again. It encodes nothing,
// keeps no values, and visits observables one after the other, so that a long chain of them needs no stack. It costs as
// much as creating a deep observation. So its result is remembered, see SharedIdentities.swift.

import Reactive

/// Finds the observables and objects that have several paths. Lives for the length of a call. Under the lock.
final class SharingSearch: ObservableVisitor {
    /// The observables and objects that encoding the root meets more than once.
    private(set) var shared: Set<Identity> = []
    private var visited: Set<Identity> = []
    /// The parents of each observable and object, if they are recorded.
    private var parents: [Identity: [Identity]]?
    /// The observable or object being encoded.
    private var current: Identity?
    private var rootObject: Identity?
    /// The observables and objects to encode.
    private var waiting: [(parent: Identity, visit: (SharingSearch) -> Void)] = []
    private let types = TypeTable<VisitedType>()
    private let info: [CodingUserInfoKey: Any]

    /// Traverses a graph.
    ///
    /// - Parameters:
    ///   - root: The root.
    ///   - recordsParents: Whether to record all paths.
    ///   - info: The user info for `encode(to:)`.
    init<Root: Encodable>(from root: Root, recordsParents: Bool, info: [CodingUserInfoKey: Any]) {
        self.info = info
        // No test sees this always hold: recording the parents only takes longer.
        parents = recordsParents ? [:] : nil
        super.init()
        current = Identity(self)
        EncodersOfObservables.active {
            // No test sees this: a box of a struct is no object of the graph. For an object, see below.
            if Root.self is AnyObject.Type { rootObject = Identity(root as AnyObject) }
            visit(root)
            while let next = waiting.popLast() {
                current = next.parent
                next.visit(self)
            }
        }
        // Other paths to an object that the root contains again pass it twice.
        // No test sees this: if the root counts as shared, the paths below it are counted in vain.
        if let rootObject { shared.remove(rootObject) }
    }

    override var userInfo: [CodingUserInfoKey: Any] { info }

    override func visit<Value: Encodable>(_ value: Value) {
        let type = types.info(of: Value.self)
        switch type.kind {
        case _ where type.isPlain: return
        case .observable:
            let object = unsafeBitCast(value, to: AnyObject.self)
            // No test sees this always hold: visiting a plain value finds nothing.
            guard noteVisit(object), let observable = type.observable, !type.hasPlainValues else { return }
            waiting.append((Identity(object), { observable.visitValue(of: object, $0) }))
        case .optionalProperty:
            if let property = value as? any AnyOptionalProperty { visit(property.anyObservable) }
        default:
            guard type.isObject else { return enter(value) }
            let object = unsafeBitCast(value, to: AnyObject.self)
            guard noteVisit(object) else { return }
            let outer = current
            current = Identity(object)
            enter(value)
            current = outer
        }
    }

    /// Records that an object was met. Returns whether for the first time.
    private func noteVisit(_ object: AnyObject) -> Bool {
        let identity = Identity(object)
        if let current { parents?[identity, default: []].append(current) }
        if visited.insert(identity).inserted { return true }
        shared.insert(identity)
        return false
    }

    private func enter(_ value: some Encodable) {
        if _ReactionPart.stackIsLow, let current {
            waiting.append((current, { $0.enter(value) }))
        } else {
            // A value that cannot be encoded cannot be reached by a patch either.
            try? value.encode(to: ObservableSearchEncoder(visitor: self))
        }
    }
}

extension SharingSearch: PathMap {
    var rootIdentity: Identity? { Identity(self) }

    func parents(of identity: Identity) -> [Identity]? { parents?[identity] }
}

/// Information about a type for this traversal.
private final class VisitedType: TypeInfo {
    let observable: (any EncodableObservable.Type)?
    let hasPlainValues: Bool

    required init(_ type: any Any.Type) {
        observable = type as? any EncodableObservable.Type
        // No test sees this: only types of observables are asked.
        hasPlainValues = observable?.hasOnlyPlainValues ?? false
        super.init(type)
    }
}

extension EncodableObservable {
    fileprivate static var hasOnlyPlainValues: Bool { isPlain(Recorded.self) }

    /// Visits the value of an observable. Precondition: it is of this type.
    fileprivate static func visitValue(of object: AnyObject, _ search: SharingSearch) {
        let observable = unsafeDowncast(object, to: Self.self)
        if observable.obstacle == nil { search.visit(observable.value) }
    }
}
