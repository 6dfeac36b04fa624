// Computeds that throw, and computeds that read themselves.

import Reactive
import TestSupport
import Testing

private enum ParseError: Error, Equatable {
    case notANumber(String)
}

extension ReactiveTests {
    @Suite struct ThrowingComputedTests {
        private func number(_ text: String) throws -> Int {
            guard let number = Int(text) else { throw ParseError.notANumber(text) }
            return number
        }

        @Test func anErrorIsCachedAndThrownToEveryReader() throws {
            let text = Observable("x")
            var runs = 0
            let port = ThrowingComputed {
                runs += 1
                return try number(text.value)
            }
            for _ in 0..<3 { #expect(throws: ParseError.notANumber("x")) { try port.value } }
            #expect(runs == 1)
            text.value = "80"
            #expect(try port.value == 80)
            #expect(runs == 2)
            text.value = "y"
            #expect(throws: ParseError.notANumber("y")) { try port.value }
        }

        @Test func readersOfAnErrorRunAfterTheRecovery() {
            let text = Observable("1")
            let port = computed { try number(text.value) }
            var log: [String] = []
            let r = autorun { log.append((try? port.value).map { "\($0)" } ?? "error") }
            defer { r.cancel() }
            text.value = "x"
            text.value = "2"
            #expect(log == ["1", "error", "2"])
        }

        @Test func errorsPassThroughComputedsThatReadThem() throws {
            let text = Observable("x")
            let port = ThrowingComputed { try number(text.value) }
            let next = ThrowingComputed { try port.value + 1 }
            #expect(throws: ParseError.notANumber("x")) { try next.value }
            text.value = "1"
            #expect(try next.value == 2)
        }

        @Test func equalResultsStopPropagation() {
            let text = Observable("1")
            let port = ThrowingComputed { try number(text.value) }
            let r = autorun { _ = try? port.value }
            defer { r.cancel() }
            text.value = "01"
            #expect(r.runCount == 1)
        }

        @Test func aCustomEqualityRuleDecides() {
            let text = Observable("1")
            let port = ThrowingComputed(equals: .never) { try number(text.value) }
            let r = autorun { _ = try? port.value }
            defer { r.cancel() }
            text.value = "01"
            #expect(r.runCount == 2)
        }

        // MARK: - Cycles

        //  a → a
        @Test func aComputedThatReadsItselfThrowsThePath() {
            var again: (() throws -> Int)?
            let a = ThrowingComputed(named: "a") { try again!() + 1 }
            again = { try a.value }
            defer { again = nil }
            #expect(throws: CycleError.self) { try a.value }
            #expect { try a.value } throws: { ($0 as? CycleError)?.path == ["a", "a"] }
        }

        //  a → b → c → a
        @Test func aCycleThroughOthersThrowsThePath() {
            var again: (() throws -> Int)?
            let a = ThrowingComputed(named: "a") { try again!() }
            let b = ThrowingComputed(named: "b") { try a.value }
            let c = ThrowingComputed(named: "c") { try b.value }
            again = { try c.value }
            defer { again = nil }
            #expect { try a.value } throws: { ($0 as? CycleError)?.path == ["a", "c", "b", "a"] }
        }

        //  entry → a → b → a
        @Test func thePathOmitsTheNodesBeforeTheCycle() {
            var again: (() throws -> Int)?
            let a = ThrowingComputed(named: "a") { try again!() }
            let b = ThrowingComputed(named: "b") { try a.value }
            again = { try b.value }
            defer { again = nil }
            let entry = ThrowingComputed(named: "entry") { try b.value }
            #expect { try entry.value } throws: { ($0 as? CycleError)?.path == ["b", "a", "b"] }
        }

        /// first → … → third → second → first, if `isClosed`
        private func closableChain(
            isClosed: Observable<Bool>, offset: Observable<Int>
        ) throws -> (chain: [ThrowingComputed<Int>], open: () -> Void) {
            var again: (() throws -> Int)?
            let first = ThrowingComputed(named: "first") { isClosed.value ? try again!() : 1 }
            let second = ThrowingComputed(named: "second") { try first.value + 1 }
            let third = ThrowingComputed(named: "third") { offset.value > 0 ? offset.value : try second.value + 1 }
            let fourth = ThrowingComputed(named: "fourth") { try third.value + 1 }
            again = { try fourth.value }
            return ([first, second, third, fourth], { again = nil })
        }

        // The others have been computed before, so they are only validated on the path from `first` to `second`.
        @Test(arguments: [false, true])
        func thePathNamesComputedsThatAreOnlyValidated(isObserved: Bool) throws {
            let isClosed = Observable(false)
            let (chain, open) = try closableChain(isClosed: isClosed, offset: Observable(0))
            defer { open() }
            let reactions = isObserved ? chain.reversed().map { computed in autorun { _ = try? computed.value } } : []
            defer { reactions.forEach { $0.cancel() } }
            #expect(try chain[3].value == 4)
            isClosed.value = true
            for computed in chain {
                #expect { try computed.value } throws: {
                    let path = ($0 as? CycleError)?.path.dropLast() ?? []
                    return Set(path) == ["first", "second", "third", "fourth"] && path.count == 4
                }
            }
        }

        @Test(arguments: [false, true])
        func breakingACycleRecoversComputedsThatWereOnlyValidated(isObserved: Bool) throws {
            let isClosed = Observable(false)
            let offset = Observable(0)
            let (chain, open) = try closableChain(isClosed: isClosed, offset: offset)
            defer { open() }
            let reactions = isObserved ? chain.reversed().map { computed in autorun { _ = try? computed.value } } : []
            defer { reactions.forEach { $0.cancel() } }
            #expect(try chain[3].value == 4)
            isClosed.value = true
            for computed in chain { #expect(throws: CycleError.self) { try computed.value } }
            offset.value = 5
            #expect(try chain.map { try $0.value } == [6, 7, 5, 6])
        }

        // All have been computed before, so only closing the cycle could recurse.
        @Test func aLongCycleThatIsClosedAgainNeedsNoStack() throws {
            let count = isUnderSanitizer ? 5_000 : 25_000
            let isClosed = Observable(false)
            var chain: [ThrowingComputed<Int>] = []
            chain.append(ThrowingComputed { isClosed.value ? try chain[count - 1].value : 0 })
            defer { chain = [] }
            for index in 1..<count {
                chain.append(ThrowingComputed { try chain[index - 1].value + 1 })
                _ = try chain[index].value
            }
            for entry in [count - 1, 0] {
                isClosed.value = true
                #expect { try chain[entry].value } throws: { ($0 as? CycleError)?.path.count == count + 1 }
                isClosed.value = false
                #expect(try chain[entry].value == entry)
            }
        }

        // b does not throw and a does. Whichever is read after the cycle has closed, the error is thrown at a.
        @Test func aNonthrowingComputedBeforeTheCycleDoesNotStopTheProgram() throws {
            let isClosed = Observable(false)
            var again: (() -> Int)?
            let a = ThrowingComputed(named: "a") { isClosed.value ? again!() : 1 }
            let b = Computed(named: "b") { (try? a.value) ?? -1 }
            again = { b.value }
            defer { again = nil }
            #expect(b.value == 1)
            isClosed.value = true
            #expect(b.value == -1)
        }

        @Test func aCycleThatIsBrokenByDataRecovers() throws {
            let isBroken = Observable(true)
            var again: (() throws -> Int)?
            let a = ThrowingComputed(named: "a") { isBroken.value ? try again!() : 1 }
            let b = ThrowingComputed(named: "b") { try a.value + 1 }
            again = { try b.value }
            defer { again = nil }
            var log: [String] = []
            let r = autorun {
                do { log.append("\(try b.value)") } catch { log.append("\(error)") }
            }
            defer { r.cancel() }
            isBroken.value = false
            #expect(try a.value == 1)
            isBroken.value = true
            isBroken.value = false
            #expect(log == ["cycle: b → a → b", "2", "cycle: b → a → b", "2"])
        }

        //  entry → first → last → first, where `gate` closes the cycle
        @Test func everyReaderOfACycleRunsWhenItIsBroken() {
            let isClosed = Observable(true)
            let offset = Observable(0)
            let gate = Computed { isClosed.value && offset.value >= 0 }
            var again: (() throws -> Int)?
            let first = ThrowingComputed(named: "first") { gate.value ? try again!() : 1 + offset.value }
            let last = ThrowingComputed(named: "last") { try first.value * 10 }
            again = { try last.value }
            defer { again = nil }
            var log: [String] = []
            let reactions = [first, last].map { computed in
                autorun { log.append((try? computed.value).map(String.init) ?? "error") }
            }
            defer { reactions.forEach { $0.cancel() } }
            #expect(log == ["error", "error"])
            isClosed.value = false
            #expect(log.suffix(2) == ["1", "10"])
            isClosed.value = true
            #expect(log.suffix(2) == ["error", "error"])
            offset.value = -5
            #expect(log.suffix(2) == ["-4", "-40"])
        }

        @Test func aCycleKeepsNoNodeAlive() {
            let isClosed = Observable(true)
            weak var observed: ThrowingComputed<Int>?
            do {
                final class Box { weak var computed: ThrowingComputed<Int>? }
                let box = Box()
                let first = ThrowingComputed { isClosed.value ? try box.computed?.value ?? 0 : 1 }
                let last = ThrowingComputed { try first.value }
                box.computed = last
                for _ in 1...2 {
                    let reactions = [first, last].map { computed in autorun { _ = try? computed.value } }
                    isClosed.value.toggle()
                    isClosed.value.toggle()
                    reactions.forEach { $0.cancel() }
                }
                observed = last
            }
            #expect(observed == nil)
        }

        // A nonthrowing computed is on the path; the error is thrown at the throwing one.
        @Test func aNonthrowingComputedMayBePartOfTheCycle() {
            var again: (() -> Int)?
            let a = ThrowingComputed(named: "a") { again!() }
            let b = Computed(named: "b") { (try? a.value) ?? -1 }
            again = { b.value }
            defer { again = nil }
            #expect(throws: Never.self) { try a.value }
            #expect(b.value == -1)
        }
    }
}
