// Sheets of many cells. The tests measure no times: deep recursion would crash, and quadratic time would not end.

import ProgramSupport
import SheetCore
import Testing

@Suite(.alone) struct LargeSheetTests {
    /// The length of a chain of formulas that recursion could not evaluate.
    private static let deep = 25_000
    /// Enough for a noticeable quadratic time.
    private static let many = 5_000

    @Test(arguments: [false, true])
    func aChainOfFormulasLoadsAndFollowsEdits(isUpward: Bool) throws {
        let count = Self.deep
        // Downward, each cell is the cell above plus one; upward, the cell below plus one.
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

    //  No formula reads another one until B1 changes; then each reads the next.
    @Test func aChainMayBeReadLater() throws {
        let rows = (1...Self.deep).map { ["=IF($B$1,A\($0 + 1)+1,0)"] }
        let sheet = Sheet(rows: rows)
        try sheet.enter("1", at: Position("B1")!)
        #expect(sheet.takeChanges().count == Self.deep + 1)
        #expect(sheet.value("A1") == .number(Double(Self.deep)))
    }

    @Test(arguments: [false, true])
    func aChainCanBeEnteredInOneTransaction(isUpward: Bool) throws {
        let sheet = Sheet()
        let rows = isUpward ? Array((2...Self.many).reversed()) : Array(2...Self.many)
        try sheet.transaction { () throws(FormulaError) in
            for row in rows { try sheet.enter("=A\(row - 1)+1", at: Position(column: 1, row: row)) }
            try sheet.enter("1", at: Position("A1")!)
            #expect(sheet.value("A\(Self.many)") == .number(Double(Self.many)))
            try sheet.enter("2", at: Position("A1")!)
        }
        #expect(sheet.takeChanges().count == Self.many)
        #expect(sheet.value("A\(Self.many)") == .number(Double(Self.many + 1)))
    }

    @Test func aChainCanBeEnteredEditByEdit() throws {
        let sheet = Sheet()
        try sheet.enter("1", at: Position("A1")!)
        #expect(sheet.takeChanges().count == 1)
        for row in 2...Self.many {
            try sheet.enter("=A\(row - 1)+1", at: Position(column: 1, row: row))
            #expect(sheet.takeChanges().count == 1)
        }
        #expect(sheet.value("A\(Self.many)") == .number(Double(Self.many)))
    }

    @Test func aLoopCanBeEnteredInOneTransaction() throws {
        let sheet = Sheet()
        try sheet.transaction { () throws(FormulaError) in
            for row in 2...Self.deep { try sheet.enter("=A\(row - 1)+1", at: Position(column: 1, row: row)) }
            try sheet.enter("=A\(Self.deep)", at: Position("A1")!)
        }
        #expect(sheet.takeChanges().count == Self.deep)
        #expect(sheet.value("A5").description == Self.longLoop)
    }

    @Test func aLoopOfManyCellsIsAnErrorInEachOfThem() throws {
        let sheet = Sheet(rows: (1...Self.deep).map { ["=A\($0 == 1 ? Self.deep : $0 - 1)+1"] })
        #expect(sheet.count { $0.description == Self.longLoop } == Self.deep)

        try sheet.enter("1", at: Position("A9")!)
        #expect(sheet.takeChanges().count == Self.deep)
        #expect(sheet.count { $0.display == "#CYCLE!" } == 0)

        try sheet.enter("=A8", at: Position("A9")!)
        #expect(sheet.takeChanges().count == Self.deep)
        #expect(sheet.count { $0.description == Self.longLoop } == Self.deep)
    }

    /// Any two neighbours form a loop.
    @Test func manyLoopsAreErrorsInAllTheirCells() throws {
        let sheet = Sheet(rows: (1...Self.many).map { [$0 == 1 ? "=A2" : "=A\($0 - 1)+A\($0 + 1)"] })
        #expect(sheet.count { $0.display == "#CYCLE!" } == Self.many)

        try sheet.enter("1", at: Position("A1")!)
        #expect(sheet.takeChanges().map(\.position) == [Position("A1")!])
        #expect(sheet.value("A2").description == "#CYCLE! (A2 → A3 → A2)")
    }

    @Test func functionsOfManyCellsFollowEdits() throws {
        let count = Self.deep
        let functions = ["SUM", "COUNT", "AVERAGE", "MIN", "MAX"]
        var rows = (1...count).map { ["\($0)"] }
        rows[0] += functions.map { "=\($0)(A1:A\(count))" }
        let sheet = Sheet(rows: rows)
        var numbers = (1...count).map(Double.init)
        for (row, number) in [(count, -5.0), (1, 7), (count / 2, 1e6), (count / 2, 3), (count, 2)] {
            numbers[row - 1] = number
            try sheet.enter("\(number)", at: Position(column: 1, row: row))
            _ = sheet.takeChanges()
            let sum = numbers.reduce(0, +)
            let expected = [sum, Double(count), sum / Double(count), numbers.min() ?? 0, numbers.max() ?? 0]
            #expect((2...6).map { sheet.shownValue(at: Position(column: $0, row: 1)) } == expected.map { .number($0) })
        }

        try sheet.enter("=1/0", at: Position("A77")!)
        #expect(sheet.takeChanges().count == 6)
        #expect(sheet.value("B1").display == "#DIV/0!")
        #expect(sheet.value("C1") == .number(Double(count - 1)))
        try sheet.enter("=F1", at: Position("A77")!)
        _ = sheet.takeChanges()
        #expect(sheet.value("F1").description == "#CYCLE! (F1 → A77 → F1)")
        try sheet.enter("1", at: Position("A77")!)
        _ = sheet.takeChanges()
        #expect(sheet.value("E1") == .number(1))
        #expect(sheet.explanation(of: Position("E1")!) == ["E1: #CYCLE! → 1", "  A77 = 1 (was =F1): A77 → E1"])
    }

    @Test func runningTotalsFollowEdits() throws {
        let count = 1000
        let sheet = Sheet(rows: (1...count).map { ["1", "=SUM(A$1:A\($0))", "=SUM(A\($0):A9999)"] })
        #expect(sheet.value("B\(count)") == .number(Double(count)))
        try sheet.enter("3", at: Position("A501")!)
        #expect(sheet.takeChanges().count == 1 + 500 + 501)
        try sheet.enter("4", at: Position("A1234")!)
        #expect(sheet.takeChanges().count == 1 + count)
        #expect(sheet.value("C1000") == .number(5))
    }

    @Test func rangesOfManyColumnsFollowEdits() throws {
        let row = (1...100).map(String.init)
        let sheet = Sheet(rows: (1...50).map { _ in row } + [["=SUM(A1:CV50)", "=SUM(B2:CU49)", "=MAX(C3:CV3)"]])
        #expect(sheet.value("A51") == .number(252_500))
        try sheet.enter("1000", at: Position("AA3")!)
        #expect(
            sheet.takeChanges().map(\.description) == [
                "AA3: 27 → 1000", "A51: 252500 → 253473", "B51: 237552 → 238525", "C51: 100 → 1000",
            ])
    }

    @Test func aWideSheetChangesOnlyDependentCells() throws {
        let rows = (1...Self.many / 5).map { row in
            ["\(row)", "=A\(row)*2", "text"] + (0..<6).map { "=B\(row)+\($0)" } + ["=SUM(A\(row):I\(row))"]
        }
        let sheet = Sheet(rows: rows)
        try sheet.enter("0", at: Position("A500")!)
        #expect(sheet.takeChanges().count == 9)
    }

    private static let longLoop = "#CYCLE! (A1 → A25000 → A24999 → A24998 → … 24993 more … → A4 → A3 → A2 → A1)"
}

extension Sheet {
    /// Returns the number of cells of the first column with this value.
    fileprivate func count(where isCounted: (CellValue) -> Bool) -> Int {
        (1...filledExtent.rows).count { isCounted(shownValue(at: Position(column: 1, row: $0))) }
    }
}
