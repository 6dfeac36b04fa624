// What the last evaluation of a selector has read.

/// A selector whose evaluation notes what it reads.
protocol DependencyRecorder: _AnyNodeInstance {
    func add(_ dependency: _AnyNodeInstance)
}

/// What an evaluation has read, each once, in the order of the first reads.
struct DependencyList {
    private(set) var instances: [_AnyNodeInstance] = []
    /// Only kept for long lists: a short one is searched faster.
    private var members: Set<ObjectIdentifier> = []

    mutating func append(_ instance: _AnyNodeInstance) {
        if instances.count < 16 {
            if instances.contains(where: { $0 === instance }) { return }
        } else {
            if members.isEmpty { members = Set(instances.map(ObjectIdentifier.init)) }
            guard members.insert(ObjectIdentifier(instance)).inserted else { return }
        }
        instances.append(instance)
    }

    mutating func removeAll() {
        instances.removeAll(keepingCapacity: true)
        members.removeAll(keepingCapacity: true)
    }
}
