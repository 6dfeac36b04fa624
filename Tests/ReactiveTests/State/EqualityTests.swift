// Which writes count as changes.

import Reactive
import Testing

private final class Plain {}

private final class Coin: Equatable {
    let cents: Int
    init(_ cents: Int) { self.cents = cents }
    static func == (a: Coin, b: Coin) -> Bool { a.cents == b.cents }
}

private struct User {
    var id: Int
    var name: String
}

/// The compiler does not synthesise `==` and `hash(into:)` of types with observable properties; see *Questions*.
private struct Point: Hashable {
    @Observable var x = 0
    @Observable var y = 0

    static func == (first: Point, second: Point) -> Bool { first.x == second.x && first.y == second.y }

    func hash(into hasher: inout Hasher) {
        hasher.combine(x)
        hasher.combine(y)
    }
}

private protocol Shape {}
private struct Circle: Shape {}

extension ReactiveTests {
    @Suite struct EqualityTests {
        /// The number of runs of an autorun that reads `x` for these writes, without its first run.
        private func runs<Value>(of x: Observable<Value>, for writes: [Value]) -> Int {
            let r = autorun { _ = x.value }
            defer { r.cancel() }
            for value in writes { x.value = value }
            return r.runCount - 1
        }

        @Test func equatableValuesAreCompared() {
            #expect(runs(of: Observable(1), for: [1, 1, 2, 2, 1]) == 2)
            #expect(runs(of: Observable("a"), for: ["a", "b", "b"]) == 1)
            #expect(runs(of: Observable([1, 2]), for: [[1, 2], [1], [1]]) == 1)
        }

        @Test func optionalEquatableValuesAreCompared() {
            #expect(runs(of: Observable(Int?.none), for: [nil, 1, 1, nil]) == 2)
        }

        @Test func notANumberEqualsItself() {
            #expect(runs(of: Observable(Double.nan), for: [.nan, .nan, 1, .nan, .nan]) == 2)
            #expect(runs(of: Observable(Float(0)), for: [-0.0, .nan, .nan]) == 1)
            #expect(runs(of: Observable(1.5, equals: .equatable), for: [1.5, 2, 2, .nan, .nan, 1]) == 3)
        }

        /// The number of runs as in `runs(of:for:)`, where only the caller knows the type.
        private func runsOfAny<Value>(_ writes: Value...) -> Int {
            runs(of: Observable(writes[0], equals: .automatic), for: Array(writes.dropFirst()))
        }

        @Test func theRuleOfATypeIsFoundAtRunTime() {
            let a = Plain(), b = Plain()
            #expect(runsOfAny(1, 1, 2, 2) == 1 && runsOfAny("a", "a", "b") == 1 && runsOfAny(true, true, false) == 1)
            #expect(runsOfAny(1.5, 1.5, .nan, .nan, 2) == 2 && runsOfAny(Float(1), 1, .nan, .nan, 2) == 2)
            #expect(runsOfAny(a, a, b) == 1 && runsOfAny(Coin(5), Coin(5), Coin(10)) == 1)
            #expect(runsOfAny(Plain?.some(a), a) == 1 && runsOfAny(Int?.some(1), 1, nil) == 1)
            #expect(runsOfAny(Circle(), Circle()) == 1)
        }

        @Test func objectsAreComparedByIdentity() {
            let a = Plain(), b = Plain()
            #expect(runs(of: Observable(a), for: [a, b, b, a]) == 2)
            let coin = Coin(5)
            #expect(runs(of: Observable(coin, equals: .identity), for: [coin, coin, Coin(5)]) == 1)
        }

        @Test func anObjectThatATransactionPutsBackHasNotChanged() {
            let a = Plain(), b = Plain()
            let x = Observable(a)
            let r = autorun { _ = x.value }
            defer { r.cancel() }
            inTransaction {
                x.value = b
                x.value = a
            }
            #expect(r.runCount == 1)
            inTransaction {
                x.value = a
                x.value = b
            }
            #expect(r.runCount == 2)
        }

        @Test func equatableObjectsAreComparedByTheirOwnRule() {
            #expect(runs(of: Observable(Coin(5)), for: [Coin(5), Coin(10), Coin(10)]) == 1)
        }

        @Test func valuesThatCannotBeComparedAlwaysNotify() {
            let user = User(id: 1, name: "Ann")
            #expect(runs(of: Observable(user), for: [user, user]) == 2)
            #expect(runs(of: Observable(Circle() as any Shape), for: [Circle()]) == 1)
            #expect(runs(of: Observable({ 1 }), for: [{ 1 }]) == 1)
        }

        @Test func aCustomEqualityRuleDecides() {
            @Observable(equals: { $0.id == $1.id }) var user = User(id: 1, name: "Ann")
            var log: [String] = []
            let r = autorun { log.append(user.name) }
            defer { r.cancel() }
            user = User(id: 1, name: "Anna")
            #expect(user.name == "Ann", "a value that counts as the same is not stored")
            user = User(id: 2, name: "Bob")
            #expect(log == ["Ann", "Bob"])
        }

        @Test func neverNotifiesForEveryWrite() {
            #expect(runs(of: Observable(1, equals: .never), for: [1, 1, 2]) == 3)
            @Observable(equals: .never) var x = 1
            let r = autorun { _ = x }
            defer { r.cancel() }
            x = 1
            #expect(r.runCount == 2)
        }

        // MARK: - Types with observable properties

        @Test func aWrittenEqualityComparesTheValuesOfObservables() {
            let (first, second) = (Point(x: 1), Point(x: 2))
            var log: [Bool] = []
            let r = autorun { log.append(first == second) }
            defer { r.cancel() }
            second.x = 1
            second.y = 3
            #expect(log == [false, true, false])
            #expect(Set([Point(x: 1), Point(x: 1), Point(x: 2)]).count == 2)
        }

        @Test func anEqualValueWithOtherObservablesIsNoChangeUnlessEachWriteIs() {
            let other = Point(x: 1)
            let compared = Observable(Point(x: 1))
            let replaced = Observable(Point(x: 1), equals: .never)
            var log: [String] = []
            let r = autorun { log.append("compared \(compared.value.x)") }
            let s = autorun { log.append("replaced \(replaced.value.x)") }
            defer { [r, s].forEach { $0.cancel() } }
            compared.value = other
            replaced.value = other
            log = []
            other.x = 2
            #expect(log == ["replaced 2"], "the first observable keeps its old value, with the observables of that")
        }

        /// A number in a unit. Its `==` reads an observable.
        private struct Measure: Equatable {
            let number: Int
            let unit: Observable<Int>

            static func == (a: Measure, b: Measure) -> Bool {
                a.number * a.unit.value == b.number * b.unit.value
            }
        }

        @Test func whatAComparisonReadsIsNoDependency() {
            let (x, unit) = (Observable(1), Observable(1))
            let written = Observable(Measure(number: 0, unit: unit))
            var evaluations = 0
            let measure = Computed {
                evaluations += 1
                return Measure(number: x.value, unit: unit)
            }
            let reader = autorun { _ = measure.value }
            let writer = autorun { written.value = Measure(number: x.value, unit: unit) }
            defer { [reader, writer].forEach { $0.cancel() } }
            x.value = 2
            let counts = (evaluations, reader.runCount, writer.runCount)
            unit.value = 2
            #expect((evaluations, reader.runCount, writer.runCount) == counts)
        }

        // MARK: - Computeds

        /// The number of runs of an autorun that reads `c` while `x` counts from 0 to 4.
        private func runs<Value>(of make: (Observable<Int>) -> Computed<Value>) -> Int {
            let x = Observable(0)
            let c = make(x)
            let r = autorun { _ = c.value }
            defer { r.cancel() }
            for value in 1...4 { x.value = value }
            return r.runCount - 1
        }

        @Test func computedsFollowTheSameRules() {
            let plain = Plain()
            #expect(runs { x in Computed { x.value / 2 } } == 2)
            #expect(runs { x in Computed { x.value > 2 ? Double.nan : .nan } } == 0)
            #expect(runs { x in Computed { Double(x.value / 2) } } == 2)
            #expect(runs { x in Computed { x.value % 2 == 0 ? Double.nan : 1 } } == 4)
            #expect(runs { x in Computed { () -> Plain in x.value < 0 ? Plain() : plain } } == 0)
            #expect(runs { x in Computed { Coin(x.value / 3) } } == 1)
            #expect(runs { x in Computed { User(id: x.value * 0, name: "") } } == 4)
            #expect(runs { x in Computed(equals: { $0.id == $1.id }) { User(id: x.value / 4, name: "") } } == 1)
            #expect(runs { x in Computed(equals: .never) { x.value * 0 } } == 4)
            #expect(runs { x in computed { x.value / 2 } } == 2)
            #expect(runs { x in computed(equals: .never) { x.value * 0 } } == 4)
        }

        @Test func anEqualResultDoesNotReplaceTheOneBefore() {
            let x = Observable(0)
            let coin = Computed { Coin(x.value / 3) }
            let first = coin.value
            x.value = 1
            #expect(coin.value === first)
            inTransaction {
                x.value = 2
                #expect(coin.value === first)
            }
            let r = autorun { _ = coin.value }
            defer { r.cancel() }
            x.value = 0
            #expect(coin.value === first)
            x.value = 3
            #expect(coin.value.cents == 1)
        }

        // MARK: - Reactions

        @Test func reactionsFollowTheSameRules() {
            let x = Observable(0)
            var log: [String] = []
            let plain = Plain()
            let reactions = [
                reaction {
                    x.value / 2
                } onChange: {
                    log.append("half \($0)")
                },
                reaction {
                    x.value > 2 ? Double.nan : .nan
                } onChange: { _ in
                    log.append("nan")
                },
                reaction { () -> Plain in
                    x.value < 0 ? Plain() : plain
                } onChange: { _ in
                    log.append("object")
                },
                reaction {
                    Coin(x.value / 2)
                } onChange: {
                    log.append("coin \($0.cents)")
                },
                reaction {
                    User(id: x.value * 0, name: "")
                } onChange: { _ in
                    log.append("user")
                },
                reaction(equals: .never) {
                    x.value * 0
                } onChange: { _ in
                    log.append("never")
                },
                reaction(equals: { $0.id == $1.id }) {
                    User(id: x.value / 2, name: "")
                } onChange: {
                    log.append("id \($0.id)")
                },
            ]
            defer { reactions.forEach { $0.cancel() } }
            x.value = 1
            #expect(log == ["user", "never"])
            log = []
            x.value = 2
            #expect(log == ["half 1", "coin 1", "user", "never", "id 1"])
        }

        @Test func aComparisonSubscribesNobody() {
            let threshold = Observable(10)
            let x = Observable(0, equals: { abs($0 - $1) < threshold.value })
            var runs = 0
            let writer = autorun {
                runs += 1
                x.value = 5
            }
            defer { writer.cancel() }
            threshold.value = 1
            #expect(runs == 1)
        }
    }
}
