// The shop without a terminal: changes, derived values, and undo.

import Foundation
import ProgramSupport
import Reactive
import ReactiveAtoms
import ShopCore
import Testing

@Suite(.alone) struct ShopTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ text: String = small) async throws -> Shop {
        let shop = Shop(.file(try folder.file("catalogue.csv", text)))
        try await shop.load()
        return shop
    }

    @Test func shownProductsFollowTheFilter() async throws {
        let shop = try await open()
        func shown() throws -> [String] { try shop.store.value(shop.nodes.shown).map(\.code) }
        #expect(try shown() == ["A", "B", "C"])
        try shop.filter { $0.category = "Fruit" }
        #expect(try shown() == ["A", "B"])
        try shop.filter { $0.maximum = Money(cents: 25) }
        #expect(try shown() == ["B"])
        try shop.filter { $0.text = "CRÈ" }
        #expect(try shown() == [])
        try shop.filter { $0 = ProductFilter() }
        try shop.filter { $0.isInStock = true }
        #expect(try shown() == ["A", "B"])
        #expect(throws: ShopError.unknownCategory("fish", known: ["Fruit", "Dairy"])) {
            try shop.filter { $0.category = "fish" }
        }
        #expect(try shown() == ["A", "B"])
        try shop.filter { $0.category = "dairy" }
        #expect(try shop.store.value(shop.nodes.filter).category == "Dairy")
    }

    @Test func searchResultsFollowTheOrder() async throws {
        let shop = try await open(
            """
            code,name,category,price,stock
            A,Tea with milk,Drinks,3.00,1
            B,Green tea,Drinks,1.00,3
            TEN,Milk,Drinks,2.00,2
            """)
        func shown(_ text: String, by order: ProductOrder = .catalogue) throws -> String {
            try shop.filter { filter in
                filter.text = text
                filter.order = order
            }
            return try shop.store.value(shop.nodes.shown).map(\.code).joined(separator: " ")
        }
        // Typed, deleted, typed again.
        #expect(
            try ["", "t", "te", "tea", "tea ", "tea", "t", "te", "ten", ""].map { try shown($0) } == [
                "A B TEN", "A B TEN", "A B TEN", "A B", "A", "A B", "A B TEN", "A B TEN", "TEN", "A B TEN",
            ])
        #expect(
            try ["m", "MILK", "een", "x", "e"].map { try shown($0, by: .price) } == [
                "TEN A", "TEN A", "B", "", "B TEN A",
            ])
        #expect(
            try ProductOrder.allCases.map { try shown("e", by: $0) } == ["A B TEN", "B TEN A", "B TEN A", "B TEN A"])
        try shop.undo()
        #expect(try shop.store.value(shop.nodes.filter).order == .price)
        // No text of two columns matches.
        #expect(try shown("aTea") == "")
    }

    @Test func theBadgeHasOneDigit() async throws {
        let shop = try await open()
        var badges: [String] = []
        let observation = shop.store.observe(shop.nodes.badge, fireImmediately: true) { badges.append($0) }
        try shop.add(1, of: "A")
        try shop.add(8, of: "A")
        try shop.add(1, of: "B")
        try shop.add(1, of: "B")
        try shop.empty()
        #expect(badges == ["", "1", "9", "9+", ""])
        observation.cancel()
    }

    @Test func moneyIsWrittenThroughSelectors() async throws {
        let shop = try await open()
        let (store, nodes) = (shop.store, shop.nodes)
        try shop.spend(Money(cents: 399), on: "A")
        #expect(try store.value(nodes.pieces("A")) == 7)
        #expect(try store.value(nodes.spending("A")).cents == 350)
        #expect(try store.value(nodes.remaining) == nil)
        try shop.setRemaining(Money(cents: 100))
        #expect(try store.value(nodes.budget)?.cents == 450)
        try shop.add(3, of: "B")
        #expect(try store.value(nodes.total).cents == 425)
        #expect(try store.value(nodes.remaining)?.cents == 25)
        #expect(throws: ShopError.self) { try shop.spend(Money(cents: 49), on: "A") }
        #expect(throws: ShopError.self) { try shop.spend(Money(cents: 100), on: "B") }
        #expect(try store.value(nodes.total).cents == 425)
    }

    @Test func theStockLimitsAdditionsAndTheCartLimitsRemovals() async throws {
        let shop = try await open()
        try shop.add(2, of: "B")
        let banana = try shop.store.value(shop.nodes.product("B"))
        #expect(throws: ShopError.tooMany(banana, inCart: 2)) { try shop.add(2, of: "B") }
        #expect(throws: ShopError.tooFew("B", inCart: 2)) { try shop.remove(3, of: "B") }
        #expect(throws: ShopError.notInCart("A")) { try shop.remove(of: "A") }
        #expect(throws: ShopError.unknownProduct("Z")) { try shop.add(1, of: "Z") }
        #expect(try shop.store.value(shop.nodes.pieces("B")) == 2)
    }

    @Test func aChangeComputesOnlyItsDependents() async throws {
        let shop = try await open()
        try shop.add(1, of: "A")
        try shop.add(1, of: "B")
        var changes: [String] = []
        let observations = ["A", "B"].map { code in
            shop.store.observe(shop.nodes.line(code)) { changes.append("\($0.pieces) \(code)") }
        }
        try shop.add(1, of: "B")
        try shop.filter { $0.isInStock = true }
        #expect(changes == ["2 B"])
        observations.forEach { $0.cancel() }
    }

    @Test func changesAreUndoneAndRedone() async throws {
        let shop = try await open()
        func summary() throws -> String { try shop.store.value(shop.nodes.summary) }
        try shop.add(1, of: "A")
        try shop.add(1, of: "B")
        try shop.setBudget(Money(cents: 100))
        try shop.setBudget(Money(cents: 100))
        #expect(try summary() == "cart 2: 0.75 of 1.00, 0.25 left")
        try shop.undo()
        #expect(try summary() == "cart 2: 0.75")
        try shop.undo()
        try shop.undo()
        #expect(try summary() == "cart empty: 0.00")
        #expect(throws: ShopError.nothingTo("undo")) { try shop.undo() }
        try shop.redo()
        #expect(shop.canUndo && shop.canRedo)
        try shop.add(2, of: "A")
        #expect(throws: ShopError.nothingTo("redo")) { try shop.redo() }
        #expect(try summary() == "cart 3: 1.50")
    }

    @Test func undoDoesNotChangeTheCatalogue() async throws {
        let shop = try await open()
        try shop.add(5, of: "A")
        try folder.file("catalogue.csv", "code,name,category,price,stock\nA,Apple,Fruit,0.60,4\n")
        shop.reload()
        try await shop.load()
        #expect(try shop.store.value(shop.nodes.lines).map(\.problem) == ["only 4 in stock"])
        try shop.remove(1, of: "A")
        try shop.undo()
        #expect(try shop.store.value(shop.nodes.total).cents == 300)
        try shop.undo()
        #expect(try shop.store.value(shop.nodes.catalogue).products.map(\.price.cents) == [60])
    }

    @Test func anErrorOfReadingTheCatalogueAgainLosesNothing() async throws {
        let shop = try await open()
        try shop.add(2, of: "A")
        try FileManager.default.removeItem(atPath: folder.path("catalogue.csv"))
        shop.reload()
        await #expect(throws: CatalogueError.self) { try await shop.load() }
        try shop.add(1, of: "A")
        #expect(try shop.store.value(shop.nodes.total).cents == 150)
        try folder.file("catalogue.csv", "code,name,category,price,stock\nB,Banana,Fruit,1,1\n")
        shop.reload()
        try await shop.load()
        let lines = try shop.store.value(shop.nodes.lines)
        #expect(lines.map(\.problem) == ["not in the catalogue"])
        #expect(lines.map(\.pieces) == [3])
        try shop.remove(of: "A")
        #expect(try shop.store.value(shop.nodes.lines) == [])
    }
}
