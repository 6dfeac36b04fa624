// What a run has read, and what that was.
//
// The content of an asynchronous node compares its inputs whenever one of them changes, and whenever the run reads
// another one. The last inputs are compared one by one. The others are in groups, each a computed, of which only those
// are compared again in which something has changed.

import Reactive

/// Something that a run has read.
struct Dependency {
    enum Kind: Hashable {
        /// The value, or the data that there are now.
        case value
        /// All that a loadable says.
        case loadable
        /// What the node settles on.
        case awaited
    }

    /// What a node was: the numbers of its content, and of what it was busy with where that counts.
    struct Stamp: Equatable {
        let content: UInt64
        var activity: UInt64 = 0
    }

    let instance: _AnyNodeInstance
    let kind: Kind
    /// What it was when it was read. `nil` while it is awaited.
    var stamp: Stamp?

    /// Whether it is no longer what it was. Tracks it.
    ///
    /// - Throws: The core's error for a cycle.
    func hasChanged() throws -> Bool {
        if instance.ending != nil { return true }
        instance.noteObserver()
        try instance.follow()
        guard let stamp, let now = try instance.stamp(of: kind) else { return false }
        return stamp != now
    }

    /// Whether it is this read.
    func isRead(of instance: _AnyNodeInstance, as kind: Kind) -> Bool {
        self.instance === instance && self.kind == kind
    }

    /// Notes what the node has settled on, if it was awaited.
    mutating func noteSettled() {
        if kind == .awaited, stamp == nil { stamp = instance.settledStamp.map { Stamp(content: $0) } }
    }
}

extension _AnyNodeInstance {
    /// What a run compares. Valid after `follow`.
    func stamp(of kind: Dependency.Kind) throws -> Dependency.Stamp? {
        switch kind {
        case .value: return Dependency.Stamp(content: contentVersion)
        case .awaited: return settledStamp.map { Dependency.Stamp(content: $0) }
        case .loadable:
            _ = try activity()
            return Dependency.Stamp(content: contentVersion, activity: activityVersion)
        }
    }
}

/// What a run has read, each once, in the order of the first reads.
struct RunInputs {
    private static let groupSize = 32

    private var groups: [InputGroup] = []
    private var last: [Dependency] = []
    /// Which group each of the others is in. The last ones are few, and searched faster than hashed.
    private var grouped: [DependencyID: Int] = [:]

    init(_ dependencies: [Dependency] = []) {
        for dependency in dependencies { append(dependency) }
    }

    var isEmpty: Bool { last.isEmpty }

    var dependencies: [Dependency] { groups.isEmpty ? last : groups.flatMap(\.dependencies) + last }

    func contains(_ instance: _AnyNodeInstance, _ kind: Dependency.Kind) -> Bool {
        last.contains { $0.isRead(of: instance, as: kind) }
            || !grouped.isEmpty && grouped[DependencyID(instance, kind)] != nil
    }

    /// Adds one that it does not contain.
    mutating func append(_ dependency: Dependency) {
        if last.count == Self.groupSize {
            for dependency in last { grouped[DependencyID(dependency.instance, dependency.kind)] = groups.count }
            groups.append(InputGroup(last))
            last.removeAll(keepingCapacity: true)
        }
        last.append(dependency)
    }

    /// Notes what a node that was awaited has settled on.
    mutating func noteSettled(_ instance: _AnyNodeInstance) {
        if let index = last.firstIndex(where: { $0.isRead(of: instance, as: .awaited) }) {
            last[index].noteSettled()
        } else if let group = grouped[DependencyID(instance, .awaited)] {
            groups[group].noteSettled(instance)
        }
    }

    /// Whether one of them is no longer what it was. Tracks them.
    ///
    /// - Throws: The core's error for a cycle.
    func haveChanged() throws -> Bool {
        for group in groups where try group.hasChanged.value { return true }
        for dependency in last where try dependency.hasChanged() { return true }
        return false
    }
}

/// A read, without what was read.
private struct DependencyID: Hashable {
    let instance: ObjectIdentifier
    let kind: Dependency.Kind

    init(_ instance: _AnyNodeInstance, _ kind: Dependency.Kind) {
        self.instance = ObjectIdentifier(instance)
        self.kind = kind
    }
}

/// Some of what a run has read.
private final class InputGroup {
    private(set) var dependencies: [Dependency]

    init(_ dependencies: [Dependency]) { self.dependencies = dependencies }

    /// Whether one of them is no longer what it was. Reading it tracks them.
    private(set) lazy var hasChanged = ThrowingComputed<Bool>(named: "inputs of a run") { [weak self] in
        guard let self else { return true }
        for dependency in self.dependencies where try dependency.hasChanged() { return true }
        return false
    }

    /// Notes what a node that was awaited has settled on.
    func noteSettled(_ instance: _AnyNodeInstance) {
        for index in dependencies.indices where dependencies[index].isRead(of: instance, as: .awaited) {
            dependencies[index].noteSettled()
        }
    }
}
