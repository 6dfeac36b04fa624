// Random computeds that may depend on themselves, against an evaluation that follows every read.
//
// Whether a computed has a value does not depend on where the evaluation begins, because errors pass through: it has
// none exactly if following its reads never ends. So the model needs no cache. An error must name a cycle of the present
// reads, however old the outcomes are that it passed through.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct CycleOracleTests {
        /// Values, errors, their paths and the outcomes that reactions see agree with the model, whatever is observed.
        @Test func computedsThatMayDependOnThemselvesAgreeWithTheModel() {
            for seed in seeds(400) {
                var random = SplitMix64(seed: seed)
                let world = World(&random)
                defer { world.end() }
                for step in 0..<60 {
                    let failures = world.takeStep(&random)
                    if !failures.isEmpty {
                        Issue.record("seed \(seed), step \(step): \(failures.joined(separator: "; "))")
                        return
                    }
                }
            }
        }
    }

    /// A read of a computed, in its order among those of the reader.
    private struct Term {
        enum Condition {
            case always
            /// The source is odd, or even.
            case source(Int, isOdd: Bool)
            /// The sum of the terms so far is odd.
            case oddSum
        }

        let condition: Condition
        /// A computed; `nil` reads the source of the condition.
        let computed: Int?
    }

    private enum Outcome: Equatable {
        case value(Int)
        case cycle
    }

    private final class World {
        private let sources: [Observable<Int>]
        private let terms: [[Term]]
        private var computeds: [ThrowingComputed<Int>] = []
        private var reactions: [Int: Reaction] = [:]
        private var seen: [Int: Outcome] = [:]

        init(_ random: inout SplitMix64) {
            let count = 2 + random.below(5)
            sources = (0..<3).map { Observable($0, named: "s\($0)") }
            terms = (0..<count).map { _ in
                (0..<1 + random.below(3)).map { _ in
                    let condition: Term.Condition =
                        switch random.below(6) {
                        case 0: .always
                        case 1: .oddSum
                        default: .source(random.below(3), isOdd: random.oneIn(2))
                        }
                    return Term(condition: condition, computed: random.oneIn(4) ? nil : random.below(count))
                }
            }
            computeds = (0..<count).map { number in
                ThrowingComputed(named: "\(number)") { [unowned self] in
                    try sum(of: number, source: { sources[$0].value }, computed: { try computeds[$0].value })
                }
            }
        }

        func end() {
            reactions.values.forEach { $0.cancel() }
            computeds = []
        }

        private func sum(
            of number: Int, source: (Int) -> Int, computed: (Int) throws -> Int
        ) rethrows -> Int {
            var sum = number
            for term in terms[number] {
                var value = 1
                switch term.condition {
                case .always: break
                case .oddSum: if sum.isMultiple(of: 2) { continue }
                case .source(let index, let isOdd):
                    value = source(index)
                    if value.isMultiple(of: 2) == isOdd { continue }
                }
                sum += try term.computed.map(computed) ?? value
                sum %= 1_000
            }
            return sum
        }

        // MARK: - Steps

        /// Returns what is wrong afterwards.
        func takeStep(_ random: inout SplitMix64) -> [String] {
            switch random.below(8) {
            case 0: toggleReaction(random.below(computeds.count))
            case 1:
                inTransaction {
                    for _ in 0..<3 {
                        random.pick(sources).value += random.below(3) - 1
                        if random.oneIn(2) { _ = try? random.pick(computeds).value }
                    }
                }
            case 2...4: random.pick(sources).value += 1 + random.below(2)
            default: return failures(of: random.below(computeds.count))
            }
            return reactions.keys.compactMap { number in
                let wanted = model(number).outcome
                return seen[number] == wanted ? nil : "a reaction to \(number) has not seen \(wanted)"
            }
        }

        private func toggleReaction(_ number: Int) {
            if let reaction = reactions.removeValue(forKey: number) { return reaction.cancel() }
            reactions[number] = autorun { [unowned self] in seen[number] = outcome(of: number) }
        }

        private func outcome(of number: Int) -> Outcome {
            do { return .value(try computeds[number].value) } catch { return .cycle }
        }

        private func failures(of number: Int) -> [String] {
            let wanted = model(number).outcome
            do {
                let value = try computeds[number].value
                return wanted == .value(value) ? [] : ["\(number) is \(value), and not \(wanted)"]
            } catch {
                guard wanted == .cycle, let path = (error as? CycleError)?.path.compactMap({ Int($0) }) else {
                    return ["\(number) throws \(error), and is \(wanted)"]
                }
                return failures(ofCycle: path).map { "\(number) throws \(error): \($0)" }
            }
        }

        /// Each computed on the path must be where the one before it ends.
        private func failures(ofCycle path: [Int]) -> [String] {
            var failures: [String] = []
            if path.count < 2 || path.first != path.last { failures.append("that is no cycle") }
            if Set(path).count != path.count - 1 { failures.append("it names a computed twice") }
            for (reader, read) in zip(path, path.dropFirst()) where model(reader).lastRead != read {
                failures.append("\(reader) does not end with \(read)")
            }
            return failures
        }

        // MARK: - The model

        private struct EndlessReads: Error {}

        /// The outcome of a computed, and the read that has none if it has none itself.
        private func model(_ number: Int) -> (outcome: Outcome, lastRead: Int?) {
            var lastRead: Int?
            do {
                let values = sources.map { source in untracked { source.value } }
                return (.value(try model(number, [], values, &lastRead)), nil)
            } catch {
                return (.cycle, lastRead)
            }
        }

        private func model(
            _ number: Int, _ readers: Set<Int>, _ values: [Int], _ lastRead: inout Int?
        ) throws -> Int {
            if readers.contains(number) { throw EndlessReads() }
            return try sum(of: number, source: { values[$0] }) { read in
                lastRead = read
                var ignored: Int?
                return try model(read, readers.union([number]), values, &ignored)
            }
        }
    }
}
