// The initial values of observable properties that a document lacks.
//
//     struct Document: Codable {
//         @Observable var title = ""
//         @Observable var words = 0        new: missing in older documents
//     }
//
// A synthesized `init(from:)` first gives all properties their initial values. Then it replaces one after the other by
// the decoded value. So the assignment of a decoded observable releases the initial one: after the call of
// `decode(_:forKey:)` has returned, and before anything else happens. That shows which initial value belongs to which
// key:
//
//     learning   The document is decoded in a graph that reports created state. A missing member is decoded as an
//                observable with some value of its type. When the next call is made, or the next observable is created,
//                one initial observable has been released: that of the member. The decoded value is discarded.
//     decoding   The document is decoded again, in its own graph. Missing members get the learned values, with the
//                names and the comparisons of the initial observables.
//
// If the result is not certain, because no initial observable of the type was released, or several were, the member
// stays missing. If an object has members, but none that its type declares, its missing members stay missing too: it is
// an object of a different type. A value that may contain observables is encoded after learning and decoded again,
// since these observables belong to the wrong graph.

import Reactive
import ReactiveSaving

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The values of missing members. Used by one thread.
final class InitialValues {
    /// A missing member: the node of its object, and its key.
    private struct Member: Hashable {
        let object: JSONTree.ID
        let key: String
    }

    private struct Candidate {
        weak var observable: _Node?
        /// An `InitialState`.
        let initial: Any
    }

    /// A running `init(from:)`, with the observables created since it began.
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
    /// The objects that have a member that their type declares.
    private var known: Set<JSONTree.ID> = []

    // MARK: - Learning

    /// Records that an observable was created.
    fileprivate func note(_ node: _Node) {
        resolvePending()
        frames[frames.count - 1].created.append(WeakNode(node: node))
    }

    /// Runs an `init(from:)`.
    func inFrame<Result>(_ body: () throws -> Result) rethrows -> Result {
        // No test sees this always hold: it only saves frames that stay empty.
        guard isLearning else { return try body() }
        frames.append(Frame())
        defer {
            resolvePending()
            frames.removeLast()
        }
        return try body()
    }

    /// Determines which observable was replaced by the member that was decoded last.
    func resolvePending() {
        // No test sees this always hold: nothing is pending when learning has ended.
        guard isLearning, let pending = frames[frames.count - 1].pending else { return }
        frames[frames.count - 1].pending = nil
        let replaced = pending.candidates.filter { $0.observable == nil }
        if replaced.count == 1 { learned[pending.member] = replaced[0].initial }
    }

    /// Records that an existing member is decoded.
    func noteMember(of decoder: TreeDecoder) {
        // No test sees this always hold: the second decoding meets the members of the first one again.
        if isLearning { known.insert(decoder.id) }
    }

    /// Returns a value for a missing member, or `nil` if the member is required.
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
            return try (learned[member] as? InitialState<O>)?.copy()
        }
        let key = StateName(property: key) ?? decoder.stateName
        let candidates = frames[frames.count - 1].created.compactMap { entry in
            (entry.node as? O).map { Candidate(observable: $0, initial: InitialState(of: $0, under: key)) }
        }
        guard let some = candidates.first, let result = try (some.initial as? InitialState<O>)?.copy()
        else { return nil }
        // Set after the observable for the member was created: that creation is not a sign of a release.
        frames[frames.count - 1].pending = (member, candidates)
        return result
    }

    // MARK: - Decoding

    /// Decodes a document. Properties that it lacks get their initial values.
    ///
    /// - Returns: The value, or `nil` inside a transaction or a tracked closure, where initial values cannot be
    ///   learned.
    /// - Throws: `DecodingError.keyNotFound` for a member whose initial value is not certain; any error that decoding
    ///   throws.
    static func decoded<T: Decodable>(_ type: T.Type, from json: JSONValue, using decoder: JSONDecoder) throws -> T? {
        // In a transaction, the graph that reports created state could not be used.
        guard GraphHandle.held == nil else { return nil }
        let values = InitialValues()
        let session = TreeDecoding(
            tree: JSONTree(json), strategies: CodingStrategies(encoder: JSONEncoder(), decoder: decoder))
        session.initialValues = values
        func decode() throws -> T {
            try DecoderOfState.$current.withValue(.tree) { try TreeDecoder(session: session).decode(type) }
        }
        // Held weakly: code that `init(from:)` has started may create state in that graph later.
        let scratch = IndependentGraph(onCreation: { [weak values] in values?.note($0) })
        // The same error is thrown again below.
        scratch.run {
            detached { _ = try? decode() }
        }
        values.isLearning = false
        scratch.cancelReactions()
        return try decode()
    }
}

extension JSONDecoder: InitialValueDecoder {
    /// Decodes a value. Missing observables get the initial values of their properties.
    package func decodeWithInitialValues<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value? {
        try InitialValues.decoded(
            type, from: JSONValue(parsing: data, limits: JSONLimits(valueCount: .max, byteCount: .max)), using: self)
    }
}

/// The initial state of a property, without a reference to it.
private struct InitialState<O: CreatableState> {
    private let value: O.Recorded
    /// The name of the declaration, or else the key.
    private let name: StateName
    private let creator: (O.Recorded, StateName) -> O

    init(of state: O, under key: StateName) {
        value = state.value
        name = StateName(givenTo: state) ?? key
        creator = state.creator
    }

    /// Creates state with the same value, name and comparison, in the current graph. Returns `nil` if that is not
    /// possible.
    func copy() throws -> O? {
        if isPlain(O.Recorded.self) { return creator(value, name) }
        // The copy has observables of its own.
        guard let encodable = encodable(value), let type = O.Recorded.self as? any Decodable.Type,
            let copy = try JSONValue(encoding: encodable).decoded(as: type, using: JSONDecoder(), in: name)
                as? O.Recorded
        else { return nil }
        return creator(copy, name)
    }
}
