// All operations from several threads: writes, mutations, nested transactions that throw, reads, reactions and scopes
// that are created and cancelled, and effects that write. Invariants that hold for every interleaving are checked
// inside and afterwards.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct StressTests {
        /// The state that a stress test's threads share.
        private final class World: Sendable {
            static let cellCount = 8
            static let capital = 1_000 * cellCount

            /// Their sum never changes.
            let cells = (0..<cellCount).map { Observable(1_000, named: "cell \($0)") }
            /// Its length is `pushed`.
            let stack = Observable<[Int]>([], named: "stack")
            let pushed = Observable(0, named: "pushed")
            let tracker = LifetimeTracker()
            let object: Observable<LifetimeTracker.Token>
            let echo = Observable(0, named: "echo")
            let total: Computed<Int>
            let evenSum: Computed<Int>
            let violations = Shared<Set<String>>([])

            init() {
                object = Observable(tracker.token(), named: "object")
                let cells = cells
                let halves = stride(from: 0, to: cells.count, by: 4).map { start in
                    Computed(named: "part \(start)") { cells[start..<start + 4].reduce(0) { $0 + $1.value } }
                }
                total = Computed(named: "total") { halves.reduce(0) { $0 + $1.value } }
                // Dynamic dependencies: which cells it reads depends on their values.
                evenSum = Computed(named: "even sum") {
                    cells.reduce(0) { sum, cell in cell.value % 2 == 0 ? sum + cell.value : sum }
                }
            }

            func check(_ holds: Bool, _ what: String) {
                if !holds { violations.withLock { _ = $0.insert(what) } }
            }

            func checkAll() {
                inTransaction {
                    check(cells.reduce(0) { $0 + $1.value } == Self.capital, "sum of the cells")
                    check(total.value == Self.capital, "total")
                    check(evenSum.value == cells.map(\.value).filter { $0 % 2 == 0 }.reduce(0, +), "even sum")
                    check(stack.value.count == pushed.value, "stack")
                }
            }

            /// One random operation of one thread.
            func step(_ random: inout SplitMix64, _ bag: inout [AnyCancellable], _ name: String) {
                switch Int.random(in: 0..<12, using: &random) {
                case 0, 1: transfer(&random)
                case 2: check(total.value == Self.capital, "total read alone")
                case 3: _ = evenSum.value
                case 4:
                    inTransaction {
                        stack.value.append(pushed.value)
                        pushed.value += 1
                    }
                case 5: object.value = tracker.token()
                case 6: checkAll()
                case 7: autorun(named: name) { self.watch() }.store(in: &bag)
                case 8:
                    reaction(named: name) {
                        self.evenSum.value
                    } onChange: {
                        self.echo.value = $0
                    }.store(in: &bag)
                case 9:
                    let scope = ObserverScope(named: name) { self.object.value.number + self.pushed.value }
                    bag.append(AnyCancellable(scope))
                case 10:
                    when(named: name) {
                        self.pushed.value % 5 == 0
                    } _: {
                        self.echo.value += 1
                    }.store(in: &bag)
                default: if !bag.isEmpty { bag.remove(at: Int.random(in: 0..<bag.count, using: &random)) }
                }
                if bag.count > 12 { bag.removeAll() }
            }

            private func transfer(_ random: inout SplitMix64) {
                let (from, to) = (cells.randomElement(using: &random)!, cells.randomElement(using: &random)!)
                let amount = Int.random(in: 1...9, using: &random)
                try? inTransaction {
                    from.value -= amount
                    let fails = Bool.random(using: &random)
                    do {
                        try inTransaction {
                            to.value += amount
                            object.value = tracker.token()
                            if fails { throw CancellationError() }
                        }
                    } catch {
                        check(fails, "an unexpected error")
                        if Bool.random(using: &random) { throw error }
                        to.value += amount
                    }
                    check(total.value == Self.capital, "total in a transaction")
                }
            }

            /// The body of a random autorun: checks its values and owns another reaction.
            private func watch() {
                check(total.value == Self.capital, "total in an autorun")
                check(stack.value.count == pushed.value, "stack in an autorun")
                onCleanup { self.echo.value += 1 }
                autorun { _ = self.object.value.number }
            }
        }

        @Test(arguments: [1, 2, 3, 4] as [UInt64])
        func invariantsHoldWhateverTheThreadsDo(seed: UInt64) {
            let name = "stress \(seed)"
            let world = World()
            let latest = Shared(0)
            let follower = reaction(fireImmediately: true) {
                world.evenSum.value
            } onChange: {
                latest.value = $0
            }
            onThreads(4) { thread in
                var random = SplitMix64(seed: seed &* 1_000 &+ UInt64(thread))
                var bag: [AnyCancellable] = []
                for _ in 0..<600 { world.step(&random, &bag, name) }
            }
            world.checkAll()
            #if DEBUG
            #expect(GraphHandle.current.brokenInvariants == [], "seed \(seed)")
            #endif
            #expect(world.violations.value == [], "seed \(seed)")
            #expect(latest.value == world.evenSum.value, "seed \(seed)")
            #expect(world.tracker.alive == 1, "seed \(seed)")
            #expect(!Diagnostics.liveReactions.contains { $0.name == name }, "seed \(seed)")
            follower.cancel()
        }
    }
}
