// Conversations: input lines and the exact output lines.

import ProgramSupport
import SheetCore
import Testing

@Suite(.alone) struct SessionTests {
    private let shop = "Price,20\nCount,3\nTotal,=B1*B2\n"

    @Test func anEditPrintsTheChanges() throws {
        #expect(
            try replies(to: ["B1 = 40", "b1=40", "B2 =", "A1 = Unit price"], on: shop) == [
                "B1: 20 → 40", "B3: 60 → 120",
                "B2: 3 → (empty)", "B3: 120 → 0",
                "A1: Price → Unit price",
            ])
    }

    @Test func aTransactionPrintsItsNetChanges() throws {
        #expect(
            try replies(to: ["begin", "B1 = 30", "B2 = 2", "B3", "commit"], on: shop) == [
                "B3: 60, from =B1*B2", "B1: 20 → 30", "B2: 3 → 2",
            ])
        #expect(try replies(to: ["begin", "B1 = 40", "B1 = 20", "commit"], on: shop) == [])
    }

    @Test func aRollbackPrintsNoChanges() throws {
        #expect(
            try replies(to: ["begin", "B1 = 30", "B3", "rollback", "B3"], on: shop) == [
                "B3: 90, from =B1*B2", "rolled back", "B3: 60, from =B1*B2",
            ])
    }

    @Test func aTransactionNeedsItsCommit() throws {
        #expect(try replies(to: ["begin", "B1 = 30"], on: shop) == ["rolled back: the input ended without commit"])
        #expect(
            try replies(to: ["begin", "B1 = 30", "quit", "B1 = 9"], on: shop) == [
                "rolled back: quit came without commit"
            ])
    }

    @Test func aFailingEditLeavesTheRestOfTheTransaction() throws {
        #expect(
            try replies(to: ["begin", "B1 = 30", "B2 = =(", "X = 4", "commit"], on: shop) == [
                "B2 is unchanged: expected a value, found the end, at character 3 of \"=(\"",
                "\"X\" is not a cell; cells are A1 to ZZZ1048576",
                "B1: 20 → 30", "B3: 60 → 90",
            ])
    }

    @Test func commandsOfATransactionNeedOne() throws {
        #expect(
            try replies(to: ["commit", "rollback", "begin", "begin", "save x.csv", "graph x.html", "commit"], on: shop)
                == [
                    "no transaction is open; begin opens one",
                    "no transaction is open; begin opens one",
                    "a transaction is open already; commit or rollback ends it",
                    "a transaction is open; commit or rollback it before save",
                    "a transaction is open; commit or rollback it before graph",
                ])
    }

    @Test(arguments: [
        ("frobnicate", "unknown command \"frobnicate\"; help lists the commands"),
        ("B1 40", "unknown command \"B1 40\"; help lists the commands"),
        ("B0 = 1", "\"B0\" is not a cell; cells are A1 to ZZZ1048576"),
        ("total = 1", "\"total\" is not a cell; cells are A1 to ZZZ1048576"),
        ("= 1", "the cell is missing; write it first, as in B2 = 40"),
        ("show B", "\"B\" is not a range; write it as in show A1:C9"),
        ("show A1:", "\"A1:\" is not a range; write it as in show A1:C9"),
        ("show A1:ZZ1000", "A1:ZZ1000 has 702000 cells; show draws at most 20000"),
        ("why", "why needs a cell, as in why B2"),
        ("why not", "\"not\" is not a cell; cells are A1 to ZZZ1048576"),
        ("save", "save needs a file, as in save budget.csv"),
        ("graph", "graph needs a file, as in graph graph.html"),
        ("begin now", "begin takes no argument"),
    ])
    func badCommandsAreExplained(line: String, message: String) throws {
        #expect(try replies(to: [line], on: shop) == [message])
    }

    @Test func whyNamesTheEditsAndTheirPaths() throws {
        #expect(
            try replies(to: ["why B3", "B1 = 40", "why B3", "why B1", "why B2"], on: shop) == [
                "B3 has not changed since the sheet was loaded",
                "B1: 20 → 40", "B3: 60 → 120",
                "B3: 60 → 120", "  B1 = 40 (was 20): B1 → B3",
                "B1: 20 → 40", "  B1 = 40 (was 20)",
                "B2 has not changed since the sheet was loaded",
            ])
    }

    @Test func whyNamesOnlyTheRelevantEditsOfATransaction() throws {
        let lines = ["begin", "B1 = 40", "A1 = Unit price", "B2 = 4", "B2 = 3", "commit", "why B3"]
        #expect(try replies(to: lines, on: shop).suffix(2) == ["B3: 60 → 120", "  B1 = 40 (was 20): B1 → B3"])
    }

    @Test func whyIsNotMisledByLaterEdits() throws {
        let csv = "-1,\"=IF(A1>0,1,0)\",=B1*10\n"
        #expect(
            try replies(to: ["A1 = 1", "A1 = 2", "why C1"], on: csv).suffix(2) == [
                "C1: 0 → 10", "  A1 = 1 (was -1): A1 → B1 → C1",
            ])
    }

    @Test func whyFollowsARangeThatGrew() throws {
        #expect(
            try replies(to: ["A5 = 2", "why B1"], on: "1,=SUM(A1:A9)\n").suffix(2) == [
                "B1: 1 → 3", "  A5 = 2 (was empty): A5 → B1",
            ])
    }

    @Test func whyNamesANewFormula() throws {
        #expect(
            try replies(to: ["B2 = =B1/10", "why B3", "why B2"], on: shop).suffix(4) == [
                "B3: 60 → 40", "  B2 = =B1/10 (was 3): B2 → B3", "B2: 3 → 2", "  B2 = =B1/10 (was 3)",
            ])
    }

    @Test func whyNamesACellThatWasEmpty() throws {
        #expect(
            try replies(to: ["C1 = 1", "why C1"]) == ["C1: (empty) → 1", "C1: (empty) → 1", "  C1 = 1 (was empty)"])
    }

    @Test func blankLinesAndCommentsPrintNothing() throws {
        #expect(try replies(to: ["", "   ", "# B1 = 40", "quit", "B1 = 1"], on: shop) == [])
    }

    @Test func aCellPrintsItsContents() throws {
        #expect(
            try replies(to: ["B3", "a1", "C9", "C9 = =1/0", "C9"], on: shop) == [
                "B3: 60, from =B1*B2", "A1: Price", "C9: (empty)",
                "C9: (empty) → #DIV/0! (division by zero)", "C9: #DIV/0! (division by zero), from =1/0",
            ])
    }

    @Test func showDrawsTheSheet() throws {
        #expect(
            try replies(to: ["show", "show B2:C3"], on: shop) == [
                "   A      B", "1  Price  20", "2  Count   3", "3  Total  60",
                "   B   C", "2   3", "3  60",
            ])
        #expect(try replies(to: ["show"]) == ["the sheet is empty; B2 = 40 fills a cell"])
    }

    @Test func showDrawsTheBeginningOfALargeSheet() throws {
        let csv = (1...31).map { "\($0),a long text of more than a line,\"two\nlines\"\n" }.joined()
        let lines = try replies(to: ["show"], on: csv)
        #expect(lines.count == 32)
        #expect(lines[1] == " 1   1  a long text of more tha…  two↵lines")
        #expect(lines[31] == "… of 31 rows and 3 columns; show A1:C9 draws any part")
    }

    @Test func helpListsTheCommands() throws {
        let help = try replies(to: ["help"]).joined()
        for command in ["begin", "commit", "rollback", "show", "why", "save", "graph", "help", "quit", "AVERAGE"] {
            #expect(help.contains(command))
        }
    }
}
