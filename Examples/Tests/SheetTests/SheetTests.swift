// Changes of a sheet: which cells change and which not, loops that are created and fixed, transactions.

import ProgramSupport
import SheetCore
import Testing

@Suite(.alone) struct SheetTests {
    @Test func onlyCellsWithADifferentValueChange() throws {
        let sheet = try Sheet(csv: "1,=A1*2,\"=IF(B1>100,1,0)\",=C1+1\n")
        #expect(try sheet.changes("A1", "5") == ["A1: 1 → 5", "B1: 2 → 10"])
        #expect(try sheet.changes("A1", "51") == ["A1: 5 → 51", "B1: 10 → 102", "C1: 0 → 1", "D1: 1 → 2"])
        #expect(try sheet.changes("A1", "51.0") == [])
        #expect(try sheet.changes("A1", "=50+1") == [])
        #expect(try sheet.changes("A1", "=50+2") == ["A1: 51 → 52", "B1: 102 → 104"])
    }

    @Test func changesAreReportedInReadingOrder() throws {
        let sheet = try Sheet(csv: "=B2,=B2\n=B2,1\n")
        #expect(try sheet.changes("B2", "2") == ["A1: 1 → 2", "B1: 1 → 2", "A2: 1 → 2", "B2: 1 → 2"])
    }

    @Test func formulasNoticeWhenAnEmptyCellIsFilled() throws {
        let sheet = try Sheet(csv: "=C7+1,=SUM(A2:A9)\n")
        #expect(try sheet.changes("C7", "4") == ["A1: 1 → 5", "C7: (empty) → 4"])
        #expect(try sheet.changes("A2", "1") == ["B1: 0 → 1", "A2: (empty) → 1"])
        #expect(try sheet.changes("A9", "2") == ["B1: 1 → 3", "A9: (empty) → 2"])
        #expect(try sheet.changes("A9", "") == ["B1: 3 → 1", "A9: 2 → (empty)"])
        #expect(try sheet.changes("A10", "2") == ["A10: (empty) → 2"])
    }

    @Test func hugeRangesCostOnlyTheirFilledCells() throws {
        let sheet = try Sheet(csv: "=SUM(B1:ZZZ1048576),1\n")
        #expect(sheet.value("A1") == .number(1))
        #expect(try sheet.changes("C4", "2") == ["A1: 1 → 3", "C4: (empty) → 2"])
        let tooMany = "#REF! (B1:ZZZ1048576 has more than 1000000 cells)"
        #expect(try sheet.changes("ZZZ1048576", "5") == ["A1: 3 → \(tooMany)", "ZZZ1048576: (empty) → 5"])
    }

    @Test func anInvalidFormulaLeavesTheCellUnchanged() throws {
        let sheet = try Sheet(csv: "1,=A1\n")
        #expect(throws: FormulaError.self) { try sheet.enter("=A1+", at: Position("A1")!) }
        #expect(sheet.takeChanges() == [])
        #expect(sheet.source(at: Position("A1")!) == "1")
    }

    @Test func anInvalidFormulaDoesNotInvalidateTheFile() throws {
        var problems: [String] = []
        let sheet = Sheet(rows: [["1", "=A1+", "=A1+1", "=B1"]]) { problems.append("\($0): \($1)") }
        #expect(problems == ["B1: expected a value, found the end, at character 5 of \"=A1+\""])
        #expect(sheet.value("B1").display == "#ERROR!")
        #expect(sheet.value("C1") == .number(2))
        #expect(sheet.value("D1").display == "#ERROR!")
        #expect(try sheet.changes("B1", "=A1") == ["B1: #ERROR! → 1", "D1: #ERROR! → 1"])
    }

    // The leak check of the address sanitizer covers its formulas.
    @Test func aSheetIsFreedWithItsWatchers() throws {
        weak var freed: Sheet?
        do {
            let sheet = try Sheet(csv: "1,=A1,=C1\n")
            freed = sheet
            #expect(sheet.value("B1") == .number(1))
        }
        #expect(freed == nil)
    }

    // MARK: - Loops

    @Test func aCellThatDependsOnItselfIsALoop() throws {
        let sheet = try Sheet(csv: "1,=A1\n")
        let loop = "#CYCLE! (A1 → A1)"
        #expect(try sheet.changes("A1", "=A1+1") == ["A1: 1 → \(loop)", "B1: 1 → \(loop)"])
        #expect(try sheet.changes("A1", "2") == ["A1: #CYCLE! → 2", "B1: #CYCLE! → 2"])
    }

    @Test func aLoopIsCreatedAndFixed() throws {
        let sheet = try Sheet(csv: "1,=A1,=B1\n")
        let loop = "#CYCLE! (A1 → B1 → A1)"
        #expect(try sheet.changes("A1", "=B1") == ["A1: 1 → \(loop)", "B1: 1 → \(loop)", "C1: 1 → \(loop)"])
        #expect(try sheet.changes("B1", "7") == ["A1: #CYCLE! → 7", "B1: #CYCLE! → 7", "C1: #CYCLE! → 7"])
        #expect(try sheet.changes("B1", "8") == ["A1: 7 → 8", "B1: 7 → 8", "C1: 7 → 8"])
    }

    @Test func aLoopMayPassThroughARange() throws {
        let sheet = try Sheet(csv: "1,=SUM(A1:A3)\n2\n3\n")
        #expect(try sheet.changes("A2", "=B1*2").last == "A2: 2 → #CYCLE! (B1 → A2 → B1)")
        #expect(try sheet.changes("A2", "") == ["B1: #CYCLE! → 4", "A2: #CYCLE! → (empty)"])
        #expect(try sheet.changes("A3", "=COUNT(A1:A9)").last == "A3: 3 → #CYCLE! (A3 → A3)")
    }

    @Test func aLoopInTheFileIsShown() throws {
        let sheet = try Sheet(csv: "=B1,=C1,=A1,=A1+1,=E1,5\n")
        for cell in ["A1", "B1", "C1", "D1"] {
            #expect(sheet.value(cell).description == "#CYCLE! (A1 → B1 → C1 → A1)")
        }
        #expect(sheet.value("E1").description == "#CYCLE! (E1 → E1)")
        #expect(sheet.value("F1") == .number(5))
    }

    @Test func aLoopThroughAnUnusedBranchIsNoLoop() throws {
        let sheet = try Sheet(csv: "TRUE,\"=IF(A1,1,C1)\",\"=IF(A1,B1,2)\"\n")
        #expect(sheet.value("C1") == .number(1))
        #expect(try sheet.changes("A1", "FALSE") == ["A1: TRUE → FALSE", "B1: 1 → 2", "C1: 1 → 2"])
        let loop = "#CYCLE! (B1 → C1 → B1)"
        #expect(try sheet.changes("C1", "=B1") == ["B1: 2 → \(loop)", "C1: 2 → \(loop)"])
        #expect(try sheet.changes("A1", "TRUE") == ["A1: FALSE → TRUE", "B1: #CYCLE! → 1", "C1: #CYCLE! → 1"])
    }

    // MARK: - Transactions

    private struct Stop: Error {}

    @Test func editsOfATransactionCountAsOne() throws {
        let sheet = try Sheet(csv: "1,2,=A1+B1\n")
        try sheet.transaction { () throws(FormulaError) in
            try sheet.enter("2", at: Position("A1")!)
            #expect(sheet.value("C1") == .number(4))
            try sheet.enter("1", at: Position("B1")!)
        }
        #expect(sheet.takeChanges().map(\.description) == ["A1: 1 → 2", "B1: 2 → 1"])
    }

    @Test func aRolledBackTransactionLeavesNoTrace() throws {
        let sheet = try Sheet(csv: "1,=A1,=SUM(A1:A9)\n")
        #expect(throws: Stop.self) {
            try sheet.transaction {
                try sheet.enter("=B7+5", at: Position("A1")!)
                try sheet.enter("6", at: Position("A5")!)
                #expect(sheet.value("C1") == .number(11))
                throw Stop()
            }
        }
        #expect(sheet.takeChanges() == [])
        #expect(sheet.sources == [["1", "=A1", "=SUM(A1:A9)"]])
        #expect(try sheet.changes("A5", "2") == ["C1: 1 → 3", "A5: (empty) → 2"])
        #expect(try sheet.changes("B7", "2") == ["B7: (empty) → 2"])
    }
}
