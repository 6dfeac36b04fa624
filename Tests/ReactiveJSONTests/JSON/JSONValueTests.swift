// JSON values: numbers, equality, text, coding, depth.

import Foundation
import ReactiveJSON
import TestSupport
import Testing

@Suite struct JSONValueTests {
    @Test func numbersAreEqualIfTheirValuesAre() throws {
        for text in ["1", "1.0", "1e0", "10e-1", "0.1E+1", "1.000"] {
            let number = try #require(JSONNumber(text))
            #expect(number == 1)
            #expect(number.hashValue == JSONNumber(1).hashValue)
            #expect(number.description == text)
        }
        #expect(JSONNumber("-0") == 0)
        #expect(JSONNumber("0.0e7") == 0)
        #expect(JSONNumber("1.10") == JSONNumber("11e-1"))
        #expect(JSONNumber("1.1") != JSONNumber("1.2"))
        #expect(JSONNumber("-1.1") != JSONNumber("1.1"))
        #expect(JSONNumber("1e400") != JSONNumber("1e401"))
        #expect(JSONNumber("18446744073709551616") != JSONNumber("18446744073709551615"))
        #expect(JSONNumber("1844674407370955161.6e1") == JSONNumber("18446744073709551616"))
        #expect(JSONNumber("1e99999999999999999999") == JSONNumber("1e99999999999999999999"))
    }

    @Test func numbersAreExact() throws {
        #expect(JSONNumber(UInt64.max).description == "18446744073709551615")
        #expect(JSONNumber(UInt64.max).exactly(UInt64.self) == .max)
        #expect(JSONNumber(UInt64.max).exactly(Int64.self) == nil)
        #expect(JSONNumber(Int64.min).exactly(Int64.self) == .min)
        #expect(JSONNumber("1e3")?.exactly(Int16.self) == 1000)
        #expect(JSONNumber("1e3")?.exactly(Int8.self) == nil)
        #expect(JSONNumber("1.5")?.exactly(Int.self) == nil)
        let digits = "3.14159265358979323846264338327950288"
        #expect(try JSONValue(parsing: "[\(digits)]").description == "[\(digits)]")
        #expect(JSONNumber(Double(0.1))?.description == "0.1")
        #expect(JSONNumber(Double(2))?.description == "2")
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber("1.25")?.double == 1.25)
        #expect(JSONNumber("1.25")?.decimal == Decimal(string: "1.25"))
    }

    @Test(arguments: ["", "-", "01", "-01", "1.", ".5", "1e", "1e+", "+1", "0x1", "1 ", "NaN", "Infinity", "１"])
    func invalidNumbersAreRefused(_ text: String) {
        #expect(JSONNumber(text) == nil)
        #expect(throws: JSONParseError.self) { try JSONValue(parsing: "[\(text.isEmpty ? "," : text)x]") }
    }

    @Test func objectsAreEqualInAnyOrderAndArraysAreNot() throws {
        #expect(
            try JSONValue(parsing: #"{"a":1,"b":[2,3]}"#) == JSONValue(parsing: #"{ "b": [2.0, 3], "a": 1e0 }"#))
        #expect(([1, 2] as JSONValue) != [2, 1])
        #expect(([] as JSONValue) != [:])
        #expect((["a": .null] as JSONValue) != [:])
        #expect((0 as JSONValue) != false)
        #expect(("e\u{301}" as JSONValue) != "\u{e9}")
    }

    @Test func textRoundTrips() throws {
        let text = #"{"":[],"a":{},"b":[null,true,false,-1.50,"q\"\\\n\r\t\u0001é😀"],"c/d":18446744073709551615}"#
        let value = try JSONValue(parsing: text)
        #expect(value.description == text)
        #expect(try JSONValue(parsing: value.data) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: value.data) == value)
        #expect(try JSONValue(parsing: #""\u0041\ud83d\uDE00\/\b\f""#) == "A😀/\u{8}\u{C}")
    }

    @Test(
        arguments: [
            ("", "line 1, column 1: expected a value"), ("[1,\n 2", "line 2, column 3: expected , or ]"),
            ("[1 2]", "column 4: expected , or ]"), ("{\"a\" 1}", "expected :"), ("{a:1}", "a key in quotes"),
            ("[1,]", "expected a value"), ("{\"a\":1,}", "a key in quotes"), ("\"abc", "no closing quote"),
            ("\"\u{1}\"", "control character"), (#""\x""#, "invalid escape sequence"), (#""\ud800""#, "surrogate"),
            (#""\ud800\u0041""#, "surrogate"), (#""\udc00""#, "surrogate"), (#""\u12G4""#, "hexadecimal"),
            (#""\u-000""#, "hexadecimal"), (#""\u+041""#, "hexadecimal"),
            ("nul", "expected a value"), ("1 2", "expected the end"), ("[01]", "01 is not a number"),
            ("]", "expected a value"),
        ])
    func invalidJSONIsRefusedWithItsLineAndColumn(_ text: String, _ reason: String) {
        let error = #expect(throws: JSONParseError.self) { try JSONValue(parsing: text) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func invalidUTF8IsRefused() {
        #expect(throws: JSONParseError.self) { try JSONValue(parsing: Data([0x22, 0xFF, 0x22])) }
    }

    @Test func depthIsLimitedByMemory() throws {
        let depth = deep
        onOtherThread(stackSize: 512 * 1024) {
            func nested(_ leaf: JSONValue) -> JSONValue {
                (0..<depth).reduce(leaf) { value, level in level % 2 == 0 ? [value] : ["a": value] }
            }
            let value = nested(1)
            #expect(value.depth == depth)
            #expect(value == nested(1))
            #expect(value != nested(2))
            let parsed = try? JSONValue(parsing: value.data, limits: .unlimited)
            #expect(parsed == value)
            let patch = JSONPatch(from: value, to: nested(2))
            #expect(patch.operations.count == 1)
            #expect(patch.operations.first?.path.tokens.count == depth)
            #expect((try? patch.applying(to: value, limits: .unlimited)) == nested(2))
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(value) }
        }
    }
}
