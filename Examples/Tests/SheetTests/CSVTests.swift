// Reading and writing comma-separated values.

import ProgramSupport
import SheetCore
import Testing

@Suite struct CSVTests {
    private func rows(_ text: String) throws -> [[String]] {
        try CSVReader.rows(of: Array(text.utf8))
    }

    private func error(_ text: String) -> CSVError? {
        #expect(throws: CSVError.self) { try rows(text) }
    }

    // MARK: - The list of RFC 4180, section 2

    @Test(arguments: ["\r\n", "\n", "\r"])
    func everyLineBreakEndsARow(lineBreak: String) throws {
        #expect(try rows("a,b\(lineBreak)c,d\(lineBreak)") == [["a", "b"], ["c", "d"]])
    }

    @Test func theLastLineNeedsNoLineBreak() throws {
        #expect(try rows("a,b\nc,d") == [["a", "b"], ["c", "d"]])
    }

    @Test func spacesBelongToTheField() throws {
        #expect(try rows(" a , b") == [[" a ", " b"]])
    }

    @Test func theLastFieldMayBeEmpty() throws {
        #expect(try rows("a,\n,b\n") == [["a", ""], ["", "b"]])
    }

    @Test func quotesMayEncloseAnyField() throws {
        #expect(try rows("\"a\",b,\"\"\n") == [["a", "b", ""]])
    }

    @Test func quotedFieldsHoldCommasAndLineBreaks() throws {
        #expect(try rows("\"a,b\",\"c\r\nd\",\"e\nf\"\r\ng") == [["a,b", "c\r\nd", "e\nf"], ["g"]])
    }

    @Test func doubledQuotesInQuotesAreOne() throws {
        #expect(try rows("\"a \"\"b\"\" c\",\"\"\"\"") == [["a \"b\" c", "\""]])
    }

    // MARK: - Beyond the RFC

    @Test func rowsMayDifferInLength() throws {
        #expect(try rows("a\nb,c,d\n\ne,f") == [["a"], ["b", "c", "d"], [""], ["e", "f"]])
    }

    @Test func aByteOrderMarkIsSkipped() throws {
        #expect(try CSVReader.rows(of: [0xEF, 0xBB, 0xBF] + Array("a,b".utf8)) == [["a", "b"]])
        #expect(try CSVReader.rows(of: [0xEF, 0xBB, 0xBF] + Array("\"a\"".utf8)) == [["a"]])
    }

    @Test func anEmptyFileHasNoRows() throws {
        #expect(try rows("") == [])
    }

    // MARK: - Broken files

    @Test func anOpenQuoteIsReportedWithItsPosition() {
        let error = error("a,b\nc,\"d\ne,f\n")
        #expect(error?.line == 2)
        #expect(error?.column == 3)
        #expect(error?.message == "this quote is never closed; add a closing quote")
    }

    @Test func aQuoteInAPlainFieldIsReported() {
        #expect(
            error("é,b\"c")?.description
                == "1:4: a quote in the middle of a field; put the whole field in quotes and double the quotes in it")
    }

    @Test func textAfterAClosingQuoteIsReported() {
        #expect(
            error("\"a\"b")?.description
                == "1:4: text after a closing quote; put a comma between them, or double the quote if it belongs "
                + "to the field")
    }

    @Test func lineBreaksOfAllKindsAreCounted() {
        #expect(error("a\rb\r\nc\n\"d\ne\",\"f")?.line == 5)
    }

    @Test func invalidUTF8IsReported() {
        let error = #expect(throws: CSVError.self) { try CSVReader.rows(of: [0x61, 0x0A, 0x62, 0x2C, 0xE9, 0x2C]) }
        #expect(error?.description == "2:3: this field is not UTF-8; save the file in that encoding")
    }

    @Test func tooManyColumnsAreReported() {
        let row = String(repeating: ",", count: Position.maximumColumn)
        #expect(error(row)?.description == "1:18279: more than 18278 columns; split the file")
    }

    // MARK: - Writing

    @Test func onlyFieldsThatNeedQuotesAreQuoted() {
        let bytes = CSVWriter.bytes(of: [["a b", "c,d", "e\"f"], ["", "g\nh", "é"]])
        #expect(String(decoding: bytes, as: UTF8.self) == "a b,\"c,d\",\"e\"\"f\"\r\n,\"g\nh\",é\r\n")
    }

    @Test func writtenFilesAreReadUnchanged() throws {
        var generator = SplitMix64(seed: 4180)
        let pieces = ["", "a", ",", "\"", "\n", "\r", "\r\n", " ", "é", "👩‍👩‍👧", "=A1", "\u{FEFF}", "1.5"]
        for _ in 0..<200 {
            let rows = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                    (0..<Int.random(in: 0...4, using: &generator))
                        .map { _ in pieces.randomElement(using: &generator)! }.joined()
                }
            }
            #expect(try CSVReader.rows(of: CSVWriter.bytes(of: rows)) == rows)
        }
    }
}
