// Results of formulas: each function, each error, and conversions between types.

import SheetCore
import Testing

@Suite struct FormulaValueTests {
    private let cells: [String: CellValue] = [
        "A1": .number(3), "A2": .number(1), "A3": .text("five"), "A4": .boolean(true), "A5": .empty, "A6": .number(-4),
        "B1": .error(CellError(.division, "division by zero")), "C1": .text("12"), "C2": .text(""),
    ]

    @Test(
        arguments: [
            ("=SUM(A1:A6)", 0), ("=SUM(A1,A2,10)", 14), ("=SUM(A1:A2,A1:A2)", 8), ("=SUM(TRUE,\"2\")", 3),
            ("=AVERAGE(A1:A6)", 0), ("=AVERAGE(A1,A2)", 2), ("=MIN(A1:A6)", -4), ("=MAX(A1:A6)", 3), ("=MAX(A1,7)", 7),
            ("=MIN(A5)", 0), ("=MAX(A3:A5)", 0), ("=COUNT(A1:A6)", 3), ("=COUNT(A1:B6)", 3),
            ("=COUNT(1,\"2\",\"x\",1/0)", 2),
            ("=IF(A1>2,10,20)", 10), ("=IF(A5,10,20)", 20), ("=IF(\"true\",1,2)", 1), ("=IF(FALSE,1,A1*2)", 6),
        ] as [(String, Double)])
    func functionsCompute(source: String, expected: Double) throws {
        #expect(try value(of: source, in: cells) == .number(expected))
    }

    @Test func aConditionWithoutAnAlternativeIsFalse() throws {
        #expect(try value(of: "=IF(1>2,1)") == .boolean(false))
    }

    @Test func onlyTheChosenBranchIsComputed() throws {
        #expect(try value(of: "=IF(A1=0,0,1/A1)") == .number(0))
        #expect(try value(of: "=IF(TRUE,1,B1)", in: cells) == .number(1))
    }

    @Test func valuesConvertWhereANumberIsWanted() throws {
        #expect(try value(of: "=A4+A5+C1", in: cells) == .number(13))
        #expect(try value(of: "=A9", in: cells) == .number(0))
        #expect(try value(of: "=C1", in: cells) == .text("12"))
    }

    @Test(
        arguments: [
            ("=1/0", .division), ("=AVERAGE(A3:A5)", .division), ("=B1", .division), ("=SUM(A1:B1)", .division),
            ("=MAX(B1)", .division), ("=A0", .reference), ("=A1048577", .reference), ("=AAAA1", .reference),
            ("=A3+1", .value), ("=-A3", .value), ("=C2*1", .value), ("=SUM(\"x\")", .value), ("=A1:A2", .value),
            ("=A1:A2+1", .value), ("=IF(\"maybe\",1,2)", .value), ("=FOO", .name), ("=FOO(1)", .name), ("=Ä", .name),
            ("=1e308*10", .number), ("=-1e308-1e308", .number), ("=SUM(A1:FOO)", .reference),
        ] as [(String, CellError.Kind)])
    func errorsAreValues(source: String, kind: CellError.Kind) throws {
        #expect(try errorKind(of: source, in: cells) == kind)
    }

    @Test(arguments: [
        ("=A0", "#REF! (A0 lies outside the sheet; cells are A1 to ZZZ1048576)"),
        ("=FOO(1)", "#NAME? (unknown function FOO; the functions are SUM, AVERAGE, MIN, MAX, COUNT, IF)"),
        ("=FOO", "#NAME? (FOO is not the name of a cell; text needs quotes)"),
        ("=A3*2", "#VALUE! (\"five\" is not a number)"),
        ("=A1:A2", "#VALUE! (A1:A2 is a range of cells; use a function such as SUM)"),
    ])
    func errorsHaveReasons(source: String, description: String) throws {
        #expect(try value(of: source, in: cells).description == description)
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (20, "20"), (-1.5, "-1.5"), (0.1 + 0.2, "0.30000000000000004"),
            (1e14, "100000000000000"),
            (1e300, "1e+300"), (1.0 / 3, "0.3333333333333333"),
        ] as [(Double, String)])
    func numbersPrintShortAndExact(number: Double, text: String) {
        #expect(CellValue.number(number).display == text)
        #expect(NumberText.number(text) == number)
    }

    @Test(arguments: ["", "-", ".", "e5", "1e", "0x10", "nan", "inf", "1 2", "1,5", "1e999", "++1"])
    func textThatIsNoNumberStaysText(text: String) {
        #expect(NumberText.number(text) == nil)
    }
}
