// The nodes of the keys of views, and the code of keys and elements, which is not tracked.

#if DEBUG
import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

/// A key whose `==` and hash read an observable. All keys have one hash.
private struct NosyKey: Hashable {
    let id: Int
    let read: @Sendable () -> Void

    static func == (a: NosyKey, b: NosyKey) -> Bool {
        a.read()
        return a.id == b.id
    }

    func hash(into hasher: inout Hasher) { read() }
}

extension ReactiveCollectionsTests {
    @Suite struct ViewKeyTests {
        @Test func readersOfAKeyDoNotDependOnWhatItsHashReads() {
            let observable = Observable(0)
            func key(_ id: Int) -> NosyKey { NosyKey(id: id) { _ = observable.value } }
            let array: ObservableArray = [1, 2, 3]
            let index = array.live.indexed { key($0) }
            let groups = array.live.grouped { key($0 % 2) }
            let doubles = index.mapValues { 2 * $0 }
            let reactions = [
                autorun { _ = index[key(2)] }, autorun { _ = doubles[key(2)] }, autorun { _ = groups[key(0)]?.count },
                autorun { _ = index[key(7)] },
            ]
            observable.value += 1
            array.append(5)
            #expect(reactions.map(\.runCount) == [1, 1, 1, 1])
            array[1] = 7
            #expect(reactions.map(\.runCount) == [2, 2, 2, 2])
            #expect(index[key(7)] == 7 && doubles[key(2)] == nil && groups[key(0)] == nil)
            reactions.forEach { $0.cancel() }
        }

        @Test func aWriterOfAnElementDoesNotDependOnWhatTheComparisonReads() {
            let observable = Observable(0)
            let elements = (0..<3).map { NosyKey(id: $0) { _ = observable.value } }
            let array = ObservableArray([elements[0]])
            let number = Observable(1)
            let reaction = autorun { array[0] = elements[number.value] }
            observable.value += 1
            #expect(reaction.runCount == 1)
            number.value = 2
            #expect(reaction.runCount == 2 && array.elements.map(\.id) == [2])
            reaction.cancel()
        }

        @Test func groupsOfKeysWithOneHashAreDifferent() {
            func key(_ id: Int) -> NosyKey { NosyKey(id: id) {} }
            let array = ObservableArray(0..<9)
            let groups = array.live.grouped { key($0 % 3) }
            let kept = (0..<4).map { groups[key($0)] }
            #expect(kept.map { $0?.elements } == [[0, 3, 6], [1, 4, 7], [2, 5, 8], nil])
            #expect((0..<3).allSatisfy { groups[key($0)] === kept[$0] })
            array.append(10)
            array[0] = 5
            #expect(kept.map { $0?.elements } == [[3, 6], [1, 4, 7, 10], [5, 2, 5, 8], nil])
            var seen: [[Int]?] = []
            let reaction = autorun { seen.append(groups[key(1)]?.elements) }
            array[1] = 3
            #expect(seen == [[1, 4, 7, 10], [4, 7, 10]])
            array.append(30)
            #expect(seen.count == 2)
            reaction.cancel()
        }

        /// The comparison of two keys creates a reader of the key that is looked up.
        @Test func aComparisonMayCreateAReaderOfTheSameKey() {
            let nested = Shared<Reaction?>(nil)
            let action = Shared<(@Sendable () -> Void)?>(nil)
            let read: @Sendable () -> Void = {
                guard let body = action.value else { return }
                action.value = nil
                body()
            }
            func key(_ id: Int) -> NosyKey { NosyKey(id: id, read: read) }
            let array: ObservableArray = [1, 2]
            let index = array.live.indexed(isolation: nil) { key($0 % 10) }
            let log = Log()
            let first = autorun { log("first \(index[key(1)] ?? 0)") }
            let second = NosyKey(id: 2, read: {})
            let reaction = autorun {
                let number = index.stage.withLock {
                    action.value = { nested.value = autorun { log("nested \(index[second] ?? 0)") } }
                    return index.readValue(second, ViewKeys.hash(of: second))
                }
                log("second \(number ?? 0)")
            }
            #expect(nested.value != nil)
            _ = log.take()
            array[1] = 12
            #expect(Set(log.take()) == ["nested 12", "second 12"])
            [first, reaction].forEach { $0.cancel() }
            nested.value?.cancel()
        }

        @Test func anUntrackedReadOfAKeyKeepsNoViewUpToDate() throws {
            let array: ObservableArray = [1, 2]
            let log = Log()
            let index = array.live.indexed { "\($0 % 10)" }
            let doubles = index.mapValues { number in
                log("double \(number)")
                return 2 * number
            }
            func grouped(_ name: String) -> LiveDictionary<Int, LiveArray<Int>> {
                array.live.grouped { number in
                    log("\(name) \(number)")
                    return number % 10
                }
            }
            let (first, second) = (grouped("first"), grouped("second"))
            let group = try #require(first[1])
            func read() { _ = (doubles["1"], doubles["7"], second[1] == nil, second[7] == nil, group.elements) }
            read()
            untracked(read)
            let reaction = autorun { untracked(read) }
            _ = log.take()
            array.append(3)
            #expect(log.take().isEmpty)
            read()
            #expect(log.take().sorted() == ["double 3", "first 3", "second 3"])
            reaction.cancel()
        }

        /// Cancelled observers leave no node.
        @Test func aViewIsNotUpdatedForAReactionThatCancelsItself() {
            let array: ObservableArray = [1, 2]
            var evaluated: [Int] = []
            let groups = array.live.grouped {
                evaluated.append($0)
                return $0 % 10
            }
            let own = Shared<Reaction?>(nil)
            let trigger = Observable(0)
            own.value = autorun {
                guard trigger.value > 0 else { return }
                _ = groups[1]?.count
                own.value?.cancel()
                _ = (groups[1]?.count, groups[2]?.elements, groups[3])
            }
            trigger.value = 1
            evaluated = []
            array.append(3)
            #expect(evaluated.isEmpty)
            #expect(groups.count == 3 && evaluated == [3])
        }
    }
}
#endif
