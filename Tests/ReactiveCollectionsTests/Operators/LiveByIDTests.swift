// Plain arrays as stages.

import TestSupport
import Testing

@testable import ReactiveCollections

private struct Note: Equatable {
    var id: Int
    var title: String
}

private final class Object {
    let id: Int
    init(_ id: Int) { self.id = id }
}

private final class Label: Equatable {
    let (id, text): (Int, String)
    init(_ id: Int, _ text: String) { (self.id, self.text) = (id, text) }
    static func == (a: Label, b: Label) -> Bool { a.text == b.text }
}

extension Observable {
    fileprivate var computed: Computed<Value> { Computed(equals: .never) { self.value } }
}

extension ReactiveCollectionsTests {
    @Suite struct LiveByIDTests {
        @Test func closuresRunForElementsThatDiffer() {
            let todos = Observable([Note(id: 1, title: "a"), Note(id: 2, title: "b"), Note(id: 3, title: "c")])
            var calls: [Int] = []
            let titles = todos.live(id: \.id).map {
                calls.append($0.id)
                return $0.title
            }
            var seen: [[String]] = []
            let reaction = autorun { seen.append(titles.elements) }
            #expect(calls == [1, 2, 3])
            calls = []
            todos.value[1].title = "B"
            todos.value.append(Note(id: 4, title: "d"))
            todos.value.swapAt(0, 2)
            todos.value.remove(at: 1)
            #expect(calls == [2, 4])
            todos.value = todos.value.reversed().reversed()
            #expect(
                seen == [
                    ["a", "b", "c"], ["a", "B", "c"], ["a", "B", "c", "d"], ["c", "B", "a", "d"], ["c", "a", "d"],
                ])
            reaction.cancel()
        }

        @Test func computedsAndBindingsAreSources() {
            @Observable var todos = [Note(id: 1, title: "a"), Note(id: 2, title: "b")]
            let odd = Computed { todos.filter { $0.id % 2 == 1 } }
            let oddTitles = odd.live(id: \.id).map(\.title)
            let all = $todos.live(id: { $0.id }).count { $0.title != "" }
            #expect(oddTitles.elements == ["a"])
            #expect(all.value == 2)
            todos.insert(Note(id: 3, title: "c"), at: 0)
            #expect(oddTitles.elements == ["c", "a"])
            #expect(all.value == 3)
        }

        /// Returns whether a view takes an element with the same id for a changed one.
        private func isChange<Element>(
            _ before: Element, _ after: Element, _ view: (Observable<[Element]>) -> LiveArray<Element>
        ) -> Bool {
            let elements = Observable([before], equals: .never)
            let view = view(elements)
            let reaction = autorun { _ = view.elements }
            elements.value = [after]
            reaction.cancel()
            return reaction.runCount == 2
        }

        @Test func elementsAreComparedAsTheirTypeSays() {
            let notes: [(Observable<[Note]>) -> LiveArray<Note>] = [
                { $0.live(id: \.id) }, { $0.computed.live(id: \.id) }, { $0.projectedValue.live(id: \.id) },
            ]
            for view in notes {
                #expect(!isChange(Note(id: 1, title: "a"), Note(id: 1, title: "a"), view))
                #expect(isChange(Note(id: 1, title: "a"), Note(id: 1, title: "b"), view))
            }
            let numbers: [(Observable<[Double]>) -> LiveArray<Double>] = [
                { $0.live(id: { _ in 0 }) }, { $0.computed.live(id: { _ in 0 }) },
                { $0.projectedValue.live(id: { _ in 0 }) },
            ]
            for view in numbers {
                for number in [1.5, .nan] { #expect(!isChange(number, number, view)) }
                for (a, b) in [(1.5, 2), (1.5, .nan), (.nan, 1.5)] { #expect(isChange(a, b, view)) }
            }
            let objects: [(Observable<[Object]>) -> LiveArray<Object>] = [
                { $0.live(id: \.id) }, { $0.computed.live(id: \.id) }, { $0.projectedValue.live(id: \.id) },
            ]
            for view in objects {
                let object = Object(1)
                #expect(!isChange(object, object, view))
                #expect(isChange(object, Object(1), view))
            }
            let labels: [(Observable<[Label]>) -> LiveArray<Label>] = [
                { $0.live(id: \.id) }, { $0.computed.live(id: \.id) }, { $0.projectedValue.live(id: \.id) },
            ]
            for view in labels {
                #expect(!isChange(Label(1, "a"), Label(1, "a"), view))
                #expect(isChange(Label(1, "a"), Label(1, "b"), view))
            }
        }

        @Test func theFirstOfDuplicatesCounts() {
            let todos = Observable([Note(id: 1, title: "a"), Note(id: 1, title: "b"), Note(id: 2, title: "c")])
            let titles = todos.live(id: \.id).map(\.title)
            let found = issues { #expect(titles.elements == ["a", "c"]) }
            #expect(found.count == 1)
            #expect(found.first?.message.contains("the id 1") == true)
            todos.value.removeFirst()
            #expect(titles.elements == ["b", "c"])
        }

        @Test func aDuplicateOnARowThatIsUsedAgainIsReported() {
            let numbers = Observable([1, 2, 3])
            let view = numbers.live(id: \.self)
            #expect(view.elements == [1, 2, 3])
            numbers.value = [1, 3]
            #expect(view.elements == [1, 3])
            numbers.value = [1, 3, 4, 4]
            let found = issues { #expect(view.elements == [1, 3, 4]) }
            #expect(found.map(\.kind) == [.misuse])
        }

        @Test func duplicatesAreReportedOnce() {
            let numbers = Observable([1, 1])
            let view = numbers.live(id: { $0 })
            #expect(issues { _ = view.count }.count == 1)
            numbers.value = [1, 2, 2]
            let found = issues { #expect(view.elements == [1, 2]) }
            #expect(found.isEmpty)
        }

        @Test func asFewElementsMoveAsPossible() {
            var random = SplitMix64(seed: 1)
            var plain = Array(0..<8)
            let numbers = Observable(plain)
            let view = numbers.live(id: { $0 })
            _ = view.count
            view.log.isFollowed = true
            for _ in 0..<40 {
                // The length of the longest increasing sequence that ends at each position.
                let places = Dictionary(uniqueKeysWithValues: plain.enumerated().map { ($1, $0) })
                plain.shuffle(using: &random)
                var lengths: [Int] = []
                for (index, number) in plain.enumerated() {
                    let before = (0..<index).filter { places[plain[$0]]! < places[number]! }.map { lengths[$0] }
                    lengths.append((before.max() ?? 0) + 1)
                }
                let cursor = view.log.log.end
                numbers.value = plain
                #expect(view.elements == plain)
                #expect(view.log.log.end - cursor == 8 - lengths.max()!)
            }
        }

        @Test func anElementThatHasLeftMayComeBack() {
            let numbers = Observable([1, 2, 3])
            let view = numbers.live(id: { $0 })
            for plain in [[1, 2, 3], [1, 3], [1, 2, 3], [4, 1], [2, 4, 3, 1]] {
                numbers.value = plain
                #expect(view.elements == plain)
            }
        }

        @Test func rowsOfElementsThatHaveLeftAreUsedAgain() {
            let numbers = Observable([0, 1, 2])
            let view = numbers.live(id: { $0 })
            for number in 3..<100 {
                numbers.value = [number - 2, number - 1, number]
                #expect(view.elements == numbers.value)
            }
            #expect(view.ordering.bound <= 4)
        }

        /// The view must not keep the array: otherwise each mutation in place would copy it.
        @Test func elementsLeaveWithTheirRows() {
            let tracker = LifetimeTracker()
            let tokens = Observable((0..<10).map { _ in tracker.token() })
            let view = tokens.live(id: { ObjectIdentifier($0) }).filter { $0.number % 2 == 0 }
            #expect(view.count == 5)
            tokens.value.removeSubrange(3..<8)
            #expect(view.count == 2)
            #expect(tracker.alive == 5)
            tokens.value = []
            #expect(view.count == 0)
            #expect(tracker.alive == 0)
        }

        @Test(arguments: seeds(40)) func equalsThePlainArray(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            var next = random.below(30)
            var plain = PlainWorld()
            plain.left = (0..<next).map { Piece(id: $0, key: 0) }
            let pieces = Observable(plain.left)
            let probes = [
                ViewProbe(pieces.live(id: \.id)) { $0.left },
                ViewProbe(pieces.live(id: \.id).filter { $0.key % 2 == 0 }) { $0.left.filter { $0.key % 2 == 0 } },
            ]
            probes[1].observe(true)
            func edit() {
                var array = plain.left
                for _ in 0..<1 + random.below(3) {
                    let index = array.isEmpty ? 0 : random.below(array.count)
                    switch random.below(7) {
                    case 0 where !array.isEmpty: array.remove(at: index)
                    case 1 where !array.isEmpty: array[index].key += 1
                    case 2 where !array.isEmpty: array.swapAt(index, random.below(array.count))
                    case 3 where !array.isEmpty:
                        array.insert(array.remove(at: index), at: random.below(array.count + 1))
                    case 4 where random.oneIn(4): array.shuffle(using: &random)
                    case 5 where random.oneIn(6): array = []
                    default:
                        next += 1
                        array.insert(Piece(id: next, key: random.below(4)), at: random.below(array.count + 1))
                    }
                }
                plain.left = array
                pieces.value = array
            }
            for step in 0..<100 {
                if random.oneIn(3) {
                    let (before, memories) = (plain, probes.map(\.memory))
                    let isRolledBack = random.oneIn(2)
                    do {
                        try inTransaction {
                            edit()
                            if random.oneIn(2) { _ = untracked { probes[0].differences(from: plain, readsLog: true) } }
                            edit()
                            if isRolledBack { throw CancellationError() }
                        }
                    } catch { plain = before }
                    for (index, memory) in memories.enumerated() { probes[index].memory = memory }
                } else {
                    edit()
                }
                var problems: [String] = []
                for probe in probes {
                    problems += probe.observerDifferences(from: plain)
                    if random.oneIn(2) { problems += probe.differences(from: plain, readsLog: true) }
                }
                guard problems.isEmpty else {
                    Issue.record("seed \(seed), step \(step): \(problems)")
                    break
                }
            }
            probes[1].observe(false)
        }
    }
}
