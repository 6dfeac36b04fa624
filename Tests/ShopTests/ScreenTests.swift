// The shop on the screen: a canvas, and a real terminal with real keys.

import Foundation
import PseudoTerminal
import ShopCore
import TerminalHost
import Testing

@Suite(.alone) struct ScreenTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: - A canvas

    private func stage(_ shop: Shop) -> Stage {
        Stage(loop: EventLoop(), size: Size(columns: 80, rows: 12)) { shopScreen(shop) }
    }

    @Test func aChangeFromElsewhereIsShown() async throws {
        let shop = Shop(path: try folder.file("catalogue.csv", small))
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

    @Test func noSizeIsTooSmall() async throws {
        let shop = Shop(path: try folder.file("catalogue.csv", small))
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

    // MARK: - A terminal

    @Test func keysGoShopping() throws {
        let (catalogue, cart) = (try folder.file("catalogue.csv", small), folder.path("cart.json"))
        let graph = folder.path("graph")
        let terminal = try PseudoTerminal(shopExecutable, [catalogue, "--cart", cart, "--graph", graph])
        try terminal.wait(for: "▸ A ")
        try terminal.type("++\u{1B}[B+")
        try terminal.wait(for: "cart 3: 1.25")
        try terminal.type("+++")
        try terminal.wait(for: "only 3 of B in stock, 3 in the cart; no more can be added")
        try terminal.type("uu")
        try terminal.wait(for: "cart 3: 1.25")
        try terminal.type("U")
        try terminal.wait(for: "cart 4: 1.50")
        // While finding, all characters are text.
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

    @Test func aMissingCatalogueIsReadWhenItIsThere() throws {
        let terminal = try PseudoTerminal(shopExecutable, [folder.path("late.csv")])
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
