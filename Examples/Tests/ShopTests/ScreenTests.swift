// The shop on the screen: a canvas, and a real terminal with real keys.

import Foundation
import ProgramSupport
import ShopCore
import TerminalHost
import Testing

@Suite(.alone) struct ScreenTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: - A canvas

    private func stage(_ shop: Shop, columns: Int = 80, rows: Int = 12) -> Stage {
        Stage(loop: EventLoop(), size: Size(columns: columns, rows: rows)) { shopScreen(shop) }
    }

    @Test func aChangeOfAnotherThreadIsShown() async throws {
        let shop = Shop(.file(try folder.file("catalogue.csv", small)))
        try await shop.load()
        let stage = stage(shop)
        try shop.add(12, of: "A")
        stage.loop.turn(waiting: 0)
        let text = stage.frame().lines.joined(separator: "\n")
        #expect(text.contains("▸ A          0.50   20 left 12 × Apple, red"))
        #expect(text.contains("Cart (9+)"))
        #expect(text.contains("cart 9+: 6.00"))
        stage.close()
    }

    @Test func screensOfAnySizeAreDrawn() async throws {
        let shop = Shop(.file(try folder.file("catalogue.csv", small)))
        try await shop.load()
        let stage = stage(shop)
        for columns in [0, 1, 5, 71, 72, 200] {
            for rows in [0, 1, 3, 40] {
                stage.size = Size(columns: columns, rows: rows)
                for key in [Key.down, .character("+"), .character("/"), .character("ü"), .backspace, .escape] {
                    stage.press(key)
                }
                #expect(stage.frame().lines.count == rows)
            }
        }
        stage.close()
    }

    /// Products with long names, a filter and a budget, in a cart that is too dear.
    private func fullStage(columns: Int, rows: Int) async throws -> Stage {
        let products = "T-1,\"Chamomile, whole flowers of the first harvest\",Tea,5.25,18\nT-2,Rooibos,Tea,4.10,0\n"
        let shop = Shop(.file(try folder.file("catalogue.csv", "code,name,category,price,stock\n" + products)))
        try await shop.load()
        try shop.add(12, of: "T-1")
        try shop.setBudget(Money("51.00")!)
        try shop.filter { ($0.category, $0.maximum, $0.order) = ("Tea", Money("20.00"), .price) }
        return stage(shop, columns: columns, rows: rows)
    }

    @Test func on40ColumnsAProductHasTwoLines() async throws {
        let stage = try await fullStage(columns: 40, rows: 17)
        #expect(
            stage.frame().lines == [
                "cart 9+: 63.00 of 51.00, 12.00 too much",
                "┏━ 2 products ━━━━━━━━━━━━━━━━━━━━━━━━━┓",
                "┃Tea, up to 20.00, by price            ┃",
                "┃▸ T-2     Rooibos                     ┃",
                "┃     4.10  sold out                   ┃",
                "┃  T-1     Chamomile, whole flowers of ┃",
                "┃          the first harvest           ┃",
                "┃     5.25   18 left  12 ×             ┃",
                "┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛",
                "┌─ Cart (9+) ──────────────────────────┐",
                "│  12 × T-1         63.00              │",
                "└──────────────────────────────────────┘",
                "",
                "↑↓ select  + add  - remove  x drop",
                "b budget  u undo  q quit  / find",
                "c category  s stock  o order  a all",
                "r reload",
            ])
        for key in [Key.character("b"), .character("4"), .character(","), .enter] { stage.press(key) }
        #expect(
            stage.frame().lines.suffix(6).prefix(2) == [
                "budget 4,  write an amount from 0.00 to", "           999999.99, as in 50.00",
            ])
        stage.close()
    }

    @Test func on60ColumnsAProductHasOneLine() async throws {
        let stage = try await fullStage(columns: 60, rows: 12)
        #expect(
            stage.frame().lines == [
                " Shop               cart 9+: 63.00 of 51.00, 12.00 too much",
                "┏━ 2 products: Tea, up to 20.00, by price ━━━━━━━━━━━━━━━━━┓",
                "┃▸ T-2        4.10  sold out      Rooibos                  ┃",
                "┃  T-1        5.25   18 left 12 × Chamomile, whole flowers ┃",
                "┃                                 of the first harvest     ┃",
                "┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛",
                "┌─ Cart (9+) ──────────────────────────────────────────────┐",
                "│  12 × T-1         63.00                                  │",
                "└──────────────────────────────────────────────────────────┘",
                "",
                "↑↓ select  + add  - remove  x drop  b budget  u undo  q quit",
                "/ find  c category  s stock  o order  a all  r reload",
            ])
        stage.close()
    }

    @Test func on80ColumnsTheCartIsBesideTheProducts() async throws {
        let stage = try await fullStage(columns: 80, rows: 10)
        #expect(
            stage.frame().lines == [
                " Shop                                   cart 9+: 63.00 of 51.00, 12.00 too much",
                "┏━ 2 products: Tea, up to 20.00, by price ━━━━━━━━━━━┓┌─ Cart (9+) ────────────┐",
                "┃▸ T-2        4.10  sold out      Rooibos            ┃│  12 × T-1         63.00│",
                "┃  T-1        5.25   18 left 12 × Chamomile, whole   ┃│                        │",
                "┃                                 flowers of the     ┃│                        │",
                "┃                                 first harvest      ┃│                        │",
                "┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛└────────────────────────┘",
                "",
                "↑↓ select  + add  - remove  x drop  b budget  u undo  q quit  / find  c category",
                "s stock  o order  a all  r reload",
            ])
        stage.close()
    }

    @Test func undoRestoresTheSearchTextInOneStep() async throws {
        let shop = Shop(.file(try folder.file("catalogue.csv", small)))
        try await shop.load()
        let stage = stage(shop)
        func shown() throws -> [String] { try shop.store.value(shop.nodes.shown).map(\.code) }
        func press(_ text: String) { for character in text { stage.press(.character(character)) } }
        press("++/")
        stage.press(.backspace)
        press("ba")
        stage.press(.enter)
        #expect(try shown() == ["B"])
        press("/x")
        #expect(stage.frame().lines.contains { $0.contains("no product is shown; a shows all") })
        stage.press(.escape)
        #expect(try shown() == ["A", "B", "C"])
        press("u")
        #expect(try shown() == ["B"])
        press("u")
        #expect(try shown() == ["A", "B", "C"])
        press("u")
        #expect(try shop.store.value(shop.nodes.pieces("A")) == 1)
        stage.close()
    }

    @Test func aTypedBudgetIsSetAndAnInvalidOneIsReported() async throws {
        let shop = Shop(.file(try folder.file("catalogue.csv", small)))
        try await shop.load()
        let stage = stage(shop)
        func press(_ text: String) { for character in text { stage.press(.character(character)) } }
        func screen() -> String { stage.frame().lines.joined(separator: "\n") }
        press("++b4,")
        stage.press(.enter)
        #expect(screen().contains("budget 4,  write an amount"))
        stage.press(.backspace)
        press(".5")
        stage.press(.enter)
        #expect(screen().contains("cart 2: 1.00 of 4.50, 3.50 left"))
        press("b1")
        stage.press(.escape)
        #expect(screen().contains("cart 2: 1.00 of 4.50, 3.50 left"))
        press("b")
        stage.press(.enter)
        #expect(screen().contains("cart 2: 1.00\n"))
        stage.close()
    }

    @Test func productsRemovedFromTheCatalogueCanBeDropped() async throws {
        let cart = try folder.file(
            "cart.json", #"[[{"code": "OLD", "pieces": 2}, {"code": "A", "pieces": 21}]]"#)
        let shop = Shop(.file(try folder.file("catalogue.csv", small)), cartPath: cart)
        try await shop.load()
        let stage = stage(shop)
        let lines = stage.frame().lines
        #expect(lines[2].hasSuffix("│   2 × OLD             ?│"))
        #expect(lines[3].hasSuffix("│    not in the catalogue│"))
        #expect(lines[5].hasSuffix("│    only 20 in stock    │"))
        #expect(lines[10].contains("X drop what is not in the catalogue"))
        stage.press(.character("X"))
        #expect(try shop.store.value(shop.nodes.cart).entries.map(\.code) == ["A"])
        #expect(!stage.frame().lines[10].contains("X drop"))
        stage.close()
        shop.close()
    }

    @Test func aLongListRendersOnlyNearbyRows() async throws {
        let rows = (0..<2000).map { "P-\($0),Product,All,1,1\n" }
        let shop = Shop(.file(try folder.file("long.csv", "code,name,category,price,stock\n" + rows.joined())))
        try await shop.load()
        let stage = stage(shop)
        stage.press(.end)
        #expect(stage.frame().lines.contains { $0.contains("▸ P-1999 ") })
        stage.press(.pageUp)
        #expect(stage.frame().lines.contains { $0.contains("▸ P-1989 ") })
        stage.press(.home)
        #expect(stage.frame().lines[2].contains("▸ P-0 "))
        // The graph has a fill colour for each node that has an instance in the store.
        #expect(shop.store.snapshot().generateDotGraph().components(separatedBy: "fillcolor").count < 100)
        stage.close()
    }

    // MARK: - A terminal

    @Test func keysFillTheCart() throws {
        let (catalogue, cart) = (try folder.file("catalogue.csv", small), folder.path("cart.json"))
        let graph = folder.path("graph")
        let terminal = try PseudoTerminal(executable("Shop"), [catalogue, "--cart", cart, "--graph", graph])
        try terminal.wait(for: "▸ A ")
        try terminal.type("++\u{1B}[B+")
        try terminal.wait(for: "cart 3: 1.25")
        try terminal.type("+++")
        try terminal.wait(for: "only 3 of B in stock, 3 in the cart; no more can be added")
        try terminal.type("uu")
        try terminal.wait(for: "cart 3: 1.25")
        try terminal.type("U")
        try terminal.wait(for: "cart 4: 1.50")
        // During a search, all characters are text.
        try terminal.type("/quü\u{7F}\u{7F}\u{7F}crè\r")
        try terminal.wait(for: "1 product: \"crè\"")
        try terminal.wait(for: "▸ C ")
        try terminal.type("+")
        try terminal.wait(for: "C is sold out")
        try terminal.type("ac")
        try terminal.wait(for: "2 products: Fruit")
        try terminal.type("cc")
        try terminal.wait(for: "┏━ 3 products ━")
        try terminal.type("x")
        try terminal.wait(for: "cart")
        try terminal.type("q")
        #expect(try terminal.end() == .exit(0))
        #expect(terminal.hasSettingsOfBefore)
        #expect(terminal.screen.complaints == [])
        #expect(try contents(cart).contains("\"code\" : \"A\""))
        #expect(try contents(graph + ".dot").contains("cart -> lines;"))
    }

    @Test func commandsOnANarrowTerminalWrapTheirAnswersBetweenWords() throws {
        let catalogue = try folder.file(
            "catalogue.csv",
            "code,name,category,price,stock\nT-1,\"Chamomile, whole flowers of the first harvest\",Tea,5.25,18\n")
        let terminal = try PseudoTerminal(executable("Shop"), [catalogue, "--commands"], columns: 40, rows: 60)
        try terminal.type("list\nhelp\nadd t-1 30\nquit\n")
        #expect(try terminal.end() == .exit(0))
        let text = terminal.screen.lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
        for part in [
            "T-1     Chamomile, whole flowers of the\nfirst harvest\n5.25   18 left\n",
            "find TEXT           show products with a\ntext in the name or\ncode; find alone:\nall\n",
            "only 18 of T-1 in stock; add 18 at most\n",
        ] {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test func aCartThatCannotBeReadIsReportedOnTheScreenAndAtTheEnd() throws {
        let catalogue = try folder.file("catalogue.csv", small)
        let cart = try folder.file("cart.json", "[")
        let terminal = try PseudoTerminal(executable("Shop"), [catalogue, "--cart", cart])
        try terminal.wait(for: "▸ A ")
        try terminal.wait(for: "the cart is not saved: ")
        try terminal.type("q")
        #expect(try terminal.end() == .exit(1))
        #expect(terminal.screen.lines.joined().contains("the cart is not saved: "))
        #expect(try contents(cart) == "[")
    }

    @Test func aMissingCatalogueIsReadOnceItExists() throws {
        let terminal = try PseudoTerminal(executable("Shop"), [folder.path("late.csv")])
        try terminal.wait(for: "Press r to try again.")
        try terminal.type("+")
        try terminal.wait(for: "no product is selected")
        try folder.file("late.csv", small + "D,Date,Fruit,x,1\nE,Elder,Fruit,y,1\n")
        try terminal.type("r")
        try terminal.wait(for: "▸ A ")
        try terminal.wait(for: "and 1 other row")
        try terminal.type("+")
        try terminal.wait(for: "cart 1: 0.50")
        try folder.file("late.csv", small.replacingOccurrences(of: "0.50", with: "0.65"))
        try terminal.type("r")
        try terminal.wait(for: "cart 1: 0.65")
        try terminal.type("q")
        #expect(try terminal.end() == .exit(0))
    }
}
