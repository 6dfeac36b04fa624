// Sheets of many cells. There is no stopwatch here: what recursed too deep would crash, and what took quadratic time would
// not end.

import SheetCore
import Testing

@Suite struct LargeSheetTests {
    private static let count = 20_000

    @Test(arguments: [false, true])
    func aChainOfFormulasLoadsAndFollowsEdits(isUpward: Bool) throws {
        let count = 100_000
        // Downward, each cell is one more than the cell above; upward, one more than the cell below.
        let rows = (1...count).map { row in
            let source = isUpward ? row + 1 : row - 1
            return [source == 0 || source > count ? "1" : "=A\(source)+1"]
        }
        let (first, last) = isUpward ? ("A\(count)", "A1") : ("A1", "A\(count)")
        let sheet = Sheet(rows: rows)
        #expect(sheet.value(last) == .number(Double(count)))

        try sheet.enter("2", at: Position(first)!)
        let changes = sheet.takeChanges()
        #expect(changes.count == count)
        #expect(changes.first?.position == Position("A1"))
        #expect(sheet.value(last) == .number(Double(count + 1)))

        try sheet.enter("=\(first)", at: Position("A\(count / 2)")!)
        #expect(sheet.takeChanges().count == count / 2 + (isUpward ? 0 : 1))
    }

    @Test(arguments: [false, true])
    func aChainCanBeEnteredInOneTransaction(isUpward: Bool) throws {
        let sheet = Sheet()
        let rows = isUpward ? Array((2...Self.count).reversed()) : Array(2...Self.count)
        try sheet.transaction { () throws(FormulaError) in
            for row in rows { try sheet.enter("=A\(row - 1)+1", at: Position(column: 1, row: row)) }
            try sheet.enter("1", at: Position("A1")!)
            #expect(sheet.value("A\(Self.count)") == .number(Double(Self.count)))
            try sheet.enter("2", at: Position("A1")!)
        }
        #expect(sheet.takeChanges().count == Self.count)
        #expect(sheet.value("A\(Self.count)") == .number(Double(Self.count + 1)))
    }

    @Test func aChainCanBeEnteredEditByEdit() throws {
        let sheet = Sheet()
        try sheet.enter("1", at: Position("A1")!)
        #expect(sheet.takeChanges().count == 1)
        for row in 2...Self.count {
            try sheet.enter("=A\(row - 1)+1", at: Position(column: 1, row: row))
            #expect(sheet.takeChanges().count == 1)
        }
        #expect(sheet.value("A\(Self.count)") == .number(Double(Self.count)))
    }

    @Test func aLoopCanBeEnteredInOneTransaction() throws {
        let sheet = Sheet()
        try sheet.transaction { () throws(FormulaError) in
            for row in 2...Self.count { try sheet.enter("=A\(row - 1)+1", at: Position(column: 1, row: row)) }
            try sheet.enter("=A\(Self.count)", at: Position("A1")!)
        }
        #expect(sheet.takeChanges().count == Self.count)
        #expect(sheet.value("A5").description == Self.longLoop)
    }

    @Test func aLoopOfManyCellsIsAnErrorInEachOfThem() throws {
        let sheet = Sheet(rows: (1...Self.count).map { ["=A\($0 == 1 ? Self.count : $0 - 1)+1"] })
        #expect(sheet.count { $0.description == Self.longLoop } == Self.count)

        for row in [1, Self.count / 2, Self.count] {
            let cell = Position(column: 1, row: row)
            try sheet.enter("1", at: cell)
            #expect(sheet.takeChanges().count == Self.count)
            #expect(sheet.count { $0.display == "#CYCLE!" } == 0)

            try sheet.enter("=A\(row == 1 ? Self.count : row - 1)", at: cell)
            #expect(sheet.takeChanges().count == Self.count)
            #expect(sheet.count { $0.description == Self.longLoop } == Self.count)
        }
    }

    /// Any two neighbours are a loop.
    @Test func manyLoopsAreErrorsInAllTheirCells() throws {
        let sheet = Sheet(rows: (1...Self.count).map { [$0 == 1 ? "=A2" : "=A\($0 - 1)+A\($0 + 1)"] })
        #expect(sheet.count { $0.display == "#CYCLE!" } == Self.count)

        try sheet.enter("1", at: Position("A1")!)
        #expect(sheet.takeChanges().map(\.position) == [Position("A1")!])
        #expect(sheet.value("A2").description == "#CYCLE! (A2 → A3 → A2)")
    }

    @Test func aWideSheetChangesOnlyWhereItMust() throws {
        let rows = (1...Self.count / 10).map { row in
            ["\(row)", "=A\(row)*2", "text"] + (0..<6).map { "=B\(row)+\($0)" } + ["=SUM(A\(row):I\(row))"]
        }
        let sheet = Sheet(rows: rows)
        try sheet.enter("0", at: Position("A500")!)
        #expect(sheet.takeChanges().count == 9)
    }

    private static let longLoop = "#CYCLE! (A1 → A20000 → A19999 → A19998 → … 19993 more … → A4 → A3 → A2 → A1)"
}

extension Sheet {
    /// Returns how many cells of the first column have such a value.
    fileprivate func count(where isCounted: (CellValue) -> Bool) -> Int {
        (1...filledExtent.rows).count { isCounted(shownValue(at: Position(column: 1, row: $0))) }
    }
}
