// The whole program: transcripts, the file of the cart, the graph, arguments and exit codes.

import Foundation
import ProgramSupport
import Testing

@Suite(.alone) struct ProgramTests {
    private let folder: TemporaryFolder
    private let catalogue: String

    init() throws {
        folder = try TemporaryFolder()
        catalogue = try folder.file("catalogue.csv", small)
    }

    private func run(_ arguments: String..., input: [String] = []) throws -> PipedProgram.Outcome {
        try PipedProgram("Shop", arguments).run(input)
    }

    private func replies(to lines: String...) throws -> [String] {
        let outcome = try PipedProgram("Shop", [catalogue]).run(lines)
        #expect(outcome.errors == [] && outcome.exitCode == 0)
        return Array(outcome.output.dropFirst())
    }

    // MARK: - Commands

    @Test func theTranscriptInTheReadMeIsAccurate() throws {
        let transcript = try readMe(of: "Shop", "A session")
        #expect(transcript.contains("\n> "))
        #expect(try run("--demo").output.joined(separator: "\n") == transcript)
    }

    @Test func theGraphInTheReadMeIsAccurate() throws {
        let name = folder.path("state")
        #expect(try run("--graph", name, input: ["add tea-01"]).exitCode == 0)
        #expect(try contents(name + ".mmd") == readMe(of: "Shop", "The state", language: "mermaid") + "\n")
    }

    @Test func aChangePrintsTheDifference() throws {
        #expect(
            try replies(
                to: "list", "add a 3", "add b", "set a 1", "left 1", "remove b", "drop a", "undo", "category Dairy",
                "list",
                "empty", "empty", "cart", "# nothing", "", "categories", "quit", "list") == [
                    "A          0.50   20 left      Apple, red",
                    "B          0.25    3 left      Banana \"Cavendish\"",
                    "C          1.99  sold out      Crème",
                    "   3 × A            1.50  Apple, red", "cart 3: 1.50",
                    "   1 × B            0.25  Banana \"Cavendish\"", "cart 4: 1.75",
                    "   1 × A            0.50  Apple, red", "cart 2: 0.75",
                    "cart 2: 0.75 of 1.75, 1.00 left",
                    "B removed", "cart 1: 0.50 of 1.75, 1.25 left",
                    "A removed", "cart empty: 0.00 of 1.75, 1.75 left",
                    "   1 × A            0.50  Apple, red", "cart 1: 0.50 of 1.75, 1.25 left",
                    "1 product shown: Dairy",
                    "C          1.99  sold out      Crème",
                    "A removed", "cart empty: 0.00 of 1.75, 1.75 left",
                    "nothing has changed",
                    "cart empty: 0.00 of 1.75, 1.75 left",
                    "Fruit", "Dairy",
                ])
    }

    @Test func impossibleCommandsAreExplainedWithAlternatives() throws {
        for (line, message) in [
            ("frob", "unknown command \"frob\"; help lists the commands"),
            ("list all", "list takes no argument"),
            ("add", "the code of a product is missing; write it as in add TEA-01 3"),
            ("add z", "there is no product Z; list shows the codes"),
            ("add a x", "add needs a number of pieces from 1 to 9999, as in add TEA-01 3"),
            ("add a 99999999999999999999", "add needs a number of pieces from 1 to 9999, as in add TEA-01 3"),
            ("set a -1", "set needs a number of pieces from 0 to 9999, as in set TEA-01 3"),
            ("add a 21", "only 20 of A in stock; add 20 at most"),
            ("add c", "C is sold out; stock shows the products in stock"),
            ("remove a", "there is no A in the cart; cart shows its contents"),
            ("spend a 0.49", "a piece of A costs 0.50; spend at least that"),
            ("spend a 4,50", "write an amount from 0.00 to 999999.99, as in spend TEA-01 20.00"),
            ("budget lots", "write an amount from 0.00 to 999999.99, as in budget 50.00, or budget none"),
            ("category Fish", "there is no category \"Fish\"; the categories are Fruit, Dairy"),
            ("undo", "there is nothing to undo"), ("redo", "there is nothing to redo"),
        ] {
            #expect(try replies(to: line) == [message])
        }
        #expect(
            try replies(to: "add b 2", "add b 2", "add b", "add b").suffix(4) == [
                "only 3 of B in stock, 2 in the cart; add 1 at most", "   3 × B            0.75  Banana \"Cavendish\"",
                "cart 3: 0.75", "only 3 of B in stock, 3 in the cart; no more can be added",
            ])
    }

    @Test func theCatalogueCanBeReadAgain() throws {
        let program = try PipedProgram("Shop", [catalogue])
        try program.type("add a 2")
        #expect([0, 1, 2].map { _ in program.readLine() }.last == "cart 2: 1.00")
        try folder.file("catalogue.csv", small.replacingOccurrences(of: "0.50,20", with: "0.70,1"))
        try program.type("reload")
        #expect(program.readLine() == "3 products in the catalogue")
        #expect(program.readLine() == "   2 × A            1.40  Apple, red  (only 1 in stock)")
        #expect(program.readLine() == "cart 2: 1.40")
        try FileManager.default.removeItem(atPath: catalogue)
        let rest = try program.run(["reload", "set a 1"])
        #expect(rest.output[0].hasSuffix(" cannot be read: there is no such file; check the path"))
        #expect(
            rest.output.dropFirst() == [
                "the previous catalogue stays in use", "   1 × A            0.70  Apple, red", "cart 1: 0.70",
            ])
        #expect(rest.exitCode == 0)
    }

    // MARK: - The cart on disk

    @Test func theCartIsRestoredAfterARestart() throws {
        let cart = folder.path("cart.json")
        #expect(try run(catalogue, "--cart", cart, input: ["add b", "add a 2", "undo", "redo"]).exitCode == 0)
        #expect(
            try run(catalogue, "--cart", cart, input: ["empty"]).output == [
                "3 products in the catalogue", "   1 × B            0.25  Banana \"Cavendish\"",
                "   2 × A            1.00  Apple, red", "cart 3: 1.25", "B removed", "A removed",
                "cart empty: 0.00",
            ])
        #expect(try run(catalogue, "--cart", cart).output == ["3 products in the catalogue"])
    }

    @Test func theCartSurvivesAPowerFailure() throws {
        let cart = folder.path("cart.json")
        let program = try PipedProgram("Shop", [catalogue, "--cart", cart])
        #expect(program.readLine() == "3 products in the catalogue")
        try program.type("add a 3")
        _ = (program.readLine(), program.readLine())
        // Saving happens in the background: types commands until it has ended.
        for _ in 0..<100_000 {
            if (try? contents(cart).contains("\"pieces\" : 3")) == true { break }
            try program.type("redo")
            _ = program.readLine()
        }
        for number in 0..<20 { try program.type(number % 2 == 0 ? "add b" : "remove b") }
        program.kill()
        let output = try run(catalogue, "--cart", cart).output
        #expect(output[1] == "   3 × A            1.50  Apple, red")
        #expect(output.last == "cart 3: 1.50" || output.last == "cart 4: 1.75")
    }

    @Test func aBrokenCartIsReportedAndKept() throws {
        for text in [
            "[", "{}", "[[{\"code\": \"A\", \"pieces\": 0}]]",
            "[[{\"code\": \"A\", \"pieces\": 99999999999999999999}]]",
            "[[{\"code\": \"A\", \"pieces\": 1}, {\"code\": \"A\", \"pieces\": 1}]]",
        ] {
            let cart = try folder.file("cart.json", text)
            let outcome = try run(catalogue, "--cart", cart, input: ["add a"])
            #expect(outcome.exitCode == 1)
            #expect(outcome.output[1].hasPrefix("the cart is not saved: \(cart) could not be loaded: "))
            #expect(outcome.output.last == "cart 1: 0.50")
            #expect(try contents(cart) == text)
        }
    }

    @Test func aCartThatCannotBeSavedIsReported() throws {
        let cart = folder.path("none/cart.json")
        let outcome = try run(catalogue, "--cart", cart, input: ["add a"])
        #expect(outcome.exitCode == 1)
        #expect((outcome.output + outcome.errors).contains { $0.hasPrefix("the cart is not saved: \(cart) could not") })
    }

    @Test func productsRemovedFromTheCatalogueStayInTheCart() throws {
        let cart = try folder.file("cart.json", "[[{\"code\": \"OLD\", \"pieces\": 2}]]")
        #expect(
            try run(catalogue, "--cart", cart, input: ["add old", "drop old"]).output == [
                "3 products in the catalogue", "   2 × OLD             ?  (not in the catalogue)", "cart 2: 0.00",
                "there is no product OLD; list shows the codes", "OLD removed", "cart empty: 0.00",
            ])
    }

    // MARK: - Hostile input

    @Test func invalidUTF8IsReported() throws {
        let path = folder.path("latin.csv")
        let row: [UInt8] = Array("D,Cr".utf8) + [0xE8] + Array("me,Dairy,1,1\n".utf8)
        try Data(Array(small.utf8) + row).write(to: URL(fileURLWithPath: path))
        let outcome = try run(path)
        #expect(outcome.exitCode == 1)
        let message = "is not a catalogue: 5:3: this field is not UTF-8; save the file in that encoding"
        #expect(outcome.errors.map { $0.suffix(message.count) } == [message[...]])

        let program = try PipedProgram("Shop", [catalogue])
        try program.input.fileHandleForWriting.write(contentsOf: Data([0xFF, 0x00, 0x1B, UInt8(ascii: "\n")]))
        let replies = try program.run(["add a \u{7}", "find \u{1B}[2J", "add \u{202E}", "add a"]).output.dropFirst()
        #expect(replies.first == "unknown command \"\u{FFFD}··\"; help lists the commands")
        #expect(replies.last == "cart 1: 0.50")
        #expect(!replies.contains { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } })
    }

    @Test func theLargestCartIsAddedUpToTheCent() throws {
        let codes = (0..<1000).map { "M-\($0)" }
        let rows = codes.map { "\($0),Most,All,999999.99,9999\n" }
        let path = try folder.file("most.csv", "code,name,category,price,stock\n" + rows.joined())
        let entries = codes.map { "{\"code\": \"\($0)\", \"pieces\": 9999}" }
        let cart = try folder.file("cart.json", "[[\(entries.joined(separator: ","))]]")
        let output = try run(path, "--cart", cart, input: ["left 999999.99", "add m-1", "set m-1 10000"]).output
        #expect(output.count == 1005)
        #expect(
            Array(output.dropFirst(1001)) == [
                "cart 9+: 9998999900010.00",
                "cart 9+: 9998999900010.00 of 9999000900009.99, 999999.99 left",
                "only 9999 of M-1 in stock, 9999 in the cart; no more can be added",
                "set needs a number of pieces from 0 to 9999, as in set TEA-01 3",
            ])
    }

    @Test func aLongCartWorksLikeAnyOther() throws {
        let entries = (0..<5000).map { "{\"code\": \"X-\($0)\", \"pieces\": 1}" }
        let cart = try folder.file("cart.json", "[[\(entries.joined(separator: ","))]]")
        let output = try run(catalogue, "--cart", cart, input: ["add a", "empty"]).output
        #expect(output.count == 1 + 5000 + 1 + 2 + 5001 + 1)
        #expect(output.last == "cart empty: 0.00")
    }

    // MARK: - The graph

    @Test func theGraphIsWrittenForGraphvizAndMermaid() throws {
        let name = folder.path("graph")
        #expect(try run(catalogue, "--graph", name + ".dot", input: ["add a", "budget 5"]).exitCode == 0)
        let dot = try contents(name + ".dot")
        for line in [
            "digraph Store {", "cart [fillcolor=\"gold\"];", "file [fillcolor=\"gold\"];", "file -> catalogue;",
            "catalogue -> \"product(A)\";", "\"product(A)\" -> \"line(A)\";", "\"line(A)\" -> lines;",
            "lines -> total;", "count -> badge;", "total -> remaining;", "budget -> remaining;",
            // These have not been computed.
            "catalogue -> categories;", "filter -> shown;", "\"pieces(A)\" -> \"spending(A)\";",
        ] {
            #expect(dot.contains(line + "\n"), "\(line)")
        }
        let mermaid = try contents(name + ".mmd")
        #expect(mermaid.hasPrefix("flowchart LR\n  n0[\"badge\"]\n  n1([\"budget\"])\n  n2([\"cart\"])\n"))
        let outcome = try run(catalogue, "--graph", folder.path("none/graph"))
        #expect(outcome.exitCode == 1)
        #expect(outcome.errors.first?.hasPrefix("the graph could not be written to ") == true)
        #expect(outcome.errors.first?.hasSuffix(".dot: there is no such folder; create it first") == true)
    }

    // MARK: - Arguments

    @Test func brokenRowsAreReportedAndAMissingCatalogueEndsTheProgram() throws {
        let path = try folder.file("broken.csv", small + "D,Date,Fruit,none,1\n")
        #expect(
            try run(path).output == [
                "3 products in the catalogue",
                "line 5: the price \"none\" is not an amount from 0.01 to 999999.99; write it as in 4.50",
            ])
        let outcome = try run("none.csv")
        #expect(outcome.exitCode == 1)
        #expect(outcome.output == [])
        #expect(outcome.errors == ["none.csv cannot be read: there is no such file; check the path"])
    }

    @Test func invalidArgumentsAreExplained() throws {
        for (arguments, message) in [
            (["--crat"], "unknown option --crat"),
            (["a.csv", "b.csv"], "only one catalogue can be named, not a.csv and b.csv"),
            (["--cart"], "--cart needs the name of a file"),
            (["--graph", "--demo"], "--graph needs the name of a file"),
            (["--graph", "graphs/"], "--graph needs the name of a file, not of a folder"),
            (["--demo", "--screen"], "--screen, --commands and --demo exclude each other"),
            (["--demo", "a.csv"], "--demo cannot be combined with a catalogue or --cart"),
        ] {
            let outcome = try PipedProgram("Shop", arguments).run()
            #expect(outcome.exitCode == 64)
            #expect(outcome.errors == ["\(message); Shop --help explains the arguments"])
        }
        let help = try run("--help")
        #expect(help.exitCode == 0)
        #expect(help.output.first?.hasPrefix("Usage: Shop [CATALOGUE.csv]") == true)
        let screen = try run("--screen")
        #expect(screen.exitCode == 64)
        #expect(screen.errors.first?.hasPrefix("Shop --screen needs a terminal, but ") == true)
    }
}
