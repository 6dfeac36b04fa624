// A model with all kinds of state: scalars, text, a plain array, a dictionary, and arrays with identities inside
// arrays.

import Reactive
import ReactiveCollections

/// The model of the tests.
package struct SharedBoard: Codable, Sendable {
    @Observable package var title = ""
    @Observable package var note = ""
    @Observable package var tags: [String] = []
    package let votes: ObservableDictionary<String, Int>
    package let columns: ObservableArray<Column>

    package struct Column: Codable, Sendable, Identifiable {
        package let id: String
        @Observable package var title: String
        package let cards: ObservableArray<Card>

        package init(id: String, title: String = "", cards: [Card] = []) {
            self.id = id
            _title = Observable(wrappedValue: title)
            self.cards = ObservableArray(cards)
        }
    }

    package struct Card: Codable, Sendable, Identifiable {
        package let id: Int
        @Observable package var title: String
        @Observable package var isDone: Bool

        package init(id: Int, title: String = "", isDone: Bool = false) {
            self.id = id
            _title = Observable(wrappedValue: title)
            _isDone = Observable(wrappedValue: isDone)
        }
    }

    package init(columns: [Column] = []) {
        votes = [:]
        self.columns = ObservableArray(columns)
    }

    /// A board with some content.
    package static func sample(columnCount: Int = 3, cardCount: Int = 4) -> SharedBoard {
        SharedBoard(
            columns: (0..<columnCount).map { column in
                Column(
                    id: "c\(column)", title: "Column \(column)",
                    cards: (0..<cardCount).map { Card(id: column * cardCount + $0, title: "Card") })
            })
    }

    /// The settings with which it is shared: its note is a text.
    package static var texts: [String] { ["/note"] }
}

extension SharedBoard {
    /// Makes a random change in one transaction.
    package func changeAtRandom(using random: inout some RandomNumberGenerator) {
        inTransaction {
            for _ in 0..<Int.random(in: 1...3, using: &random) { changeOnce(&random) }
        }
    }

    private func changeOnce(_ random: inout some RandomNumberGenerator) {
        let number = Int.random(in: 0..<1_000_000_000, using: &random)
        let column = columns.randomElement(using: &random)
        switch Int.random(in: 0..<14, using: &random) {
        case 0: title = "Title \(number)"
        case 1:
            var words = note.split(separator: " ").map(String.init)
            words.insert("w\(number % 100)", at: Int.random(in: 0...words.count, using: &random))
            if words.count > 12 { words.remove(at: Int.random(in: 0..<words.count, using: &random)) }
            note = words.joined(separator: " ")
        case 2: tags.insert("t\(number % 20)", at: Int.random(in: 0...tags.count, using: &random))
        case 3: if !tags.isEmpty { tags.remove(at: Int.random(in: 0..<tags.count, using: &random)) }
        case 4: votes["k\(number % 8)"] = number
        case 5: votes["k\(number % 8)"] = nil
        case 6:
            let column = Column(id: "c\(number)")
            columns.insert(column, at: Int.random(in: 0...columns.count, using: &random))
        case 7: if columns.count > 2 { columns.remove(at: Int.random(in: 0..<columns.count, using: &random)) }
        case 8: column?.title = "Column \(number)"
        case 9, 10:
            if let column {
                column.cards.insert(Card(id: number), at: Int.random(in: 0...column.cards.count, using: &random))
            }
        case 11:
            if let column, !column.cards.isEmpty {
                column.cards.remove(at: Int.random(in: 0..<column.cards.count, using: &random))
            }
        case 12: column?.cards.randomElement(using: &random)?.title = "Card \(number)"
        default:
            // Moves a card, perhaps to a different column.
            if let column, !column.cards.isEmpty, let target = columns.randomElement(using: &random) {
                let card = column.cards.remove(at: Int.random(in: 0..<column.cards.count, using: &random))
                target.cards.insert(card, at: Int.random(in: 0...target.cards.count, using: &random))
            }
        }
    }
}
