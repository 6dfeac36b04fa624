// The inputs of a run, with their versions.
//
// The content of an asynchronous node compares its inputs whenever one of them changes, and whenever the run reads
// another input. The last inputs are compared one by one. The others are in groups, each a computed, and only groups
// with changes are compared again.

import Reactive

/// One input of a run.
struct Dependency {
    enum Kind: Hashable {
        /// The value, or the current data.
        case value
        /// Everything in a loadable.
        case loadable
        /// The outcome of the node.
        case awaited
    }

    /// The version of a node: the numbers of its content, and of its activity if that counts.
    struct Stamp: Equatable {
        let content: UInt64
        var activity: UInt64 = 0
    }

    let instance: _AnyNodeInstance
    let kind: Kind
    /// The version when it was read. `nil` while the node is awaited.
    var stamp: Stamp?

    /// Returns whether the version has changed. Tracks the node.
    ///
    /// - Throws: The core's error for a cycle.
    func hasChanged() throws -> Bool {
        if instance.ending != nil { return true }
        instance.noteObserver()
        try instance.follow()
        guard let stamp, let now = try instance.stamp(of: kind) else { return false }
        return stamp != now
    }

    /// Returns whether this is that read.
    func isRead(of instance: _AnyNodeInstance, as kind: Kind) -> Bool {
        self.instance === instance && self.kind == kind
    }

    /// Records the outcome of the node, which the run has awaited.
    mutating func noteOutcome() {
        if stamp == nil { stamp = instance.outcomeStamp.map { Stamp(content: $0) } }
    }
}

extension _AnyNodeInstance {
    /// Returns the version that a run compares. Valid after `follow`.
    func stamp(of kind: Dependency.Kind) throws -> Dependency.Stamp? {
        switch kind {
        case .value: return Dependency.Stamp(content: contentVersion)
        case .awaited: return outcomeStamp.map { Dependency.Stamp(content: $0) }
        case .loadable:
            _ = try activity()
            return Dependency.Stamp(content: contentVersion, activity: activityVersion)
        }
    }
}

/// The inputs of a run, each once, in the order of the first reads.
struct RunInputs {
    private static let groupSize = 32

    private var groups: [InputGroup] = []
    private var last: [Dependency] = []
    /// The group of each of the other inputs. The last ones are few, and a search is faster than a hash.
    private var grouped: [DependencyID: Int] = [:]

    init(_ dependencies: [Dependency] = []) {
        for dependency in dependencies { append(dependency) }
    }

    var isEmpty: Bool { last.isEmpty }

    var dependencies: [Dependency] { groups.isEmpty ? last : groups.flatMap(\.dependencies) + last }

    func contains(_ instance: _AnyNodeInstance, _ kind: Dependency.Kind) -> Bool {
        last.contains { $0.isRead(of: instance, as: kind) }
            // No test sees this always hold: it only saves a hash.
            || !grouped.isEmpty && grouped[DependencyID(instance, kind)] != nil
    }

    /// Adds an input that it does not contain.
    mutating func append(_ dependency: Dependency) {
        // No test sees this: the groups only save comparisons.
        if last.count == Self.groupSize {
            for dependency in last { grouped[DependencyID(dependency.instance, dependency.kind)] = groups.count }
            groups.append(InputGroup(last))
            last = []
        }
        last.append(dependency)
    }

    /// Records the outcome of a node that was awaited.
    mutating func noteOutcome(_ instance: _AnyNodeInstance) {
        if let index = last.firstIndex(where: { $0.isRead(of: instance, as: .awaited) }) {
            last[index].noteOutcome()
        } else if let group = grouped[DependencyID(instance, .awaited)] {
            groups[group].noteOutcome(instance)
        }
    }

    /// Returns whether the version of an input has changed. Tracks the inputs.
    ///
    /// - Throws: The core's error for a cycle.
    func haveChanged() throws -> Bool {
        for group in groups where try group.hasChanged.value { return true }
        for dependency in last where try dependency.hasChanged() { return true }
        return false
    }
}

/// The identity of an input, without its version.
private struct DependencyID: Hashable {
    let instance: ObjectIdentifier
    let kind: Dependency.Kind

    init(_ instance: _AnyNodeInstance, _ kind: Dependency.Kind) {
        self.instance = ObjectIdentifier(instance)
        self.kind = kind
    }
}

/// A group of inputs.
private final class InputGroup {
    private(set) var dependencies: [Dependency]

    init(_ dependencies: [Dependency]) { self.dependencies = dependencies }

    /// Whether the version of an input in the group has changed. Reading it tracks the inputs.
    private(set) lazy var hasChanged = ThrowingComputed<Bool>(named: "inputs of a run") { [weak self] in
        // No test sees this: the content that reads a group retains the run, and so the group.
        guard let self else { return true }
        for dependency in self.dependencies where try dependency.hasChanged() { return true }
        return false
    }

    /// Records the outcome of a node that was awaited.
    func noteOutcome(_ instance: _AnyNodeInstance) {
        // No test sees this always hold: an input that is noted too early at most starts the run again.
        for index in dependencies.indices where dependencies[index].isRead(of: instance, as: .awaited) {
            dependencies[index].noteOutcome()
        }
    }
}
