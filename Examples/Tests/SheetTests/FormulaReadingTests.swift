// Parsing of formulas: precedence, names, and errors.

import SheetCore
import Testing

@Suite struct FormulaReadingTests {
    @Test(
        arguments: [
            ("=1+2*3", 7), ("=(1+2)*3", 9), ("=10-4-3", 3), ("=24/4/3", 2), ("=2*3+4*5", 26), ("=-2*3", -6),
            ("=2*-3", -6),
            ("=2--3", 5), ("=--5", 5), ("=+7", 7), ("=50%", 0.5), ("=200*5%", 10), ("=-50%%", -0.005),
            ("=1e3/.5", 2000),
            ("= 1 +\n\t2 ", 3),
        ] as [(String, Double)])
    func operatorsHaveTheirUsualPrecedence(source: String, expected: Double) throws {
        #expect(try value(of: source) == .number(expected))
    }

    @Test(
        arguments: [
            ("=1+1=2", true), ("=1<2", true), ("=2<=2", true), ("=3>4", false), ("=4>=5", false), ("=1<>1", false),
            ("=1<2=TRUE", true), ("=\"a\"=\"A\"", true), ("=\"a\"<\"b\"", true), ("=9<\"1\"", true),
            ("=\"z\"<FALSE", true),
            ("=A1=0", true), ("=A1=\"\"", true), ("=A1<1", true), ("=0>A1", false),
        ] as [(String, Bool)])
    func comparisonsHaveTheLowestPrecedenceAndOrderTypes(source: String, expected: Bool) throws {
        #expect(try value(of: source) == .boolean(expected))
    }

    @Test func caseAndDollarSignsDoNotMatter() throws {
        let cells: [String: CellValue] = ["B2": .number(4), "B3": .number(5)]
        #expect(try value(of: "=sum($b$2:B$3)", in: cells) == .number(9))
        #expect(try value(of: "=If(tRuE, $B2, b$3)", in: cells) == .number(4))
    }

    @Test func textInQuotesMayHoldDoubledQuotes() throws {
        #expect(try value(of: "=\"say \"\"hi\"\"\"") == .text("say \"hi\""))
    }

    @Test func rangesMayBeNamedByAnyTwoCorners() throws {
        let cells: [String: CellValue] = ["A1": .number(1), "B2": .number(2)]
        #expect(try value(of: "=SUM(B1:A2)", in: cells) == .number(3))
    }

    @Test(arguments: [
        ("=", "expected a value, found the end, at character 2 of \"=\""),
        ("=1+", "expected a value, found the end, at character 4 of \"=1+\""),
        ("=(1", "expected \")\", found the end, at character 4 of \"=(1\""),
        ("=1)", "expected an operator or the end, found \")\", at character 3 of \"=1)\""),
        ("=A1 B1", "expected an operator or the end, found B1, at character 5 of \"=A1 B1\""),
        ("=*2", "expected a value, found \"*\", at character 2 of \"=*2\""),
        ("=\"é\"&A1", "\"&\" has no meaning in a formula, at character 5 of \"=\"é\"&A1\""),
        ("=\"open", "this quote is never closed, at character 2 of \"=\"open\""),
        ("=IF(1)", "IF takes 2 to 3 arguments, not 1, at character 2 of \"=IF(1)\""),
        ("=SUM()", "SUM takes 1 to 255 arguments, not 0, at character 2 of \"=SUM()\""),
        ("=SUM(A1,)", "expected a value, found \")\", at character 9 of \"=SUM(A1,)\""),
        ("=A1:", "expected the last cell of the range, found the end, at character 5 of \"=A1:\""),
        ("=.", "a decimal point without digits, at character 2 of \"=.\""),
        ("=1e999", "the number 1e999 is too large, at character 2 of \"=1e999\""),
        ("1", "a formula starts with \"=\", at character 1 of \"1\""),
    ])
    func invalidFormulasAreExplained(source: String, message: String) {
        let error = #expect(throws: FormulaError.self) { try Formula(source) }
        #expect(error?.description == message)
    }

    @Test(arguments: ["(", "-", "IF(1,", "SUM("])
    func deepNestingIsRefused(opening: String) {
        let error = #expect(throws: FormulaError.self) {
            try Formula("=" + String(repeating: opening, count: 100_000))
        }
        #expect(
            error?.description.hasPrefix("nested more than 100 levels deep; move a part to a cell of its own") == true)
        #expect(throws: FormulaError.self) { try Formula("=1" + String(repeating: "%", count: 100_000)) }
    }

    @Test func longSumsAreNotDeep() throws {
        #expect(try value(of: "=1" + String(repeating: "+1", count: 50_000)) == .number(50_001))
    }

    @Test func positionsHaveNamesAndLimits() {
        #expect(Position("A1")?.description == "A1")
        #expect(Position("$zz$10")?.description == "ZZ10")
        #expect(Position("ZZZ1048576").map { [$0.column, $0.row] } == [18_278, 1_048_576])
        for name in [
            "", "A", "1", "A0", "A1048577", "AAAA1", "1A", "A1B", "A$", "$", "A-1", "Ä1", "A99999999999999999999",
        ] {
            #expect(Position(name) == nil, "\(name)")
        }
    }
}
