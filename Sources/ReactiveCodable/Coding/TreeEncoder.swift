// Encodes an object graph into a `JSONTree`, like `JSONEncoder`, up to the observables.
//
// The node of an observable refers to it, and the observable is not read until that is requested. So encoding costs
// what is outside observables, and a long chain of observables needs no stack.

import Reactive

struct TreeEncoder {
    let tree: JSONTree
    let id: JSONTree.ID
    let strategies: CodingStrategies

    // MARK: - Values

    /// Encodes any value at this node.
    func encode<T: Encodable>(_ value: T) throws {
        let kind = strategies.kind(of: T.self)
        switch kind {
        case .observable:
            // No test sees this never hold: `encode(to:)` leads to `note` as well.
            guard let observable = encodableObservable(value) else { break }
            return note(observable)
        case .optionalProperty:
            if let property = value as? any AnyOptionalProperty { note(property.anyObservable, leavingOutNil: true) }
            return
        default: break
        }
        if let scalar = try scalar(of: value, kind) { return set(scalar) }
        // No test sees this always hold: it only saves memory.
        if tree.isAnnotated { tree.nodes[id].originals.append(value) }
        if encodeLazily(value, kind) { return }
        switch kind {
        case .date, .data, .url, .decimal: try encodeFoundationType(value)
        case .json: if let json = value as? JSONValue { set(json) }
        case .stringDictionary where !strategies.keepsEncodedKeys:
            // No test sees this: in annotated trees, which alone use it, today's casts find each lazy container.
            tree.nodes[id].isDictionary = true
            if let dictionary = encodableStringDictionary(value) {
                try dictionary.encodeMembers(to: self)
            } else {
                // No test sees this left out: the casts of today's runtime find each such value.
                try value.encode(to: self)
            }
        case .stringDictionary, .otherDictionary:
            tree.nodes[id].isDictionary = true
            try value.encode(to: self)
        case .unordered:
            tree.nodes[id].isUnordered = true
            try value.encode(to: self)
        default: try value.encode(to: self)
        }
    }

    // MARK: - Nodes

    func set(_ json: JSONValue) {
        tree.nodes[id].kind = .json
        tree.nodes[id].json = json
    }

    /// Makes the node the held node of an observable.
    ///
    /// - Parameter leavingOutNil: Whether the document has no member here while the observable is `nil`. The holder
    ///   remains.
    func note(_ observable: any EncodableObservable, leavingOutNil: Bool = false) {
        tree.hold(id, by: ObservableHolder(observable: observable, view: PastView.current), observable)
        guard leavingOutNil else { return }
        let isNil = PastView.current?.saved(of: observable)?.isNil ?? (observable.obstacle == nil && observable.isNil)
        if isNil { tree.nodes[id].kind = .absent }
    }

    /// Encodes the value of the holder's observable, or the value that it had when the tree was created.
    func readHeldValue() throws {
        guard let holder = tree.nodes[id].holder as? ObservableHolder else { return }
        try EncodersOfObservables.active {
            try PastView.with(holder.view) { try encodeValue(of: holder.observable) }
        }
    }

    private func encodeValue(of observable: some EncodableObservable) throws {
        if let past = PastView.current?.saved(of: observable) {
            try past.encode(to: self)
        } else {
            try observable.requireReach(codingPath)
            try encode(observable.value)
        }
    }

    /// Returns the encoder of a member.
    func member(_ key: any CodingKey) throws -> TreeEncoder {
        member(named: try name(of: key), key)
    }

    func member(named name: String, _ key: any CodingKey) -> TreeEncoder {
        if let existing = tree.nodes[id].members[name] { tree.nodes[existing].parent = JSONTree.detached }
        let child = tree.makeNode(parent: id, key: key)
        tree.nodes[id].members[name] = child
        return TreeEncoder(tree: tree, id: child, strategies: strategies)
    }

    /// Returns the encoder of the next element.
    func nextElement() -> TreeEncoder {
        let child = tree.makeNode(parent: id, key: AnyKey.element(tree.nodes[id].elements.count))
        tree.nodes[id].elements.append(child)
        return TreeEncoder(tree: tree, id: child, strategies: strategies)
    }
}

/// A dictionary whose keys are strings and not names of properties: strategies for keys do not apply to them.
protocol EncodableStringDictionary {
    func encodeMembers(to encoder: TreeEncoder) throws
    func encodeMembers(to encoder: PlainEncoder) throws
}

extension Dictionary: EncodableStringDictionary where Key == String, Value: Encodable {
    func encodeMembers(to encoder: TreeEncoder) throws {
        encoder.tree.nodes[encoder.id].kind = .object
        for (key, value) in self { try encoder.member(named: key, AnyKey.name(key)).encode(value) }
    }

    func encodeMembers(to encoder: PlainEncoder) throws {
        encoder.builder.becomeObject()
        for (key, value) in self { try encoder.encode(value, named: key, AnyKey.name(key)) }
    }
}
