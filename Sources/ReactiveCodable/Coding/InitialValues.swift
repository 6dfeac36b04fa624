// The initial values of observable properties that a document lacks.
//
//     struct Document: Codable {
//         @Observable var title = ""
//         @Observable var words = 0        new: missing in older documents
//     }
//
// A synthesised `init(from:)` first gives all properties their initial values, and then replaces one after the other
// with what it decodes. So an initial observable is released by the assignment of the observable that was decoded in
// its place: after that call of `decode(_:forKey:)` returned, and before anything else happens. That says which initial
// value belongs to which key:
//
//     learning   The document is decoded in a graph that reports what is created in it. A missing member is decoded as
//                an observable with some value of its type. The initial observable that is gone when the next call
//                comes, or when the next observable is created, was that of the member. What was decoded is dropped.
//     decoding   The document is decoded again, in its own graph. Missing members get the values that were learned.
//
// Where this is not certain (no initial observable of the type went, or more than one did) the member stays missing.
// So do the members of an object that has members, but none that its type asks for: that is another type's object.
// A value that may contain observables is encoded after learning and decoded again, since they belong to the wrong
// graph.

import Reactive
import ReactiveSaving

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What members that are missing get. Used by one thread.
final class InitialValues {
    /// A member that is missing: the node of its object, and its key.
    private struct Member: Hashable {
        let object: JSONTree.ID
        let key: String
    }

    private struct Candidate {
        weak var observable: _Node?
        let value: Any
    }

    /// A running `init(from:)`, with the observables that were created since it began.
    private struct Frame {
        var created: [WeakNode] = []
        /// The missing member that was decoded last, and the observables that it may replace.
        var pending: (member: Member, candidates: [Candidate])?
    }

    private struct WeakNode {
        weak var node: _Node?
    }

    private var isLearning = true
    private var frames: [Frame] = [Frame()]
    private var learned: [Member: Any] = [:]
    /// The objects that have a member that their type asks for.
    private var known: Set<JSONTree.ID> = []

    // MARK: - Learning

    /// Notes an observable that was created.
    fileprivate func note(_ node: _Node) {
        settle()
        frames[frames.count - 1].created.append(WeakNode(node: node))
    }

    /// Runs an `init(from:)`.
    func inFrame<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard isLearning else { return try body() }
        frames.append(Frame())
        defer {
            settle()
            frames.removeLast()
        }
        return try body()
    }

    /// Finds out which observable was replaced by the member that was decoded last.
    func settle() {
        guard isLearning, let pending = frames[frames.count - 1].pending else { return }
        frames[frames.count - 1].pending = nil
        let replaced = pending.candidates.filter { $0.observable == nil }
        if replaced.count == 1 { learned[pending.member] = replaced[0].value }
    }

    /// Notes that a member that is there is decoded.
    func noteMember(of decoder: TreeDecoder) {
        if isLearning { known.insert(decoder.id) }
    }

    /// A value for a member that is missing; `nil` if it must not be missing.
    func value<T: Decodable>(of type: T.Type, missing key: any CodingKey, in decoder: TreeDecoder) throws -> T? {
        guard let type = type as? any CreatableState.Type else { return nil }
        return try value(of: type, missing: key, in: decoder) as? T
    }

    private func value<O: CreatableState>(
        of type: O.Type, missing key: any CodingKey, in decoder: TreeDecoder
    ) throws -> O? {
        let member = Member(object: decoder.id, key: key.stringValue)
        guard isLearning else {
            guard known.contains(decoder.id) || decoder.tree.nodes[decoder.id].members.isEmpty else { return nil }
            return try learned[member].flatMap { try O.made(of: $0) }
        }
        let candidates = frames[frames.count - 1].created.compactMap { entry in
            (entry.node as? O).map { Candidate(observable: $0, value: $0.value) }
        }
        guard let some = candidates.first, let result = try O.made(of: some.value) else { return nil }
        // After the observable that takes the place was created, which is no sign of anything.
        frames[frames.count - 1].pending = (member, candidates)
        return result
    }

    // MARK: - Decoding

    /// Decodes a document; properties that it lacks take their initial values.
    ///
    /// - Returns: The value, or `nil` inside a transaction or a tracked closure, where this cannot be done.
    /// - Throws: `DecodingError.keyNotFound` for a member whose initial value is not certain, and what decoding throws.
    static func decoded<T: Decodable>(_ type: T.Type, from json: JSONValue, using decoder: JSONDecoder) throws -> T? {
        // In a transaction, the graph that reports what is created could not be used.
        guard GraphHandle.held == nil else { return nil }
        let values = InitialValues()
        let session = TreeDecoding(
            tree: JSONTree(json), strategies: CodingStrategies(encoder: JSONEncoder(), decoder: decoder))
        session.initialValues = values
        func decode() throws -> T {
            try TreeDecoder(session: session, id: session.tree.root, codingPath: []).decode(type)
        }
        // Weakly: what `init(from:)` has started may create state in that graph later.
        let scratch = IndependentGraph(onCreation: { [weak values] in values?.note($0) })
        // What is thrown here is thrown again below.
        scratch.run {
            detached { _ = try? decode() }
        }
        values.isLearning = false
        scratch.cancelReactions()
        return try decode()
    }
}

extension JSONDecoder: InitialValueDecoder {
    /// Decodes a value; observables that are missing have the initial values of their properties.
    package func decodeWithInitialValues<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value? {
        try InitialValues.decoded(
            type, from: JSONValue(parsing: data, limits: JSONLimits(valueCount: .max, byteCount: .max)), using: self)
    }
}

extension CreatableState {
    /// Creates state with a value that other state had, in the current graph; `nil` if that cannot be done.
    fileprivate static func made(of initial: Any) throws -> Self? {
        guard let value = initial as? Recorded else { return nil }
        if isPlain(Recorded.self) { return created(with: value) }
        // With observables of its own.
        guard let encodable = value as? any Encodable, let type = Recorded.self as? any Decodable.Type,
            let copy = try JSONValue(encoding: encodable).decoded(as: type) as? Recorded
        else { return nil }
        return created(with: copy)
    }
}
