// Which state deepObserve observes.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

private struct Item: Encodable {
    @Observable var title = "a"
    @Observable var note: String?
}

private final class Box: Encodable {
    @Observable var number = 1
    let item = Item()
}

private enum Choice: Encodable {
    case none
    case one(Box)
    case pair(Item, label: Item)
}

private struct Store: Encodable {
    @Observable var items = [Item(), Item()]
    @Observable var byName: [String: Item] = ["a": Item()]
    @Observable var byNumber: [Int: Box] = [7: Box()]
    @Observable var byChoice: [Bool: Item] = [true: Item()]
    @Observable var box: Box? = Box()
    @Observable var choice = Choice.one(Box())
    @Observable var ids: Set<Int> = []
    let plain = Box()
    @Observable var hidden = 1

    enum CodingKeys: CodingKey { case items, byName, byNumber, byChoice, box, choice, ids, plain }
}

/// State with an encoded result.
private final class Sum: Encodable {
    @Observable var numbers = [1, 2]
    @Observable var other = 0
    /// Called in each computation.
    var onComputation: () -> Void = {}
    private(set) lazy var parity = Computed { [unowned self] in
        onComputation()
        return numbers.reduce(0, +) % 2
    }

    enum CodingKeys: CodingKey { case other, parity }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(other, forKey: .other)
        try container.encode(parity.value, forKey: .parity)
    }
}

/// A list of observables inside observables.
private struct Chain: Encodable {
    @Observable var rest: Chain?
    @Observable var number = 0

    init(_ number: Int, _ rest: Chain?) {
        self.rest = rest
        self.number = number
    }
}

private final class Vertex: Encodable {
    let name: String
    @Observable var next: [Vertex] = []
    @Observable var value = 0

    init(_ name: String) { self.name = name }
}

private struct Failing: Encodable {
    struct Refusal: Error {}

    @Observable var before = 1
    @Observable var after = 1

    enum CodingKeys: CodingKey { case before, after }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(_before, forKey: .before)
        throw Refusal()
    }
}

private struct Failings: Encodable {
    @Observable var all = [Failing(), Failing()]
    @Observable var last = 1
}

extension ReactiveCodableTests {
    @Suite struct DeepObserveTests {
        /// Observes `root` and returns a closure that returns the number of reports since its last call.
        private func observed<Root: Encodable>(_ root: Root) -> (Reaction, () -> Int) {
            var count = 0
            let r = deepObserve(root) { count += 1 }
            return (
                r,
                {
                    defer { count = 0 }
                    return count
                }
            )
        }

        @Test func everyEncodedObservableIsObserved() {
            let store = Store()
            let (r, count) = observed(store)
            defer { r.cancel() }
            #expect(count() == 0)
            let writes: [() -> Void] = [
                { store.items[1].title = "b" },
                { store.items[0].note = "n" },
                { store.byName["a"]?.title = "b" },
                { store.byNumber[7]?.number = 2 },
                { store.byNumber[7]?.item.title = "b" },
                { store.byChoice[true]?.title = "b" },
                { store.box?.number = 2 },
                { store.plain.number = 2 },
                { store.plain.item.note = "n" },
                { store.ids.insert(1) },
                { if case .one(let box) = store.choice { box.item.title = "b" } },
                { store.choice = .pair(Item(), label: Item()) },
                { if case .pair(let a, _) = store.choice { a.title = "b" } },
                { if case .pair(_, let b) = store.choice { b.title = "b" } },
            ]
            for (index, write) in writes.enumerated() {
                write()
                #expect(count() == 1, "write \(index)")
            }
        }

        @Test func anObservableThatIsNotEncodedIsNotObserved() {
            let store = Store()
            let (r, count) = observed(store)
            defer { r.cancel() }
            store.hidden = 2
            #expect(count() == 0)
        }

        @Test func anObservableCanBeTheRoot() {
            let root = Observable([Observable(1)])
            let (r, count) = observed(root)
            defer { r.cancel() }
            root.value[0].value = 2
            root.value.append(Observable(1))
            #expect(count() == 2)
            root.value[1].value = 2
            #expect(count() == 1)
        }

        @Test func writesOfATransactionAreOneChange() {
            let store = Store()
            let (r, count) = observed(store)
            defer { r.cancel() }
            inTransaction {
                store.items[0].title = "b"
                store.items.append(Item())
                store.box = nil
            }
            #expect(count() == 1)
        }

        @Test func equalAndRestoredValuesAreNoChange() {
            let store = Store()
            let (r, count) = observed(store)
            defer { r.cancel() }
            store.items[0].title = "a"
            inTransaction {
                store.items[0].title = "b"
                store.items[0].title = "a"
            }
            #expect(count() == 0)
        }

        @Test func aRolledBackTransactionIsNoChange() {
            struct Stop: Error {}
            let store = Store()
            let (r, count) = observed(store)
            defer { r.cancel() }
            let kept = store.items[0]
            try? inTransaction {
                store.items[0].title = "b"
                store.items = []
                store.box = nil
                throw Stop()
            }
            #expect(count() == 0)
            kept.title = "c"
            store.box?.number += 1
            #expect(count() == 2)
        }

        @Test func anObservationCreatedInARolledBackTransactionFollowsTheOldState() {
            struct Stop: Error {}
            let store = Store()
            let old = store.items[0]
            let new = Item()
            var made: (Reaction, () -> Int)?
            try? inTransaction {
                store.items = [new]
                made = observed(store)
                throw Stop()
            }
            guard let (r, count) = made else { return }
            defer { r.cancel() }
            _ = count()
            new.title = "b"
            #expect(count() == 0)
            old.title = "b"
            #expect(count() == 1)
        }

        @Test func removedObjectsAreNoLongerObservedAndAddedOnesAre() {
            let store = Store()
            let (r, count) = observed(store)
            defer { r.cancel() }
            let old = store.items[0], new = Item()
            store.items[0] = new
            #expect(count() == 1)
            old.title = "b"
            #expect(count() == 0)
            new.title = "b"
            #expect(count() == 1)
        }

        @Test func sharedPartsAreObservedUntilTheirLastPathIsGone() {
            let store = Store()
            let shared = Item()
            store.items = [shared, shared]
            store.byName = ["s": shared]
            let (r, count) = observed(store)
            defer { r.cancel() }
            shared.title = "b"
            #expect(count() == 1)
            store.items = []
            _ = count()
            shared.title = "c"
            #expect(count() == 1)
            store.byName = [:]
            _ = count()
            shared.title = "d"
            #expect(count() == 0)
        }

        @Test func cyclesAreObservedAndForgottenOnceCutOff() {
            // root → a → b → c → a
            let a = Vertex("a"), b = Vertex("b"), c = Vertex("c"), d = Vertex("d")
            a.next = [b]
            b.next = [c]
            c.next = [a]
            let root = Vertex("root")
            root.next = [a, d]
            d.next = [c]
            let (r, count) = observed(root)
            defer { r.cancel() }
            for vertex in [a, b, c, d] { vertex.value += 1 }
            #expect(count() == 4)
            // Still reached through d and c.
            root.next = [d]
            _ = count()
            for vertex in [a, b, c, d] { vertex.value += 1 }
            #expect(count() == 4)
            d.next = []
            _ = count()
            for vertex in [a, b, c] { vertex.value += 1 }
            #expect(count() == 0)
            for vertex in [a, b, c] { vertex.next = [] }
        }

        @Test func deeplyNestedObservablesNeedNoStack() {
            onOtherThread(stackSize: 512 << 10) {
                let end = Chain(0, nil)
                var chain = end
                for number in 1...deep { chain = Chain(number, chain) }
                let root = chain
                let (r, count) = observed(root)
                end.number = 1
                #expect(count() == 1)
                end.rest = Chain(-1, nil)
                #expect(count() == 1)
                root.rest = nil
                #expect(count() == 1)
                end.number = 2
                #expect(count() == 0)
                r.cancel()
            }
        }

        @Test(.alone) func aFailingEncodeToIsReportedAndTheRestObserved() {
            let issues = Shared<[Diagnostics.Issue]>([])
            Diagnostics.onIssue = { issue in issues.withLock { $0.append(issue) } }
            defer { Diagnostics.onIssue = nil }
            let root = Failings()
            let r0 = deepObserve(root, named: "deep") {}
            defer { r0.cancel() }
            #expect(issues.value.map(\.kind) == [.encoding, .encoding])
            #expect(issues.value.contains { $0.message.contains("/all/0") && $0.message.contains("deep") })
            let (r, count) = observed(root)
            defer { r.cancel() }
            root.all[1].before = 2
            root.last = 2
            #expect(count() == 2)
            root.all[1].after = 2
            #expect(count() == 0)
        }

        @Test func aCancelledObservationObservesAndKeepsNothing() {
            weak var weakBox: Box?
            let store = Store()
            var r: Reaction?
            do {
                let box = Box()
                weakBox = box
                r = deepObserve(box) { Issue.record("still observing") }
            }
            #expect(weakBox != nil)
            r?.cancel()
            #expect(weakBox == nil)
            let (r2, count) = observed(store)
            r2.cancel()
            store.items[0].title = "b"
            #expect(count() == 0)
        }

        @Test func theCauseNamesTheObservablesThatChanged() {
            let a = Observable(1, named: "a"), b = Observable(1, named: "b")
            // State that tests of other modules have left.
            let others = Diagnostics.graph()
            let r = deepObserve([a, b], named: "deep") {}
            defer { r.cancel() }
            #expect(r.lastCause == nil)
            b.value = 2
            #expect(r.lastCause?.writes == ["b"])
            #expect(r.runCount == 2)
            let graph = Diagnostics.graph()
            #expect(graph.nodes.count == others.nodes.count + 3)
            #expect(Set(graph.nodes.map(\.name)).isSuperset(of: ["deep", "a", "b"]))
            #expect(graph.edges.count == others.edges.count + 2)
        }

        @Test func theEffectMayWriteTheObservedState() {
            let a = Observable(1), total = Observable(0)
            let r = deepObserve([a, total]) { total.value = a.value * 2 }
            defer { r.cancel() }
            a.value = 5
            #expect(total.value == 10)
        }

        @Test func scheduledCallsCoalesce() {
            let a = Observable(1), b = Observable(1)
            var waiting: [@Sendable () -> Void] = []
            var count = 0
            let r = deepObserve([a, b], schedule: .custom { waiting.append($0) }) { count += 1 }
            defer { r.cancel() }
            a.value = 2
            b.value = 2
            a.value = 3
            #expect(count == 0)
            #expect(waiting.count == 1)
            waiting[0]()
            #expect(count == 1)
            a.value = 4
            #expect(waiting.count == 2)
        }

        @Test(arguments: [[2, 1], [2, 2]]) func aComputedMayCancelTheObservationWhileItIsValidated(numbers: [Int]) {
            let (sum, other) = (Sum(), Sum())
            var calls = 0
            let reaction = deepObserve([sum, other]) { calls += 1 }
            sum.onComputation = { reaction.cancel() }
            inTransaction {
                other.numbers = [4, 7]
                sum.numbers = numbers
            }
            #expect(reaction.isCancelled)
            #expect(calls == 0)
            other.numbers = [0]
            #expect(calls == 0)
        }

        @Test func anObservationCreatedInARolledBackTransactionReportsNothingOfIt() throws {
            let box = Box()
            var log: [String] = []
            var reactions: [Reaction] = []
            try? inTransaction {
                box.number = 2
                box.item.title = "b"
                reactions.append(deepObserve(box) { log.append("changed") })
                reactions.append(
                    deepObserve(box) { changes in
                        for change in changes {
                            let values = [change.oldValue, change.newValue].map {
                                (try? JSONEncoder().encode($0)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
                            }
                            log.append("\(change.pointer): \(values.joined(separator: " → "))")
                        }
                    })
                throw CancellationError()
            }
            #expect(log.isEmpty)
            box.number = 5
            #expect(log == ["changed", "/number: 1 → 5"])
            reactions.forEach { $0.cancel() }
        }
    }
}
