// Random programs of collections, observables, transactions and chains of operators, compared with the standard
// library.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private struct Refusal: Error {}

/// A random program: the state, the views and their observers.
private final class Program {
    let live = LiveState()
    var editor: Editor
    var probes: [ProgramProbe] = []
    var problems: [String] = []

    init(seed: UInt64) {
        editor = Editor(seed: seed)
        for _ in 0..<3 { addProbe() }
    }

    private func addProbe() {
        let chain = Chain.random(live, &editor.random, length: 4)
        editor.history.append("create \(chain.name)")
        probes.append(ProgramProbe(chain, live, &editor.random))
    }

    /// Makes one change, and checks everything afterwards.
    func step() {
        editor.history = editor.history.suffix(30) + ["; "]
        editor.written = []
        switch editor.random.below(20) {
        case 0:
            addProbe()
            compare()
        case 1 where probes.count > 2:
            probes.remove(at: editor.random.below(probes.count)).end()
        case 2: onThread()
        case 3...8: transact()
        default: edit()
        }
    }

    private func edit() {
        let (before, runs) = (editor.plain, closureRuns)
        let observerRuns = observerRuns
        editor.edit(live)
        checkRuns(of: observerRuns, from: before)
        compare()
        checkClosures(since: runs, from: before)
    }

    private func onThread() {
        let shared = Unchecked(self)
        // This thread waits for the other one.
        onOtherThread { shared.value.editor.edit(shared.value.live) }
        editor.history.append("on another thread")
        compare()
    }

    private func transact() {
        let (before, runs, observerRuns) = (editor.plain, closureRuns, observerRuns)
        let (fails, isUndone) = (editor.random.oneIn(3), editor.random.oneIn(4))
        let reads = editor.random.oneIn(2)
        var runsAtEnd: [Int] = []
        do {
            try inTransaction {
                nest(reads: reads, depth: 0)
                if isUndone { editor.undo(live, to: before) }
                runsAtEnd = closureRuns
                if fails { throw Refusal() }
            }
        } catch {
            editor.plain = before
            editor.history.append("roll back")
        }
        checkRuns(of: observerRuns, from: before)
        compare()
        if fails {
            checkNoClosureRan(since: runsAtEnd, "a roll-back")
        } else if !reads {
            checkClosures(since: runs, from: before)
        }
    }

    /// Edits, reads and save points inside a transaction.
    private func nest(reads: Bool, depth: Int) {
        for _ in 0..<editor.random.below(6) {
            if depth < 3, editor.random.oneIn(5) {
                let before = editor.plain
                let fails = editor.random.oneIn(2)
                do {
                    try inTransaction {
                        nest(reads: reads, depth: depth + 1)
                        if fails { throw Refusal() }
                    }
                } catch {
                    editor.plain = before
                    editor.history.append("roll back to the save point")
                }
            } else {
                editor.edit(live)
            }
            if reads, editor.random.oneIn(2), let probe = probes.randomElement(using: &editor.random) {
                editor.history.append("read")
                let expected = probe.chain.plain(editor.plain)
                let elements = untracked { probe.chain.view.elements }
                if elements != expected {
                    problems.append("\(probe.chain.name): has \(elements) instead of \(expected) in a transaction")
                }
            }
        }
    }

    // MARK: - Checks

    private var closureRuns: [Int] { hotClosures.map(\.runs) }

    private var hotClosures: [ClosureRuns] { probes.filter(\.isHot).flatMap(\.chain.closures) }

    private var observerRuns: [(elements: Int, count: Int, edits: Int)] { probes.map(\.runs) }

    /// Reads views that are not read after each step from time to time.
    private func compare() {
        for probe in probes where probe.isHot || editor.random.oneIn(8) {
            problems += untracked { probe.differences(from: editor.plain) }
        }
        #if DEBUG
        problems += live.items.graphHandle.brokenInvariants
        #endif
    }

    private func checkClosures(since runs: [Int], from before: PlainState) {
        for (closure, runs) in zip(hotClosures, runs) {
            let limit = closure.limit(from: before, to: editor.plain, written: editor.written)
            if closure.runs - runs > limit {
                problems.append("\(closure.name) ran \(closure.runs - runs) times instead of \(limit)")
            }
        }
    }

    private func checkNoClosureRan(since runs: [Int], _ what: String) {
        for (closure, runs) in zip(hotClosures, runs) where closure.runs > runs {
            problems.append("\(closure.name) ran \(closure.runs - runs) times for \(what)")
        }
    }

    /// Observers run once at most, and not at all without a net effect.
    private func checkRuns(of runs: [(elements: Int, count: Int, edits: Int)], from before: PlainState) {
        let limit = before == editor.plain ? 0 : 1
        for (probe, old) in zip(probes, runs) where probe.isHot {
            let now = probe.runs
            if now.elements - old.elements > limit { problems.append("\(probe.chain.name): observer of elements ran") }
            if now.count - old.count > limit { problems.append("\(probe.chain.name): observer of the count ran") }
            if now.edits - old.edits > limit { problems.append("\(probe.chain.name): edits were delivered") }
        }
    }

    func end() {
        probes.forEach { $0.end() }
        probes = []
    }
}

extension ReactiveCollectionsTests {
    @Suite struct CollectionOracleTests {
        @Test(arguments: seeds(100)) func chainsAgreeWithPlainOperators(seed: UInt64) {
            let program = Program(seed: seed)
            for step in 0..<60 {
                program.step()
                guard program.problems.isEmpty else {
                    Issue.record(
                        """
                        seed \(seed), step \(step): \(program.problems.prefix(3).joined(separator: "\n"))
                        after \(program.editor.history.joined(separator: ", "))
                        """)
                    break
                }
            }
            program.end()
        }

        /// In one change, the only other element of a group leaves, and one that stays has moved.
        @Test func aGroupKeepsAnElementThatMovesWhileOthersLeave() {
            let array: ObservableArray = [1, 11, 2, 3]
            let pairs = ObservableArray([5]).live.joined(
                with: array.live, on: { $0 % 10 }, equals: { $0 % 10 }, isolation: nil)
            #expect(pairs.count == 0)
            inTransaction {
                array.move(from: 0, to: 3)
                array.remove(at: 0)
            }
            #expect(pairs.count == 0)
            array.append(5)
            #expect(pairs.elements.map(\.1) == [5])
        }

        /// Several threads write in transactions, some of which fail, while others read and observers follow.
        @Test(arguments: seeds(20)) func chainsAgreeAfterManyThreads(seed: UInt64) {
            let live = LiveState()
            var random = SplitMix64(seed: seed)
            let probes = (0..<4).map { _ in
                ProgramProbe(Chain.random(live, &random, length: 4), live, &random)
            }
            onThreads(3) { thread in
                var random = SplitMix64(seed: seed &* 31 &+ UInt64(thread))
                for round in 0..<30 {
                    try? inTransaction {
                        var editor = Editor(seed: random.next())
                        editor.plain = live.plain
                        editor.startIDs(at: 1 + (thread * 30 + round) * 900)
                        for _ in 0..<random.below(4) { editor.edit(live) }
                        if random.oneIn(4) { throw Refusal() }
                    }
                }
            }
            let plain = live.plain
            let problems = probes.flatMap { $0.differences(from: plain) }
            #expect(problems.isEmpty, "seed \(seed)")
            probes.forEach { $0.end() }
        }
    }
}
