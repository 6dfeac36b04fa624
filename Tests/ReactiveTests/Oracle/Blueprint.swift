// The parts of the oracle's random programs before anything is built: kinds of state, formulas, plans of reactions.
//
// Nodes are numbered. State comes first; then computeds and sinks (state that a reaction writes). Each of these depends
// on nodes with smaller numbers only, so no program has a cycle.

import TestSupport

/// The kind of state of a source, which decides how it is compared, logged and mutated.
enum SourceKind: CaseIterable {
    /// An integer: plain bits, compared.
    case number
    /// An integer of which every write is a change.
    case noisyNumber
    /// An array that is only assigned: owned storage, compared.
    case assignedArray
    /// An array that is only mutated in place, so that it always changes.
    case grownArray
    /// Plain bits too large for the transaction log's inline storage.
    case wide

    /// Whether equal values count as unchanged.
    var isCompared: Bool { self != .noisyNumber }
}

enum NodeKind {
    case source(SourceKind)
    case computed(Formula)
    /// State that at most one reaction writes; the formula gives the value.
    case sink(Formula)
}

/// A weighted sum, modulo a small number so that equal results are common. The nodes it reads may depend on values it
/// reads.
struct Formula {
    var selector: Int?
    var even: [Int]
    var odd: [Int]
    var modulus: Int

    init(below limit: Int, using random: inout SplitMix64) {
        selector = random.oneIn(2) ? random.below(limit) : nil
        even = (0..<(1 + random.below(3))).map { _ in random.below(limit) }
        odd = (0..<random.below(4)).map { _ in random.below(limit) }
        modulus = random.pick([2, 3, 5, 1000])
    }

    func value(_ read: (Int) -> Int) -> Int {
        var sum = 0
        var nodes = even
        if let selector {
            sum = read(selector)
            if sum % 2 != 0 { nodes = odd }
        }
        for (index, node) in nodes.enumerated() { sum += (index + 1) * read(node) }
        return sum % modulus
    }
}

/// The action of a reaction.
struct Plan {
    indirect enum Action {
        /// An autorun that logs, with the sum of some nodes that it reads untracked.
        case log(untracked: [Int])
        /// A reaction whose effect logs.
        case effect(firesImmediately: Bool)
        /// An autorun that creates another reaction in each run.
        case own(Plan)
        /// A reaction whose effect creates another reaction.
        case ownInEffect(Plan)
        /// An autorun that cancels some reaction, perhaps itself, when its value is odd.
        case cancel(offset: Int)
        /// An autorun that writes a sink.
        case write(sink: Int)
        /// A reaction whose effect writes a sink.
        case writeInEffect(sink: Int)
    }

    var formula: Formula
    var action: Action
    var cleansUp: Bool
}

/// The events that a program leaves for comparison.
enum Event: Equatable {
    case ran(Int, value: Int)
    case changed(Int, from: Int, to: Int)
    case cleanedUp(Int)

    /// The reaction whose tracked part ran, if the event shows a run.
    var runner: Int? {
        switch self {
        case .ran(let id, _), .cleanedUp(let id): id
        case .changed: nil
        }
    }
}

/// A random graph.
struct Blueprint {
    var nodes: [NodeKind] = []
    var sources: [Int] = []
    var sinks: [Int] = []

    init(sourceCount: Int, derivedCount: Int, withSinks: Bool, using random: inout SplitMix64) {
        for index in 0..<sourceCount {
            nodes.append(.source(random.pick(SourceKind.allCases)))
            sources.append(index)
        }
        for _ in 0..<derivedCount {
            let formula = Formula(below: nodes.count, using: &random)
            if withSinks, random.oneIn(4) {
                sinks.append(nodes.count)
                nodes.append(.sink(formula))
            } else {
                nodes.append(.computed(formula))
            }
        }
    }

    func kind(of source: Int) -> SourceKind {
        if case .source(let kind) = nodes[source] { return kind }
        return .number
    }

    func sinkFormula(_ sink: Int) -> Formula {
        guard case .sink(let formula) = nodes[sink] else { preconditionFailure("node \(sink) is not a sink") }
        return formula
    }

    /// A plan of a reaction that only logs.
    func plainPlan(using random: inout SplitMix64) -> Plan {
        Plan(
            formula: Formula(below: nodes.count, using: &random),
            action: random.oneIn(2) ? .log(untracked: []) : .effect(firesImmediately: random.oneIn(2)),
            cleansUp: random.oneIn(3))
    }

    /// A plan of a reaction that creates others, at most `depth` deep.
    func plan(depth: Int, using random: inout SplitMix64) -> Plan {
        let action: Plan.Action =
            switch random.below(depth > 0 ? 10 : 6) {
            case 0...2: .log(untracked: random.oneIn(3) ? [random.below(nodes.count)] : [])
            case 3...5: .effect(firesImmediately: random.oneIn(2))
            case 6: .cancel(offset: random.below(8))
            case 7, 8: .own(plan(depth: depth - 1, using: &random))
            default: .ownInEffect(plan(depth: depth - 1, using: &random))
            }
        return Plan(formula: Formula(below: nodes.count, using: &random), action: action, cleansUp: random.oneIn(3))
    }
}
