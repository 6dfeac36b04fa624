// Observers of a chain, and checks of the values they have seen.

import Reactive
import ReactiveCollections
import TestSupport

/// A chain and its observers.
final class ProgramProbe {
    let chain: Chain
    private var reactions: [Reaction] = []
    private var seen: [ProgramItem]?
    private var seenCount: Int?
    private var replayed: [ProgramItem]?
    /// The numbers of runs: of the observers of the elements and of the count, and of the calls with edits.
    private(set) var runs = (elements: 0, count: 0, edits: 0)
    private var problems: [String] = []
    private var values: [(name: String, read: () -> String, plain: (PlainState) -> String)] = []
    /// Whether it is read after each step.
    let isHot: Bool

    init(_ chain: Chain, _ live: LiveState, _ random: inout SplitMix64) {
        self.chain = chain
        isHot = random.oneIn(2)
        if random.oneIn(2) { addValues(live) }
        guard isHot else { return }
        if random.oneIn(2) { observeElements() }
        if random.oneIn(2) { observeEdits() }
        if random.oneIn(3) { observeCount() }
    }

    private func observeElements() {
        reactions.append(
            autorun(isolation: nil) { [unowned self] in
                seen = chain.view.elements
                runs.elements += 1
            })
    }

    private func observeCount() {
        reactions.append(
            autorun(isolation: nil) { [unowned self] in
                seenCount = chain.view.count
                runs.count += 1
            })
    }

    private func observeEdits() {
        replayed = chain.view.elements
        reactions.append(
            reaction(to: chain.view, isolation: nil) { [unowned self] changes in
                runs.edits += 1
                let before = replayed ?? []
                replayed?.apply(changes)
                if before.applying(changes.difference) != replayed { problems.append("difference") }
            })
    }

    private func addValues(_ live: LiveState) {
        let (view, plain) = (chain.view, chain.plain)
        func add<Value>(_ name: String, _ value: Computed<Value>, _ expected: @escaping (PlainState) -> Value) {
            values.append((name, { "\(value.value)" }, { "\(expected($0))" }))
        }
        add("sum", view.sum(isolation: nil) { live.key($0) }) { state in
            plain(state).reduce(0) { $0 + state.key($1) }
        }
        add("count(where:)", view.count(isolation: nil) { live.key($0) > 5 }) { state in
            plain(state).count { state.key($0) > 5 }
        }
        let greatest = view.max(by: { live.key($0) }, isolation: nil)
        add("max", Computed(isolation: nil) { greatest.value.map { live.key($0) } ?? -1 }) { state in
            plain(state).map { state.key($0) }.max() ?? -1
        }
        add("first(where:)", view.first(isolation: nil) { live.key($0) % 5 == 2 }) { state in
            plain(state).first { state.key($0) % 5 == 2 }
        }
        let groups = view.grouped(isolation: nil) { live.key($0) % 3 }
        values.append(
            (
                "grouped",
                {
                    let elements = groups.elements.mapValues(\.elements)
                    return (0..<3).map { "\(elements[$0] ?? [])" }.joined(separator: " ")
                },
                { state in
                    let elements = Dictionary(grouping: plain(state)) { state.key($0) % 3 }
                    return (0..<3).map { "\(elements[$0] ?? [])" }.joined(separator: " ")
                }
            ))
    }

    /// Returns the differences from the plain state. Reads everything.
    func differences(from state: PlainState) -> [String] {
        let expected = chain.plain(state)
        var differences = observedDifferences(from: state)
        if chain.view.elements != expected {
            differences.append("has \(chain.view.elements) instead of \(expected)")
        }
        if chain.view.count != expected.count { differences.append("count") }
        if let last = expected.last, chain.view[expected.count - 1] != last { differences.append("subscript") }
        for (name, read, plain) in values {
            let (value, expected) = (read(), plain(state))
            if value != expected { differences.append("\(name) is \(value) instead of \(expected)") }
        }
        return differences.map { "\(chain.name): \($0)" }
    }

    /// Returns wrong values that observers have seen outside transactions.
    func observedDifferences(from state: PlainState) -> [String] {
        let expected = chain.plain(state)
        var differences = problems
        if let seen, seen != expected { differences.append("an observer saw \(seen) instead of \(expected)") }
        if let seenCount, seenCount != expected.count { differences.append("an observer saw the count \(seenCount)") }
        if let replayed, replayed != expected { differences.append("edits gave \(replayed) instead of \(expected)") }
        return differences
    }

    /// Cancels the observers.
    func end() {
        for reaction in reactions { reaction.cancel() }
        reactions = []
    }
}
