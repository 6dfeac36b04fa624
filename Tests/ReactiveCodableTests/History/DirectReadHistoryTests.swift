// Histories of values whose `encode(to:)` reads observables itself, instead of encoding them.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct DirectReadHistoryTests {
        /// Encodes the values of observables, which have no paths of their own then.
        final class Card: Codable {
            let title: Observable<String>
            let names: Observable<[String]>
            let ratio = Observable(0.5)
            let showsTitle = Observable(true)
            /// Read, but not encoded.
            let tags: Observable<Set<String>> = Observable([])
            let labels: Observable<[String: String]> = Observable([:])
            /// Cannot be compared, so that each write lets the card be encoded again.
            let mark = Observable(Mark())
            /// Not observed.
            var showsNames = true
            /// Not observed.
            var extra: HistoryIdentityTests.Todo?

            struct Mark {}

            init(_ title: String = "a", names: [String] = ["x"]) {
                self.title = Observable(title)
                self.names = Observable(names)
            }

            private enum CodingKeys: CodingKey { case title, names, ratio, extra }

            convenience init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                self.init(
                    try container.decodeIfPresent(String.self, forKey: .title) ?? "",
                    names: try container.decodeIfPresent([String].self, forKey: .names) ?? [])
                ratio.value = try container.decode(Double.self, forKey: .ratio)
            }

            func encode(to encoder: any Encoder) throws {
                _ = (mark.value, tags.value, labels.value)
                var container = encoder.container(keyedBy: CodingKeys.self)
                if showsTitle.value { try container.encode(title.value, forKey: .title) }
                if showsNames { try container.encode(names.value, forKey: .names) }
                try container.encode(ratio.value, forKey: .ratio)
                try container.encodeIfPresent(extra, forKey: .extra)
            }
        }

        /// Encodes observables of a card, too.
        final class Desk: Codable {
            @Observable var card: Card
            @Observable var title: Observable<String>?
            @Observable var names: Observable<[String]>?
            @Observable var count = 0
            init(_ card: Card = Card()) { _card = Observable(wrappedValue: card) }
        }

        private func patches(_ entries: [HistoryLog.Entry]) -> [String] { entries.map(\.patch.description) }

        private func replacement(_ path: String, _ value: String) -> String {
            #"[{"op":"replace","path":"\#(path)","value":\#(value)}]"#
        }

        @Test func theLogHoldsTheValuesBeforeAndAfterEachEntry() throws {
            let desk = Desk()
            let history = History(desk)
            desk.card.title.value = "b"
            desk.count = 1
            desk.card.title.value = "c"
            desk.card.title.value = "d"
            for _ in 0..<2 { try history.undo() }
            let expected = (
                done: [replacement("/card/title", #""b""#), replacement("/count", "1")],
                undone: [replacement("/card/title", #""c""#), replacement("/card/title", #""d""#)]
            )
            let log = history.log
            #expect(patches(log.done) == expected.done && patches(log.undone) == expected.undone)
            #expect(log.done[0].inverse.description == replacement("/card/title", #""a""#))
            #expect(desk.card.title.value == "b")
            history.end()
            #expect(history.log == log)
            // The entries of a log stay as they are.
            let continued = try History(desk, log: log)
            try continued.undo()
            #expect(patches(continued.log.done) == [expected.done[0]])
            #expect(patches(continued.log.undone) == [expected.done[1]] + expected.undone)
        }

        @Test func theLogIsTheSameWhenTheReactionsOfItsGraphHaveEnded() throws {
            let graph = IndependentGraph()
            let desk = graph.run { Desk() }
            let history = History(desk)
            for title in ["b", "c", "d"] { desk.card.title.value = title }
            try history.undo()
            let log = history.log
            graph.cancelReactions()
            #expect(history.log == log)
            #expect(patches(log.done) == ["b", "c"].map { replacement("/card/title", "\"\($0)\"") })
        }

        @Test func anEntryThatCannotBeEncodedEndsTheLog() throws {
            let desk = Desk()
            let history = History(desk, named: "desk")
            desk.card.ratio.value = .nan
            desk.card.ratio.value = 1
            desk.card.ratio.value = 2
            var log = HistoryLog()
            let messages = TestSupport.issues { log = history.log }.map(\.message)
            #expect(messages.count == 1 && messages[0].hasPrefix("The log of desk lacks entries"))
            #expect(patches(log.done) == [replacement("/card/ratio", "2")])
            // Without entries nothing is encoded.
            let empty = Desk()
            empty.card.ratio.value = .nan
            let emptyHistory = History(empty)
            #expect(TestSupport.issues { log = emptyHistory.log }.isEmpty && log == HistoryLog())
        }

        @Test func valuesThatAreOnlyReadNewlyAreNoEntry() {
            let desk = Desk()
            desk.card.showsNames = false
            let history = History(desk)
            desk.card.showsNames = true
            desk.card.mark.value = Card.Mark()
            #expect(history.undoCount == 0)
            desk.card.names.value.append("y")
            #expect(history.undoCount == 1)
        }

        @Test func equalCopiesOfTheValuesAreNoEntry() {
            /// Returns a new text on the heap.
            func text(_ number: Int) -> String { "a text that is on the heap: \(number)" }
            func write(_ card: Card) {
                card.title.value = text(1)
                card.names.value = [text(1), text(2)]
                card.tags.value = [text(1), text(2)]
                card.labels.value = [text(1): text(2)]
            }
            let desk = Desk()
            write(desk.card)
            let history = History(desk)
            inTransaction {
                desk.card.title.value = ""
                desk.card.names.value = []
                desk.card.tags.value = []
                desk.card.labels.value = [:]
                write(desk.card)
                desk.card.mark.value = Card.Mark()
            }
            #expect(history.undoCount == 0)
            desk.card.labels.value = [text(1): text(3)]
            #expect(history.undoCount == 1)
        }

        @Test func anObjectThatIsFoundNewlyIsNoEntry() {
            let desk = Desk()
            let history = History(desk)
            let todo = HistoryIdentityTests.Todo("tea")
            desk.card.extra = todo
            desk.card.mark.value = Card.Mark()
            #expect(history.undoCount == 0)
            todo.title = "green tea"
            #expect(history.undoCount == 1)
        }

        @Test func aValueThatWasAlwaysEncodedIsNotRestoredWhenItIsReadToo() throws {
            let desk = Desk()
            desk.title = desk.card.title
            desk.card.showsTitle.value = false
            let history = History(desk)
            desk.card.showsTitle.value = true
            try history.undo()
            history.untracked { desk.title?.value = "loaded" }
            try history.redo()
            #expect(desk.title?.value == "loaded" && desk.card.showsTitle.value)
        }

        @Test func aValueThatIsAlwaysEncodedIsNotRestoredWhenItWasReadToo() throws {
            let desk = Desk()
            desk.title = desk.card.title
            let history = History(desk)
            desk.card.showsTitle.value = false
            history.untracked { desk.title?.value = "loaded" }
            try history.undo()
            #expect(desk.title?.value == "loaded" && desk.card.showsTitle.value)
        }

        @Test func aValueThatIsReadInsteadOfEncodedIsNoValueThatLeft() throws {
            let desk = Desk()
            desk.title = desk.card.title
            desk.card.showsTitle.value = false
            let history = History(desk)
            inTransaction {
                desk.card.showsTitle.value = true
                desk.title = nil
            }
            history.untracked { desk.card.title.value = "loaded" }
            try history.undo()
            #expect(desk.title?.value == "loaded" && !desk.card.showsTitle.value)
        }

        @Test func anArrayThatIsReadAndLeavesChangesOnce() throws {
            let desk = Desk()
            desk.names = desk.card.names
            let history = History(desk)
            inTransaction {
                desk.card.names.value.append("y")
                desk.names = nil
            }
            try history.undo()
            #expect(desk.card.names.value == ["x"])
            try history.redo()
            #expect(desk.card.names.value == ["x", "y"])
        }

        @Test func aValueThatIsReadAndChangesWhileItIsEncodedNewlyIsRestored() throws {
            let desk = Desk()
            let history = History(desk)
            inTransaction {
                desk.card.title.value = "b"
                desk.title = desk.card.title
            }
            try history.undo()
            #expect(desk.card.title.value == "a" && desk.title == nil)
            try history.redo()
            #expect(desk.card.title.value == "b")
        }

        /// Encodes a view whose closure reads an observable.
        final class Shelf: Codable {
            let factor: Observable<Int>
            let numbers: ObservableArray<Int>
            let products: LiveArray<Int>

            init(_ numbers: [Int] = [1, 2]) {
                let factor = Observable(2)
                self.factor = factor
                self.numbers = ObservableArray(numbers)
                products = self.numbers.live.map { $0 * factor.value }
            }

            convenience init(from decoder: any Decoder) throws { self.init(try [Int](from: decoder)) }

            func encode(to encoder: any Encoder) throws { try products.elements.encode(to: encoder) }
        }

        @Test func whatAClosureOfAViewReadsIsRestored() throws {
            let shelf = Shelf()
            let history = History(shelf)
            shelf.factor.value = 3
            shelf.numbers.append(3)
            #expect(shelf.products.elements == [3, 6, 9])
            try history.undo()
            #expect(shelf.products.elements == [3, 6])
            try history.undo()
            #expect(shelf.products.elements == [2, 4] && shelf.factor.value == 2)
        }
    }
}
