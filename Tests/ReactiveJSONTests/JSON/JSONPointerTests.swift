// RFC 6901.

import Foundation
import ReactiveJSON
import Testing

@Suite struct JSONPointerTests {
    /// The document of RFC 6901, section 5.
    static let document: JSONValue = [
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7,
        "m~n": 8,
    ]

    /// The pointers of section 5, their URI fragments of section 6, and their values.
    static let examples: [(String, String, JSONValue)] = [
        ("", "#", document), ("/foo", "#/foo", ["bar", "baz"]), ("/foo/0", "#/foo/0", "bar"), ("/", "#/", 0),
        ("/a~1b", "#/a~1b", 1), ("/c%d", "#/c%25d", 2), ("/e^f", "#/e%5Ef", 3), ("/g|h", "#/g%7Ch", 4),
        ("/i\\j", "#/i%5Cj", 5), ("/k\"l", "#/k%22l", 6), ("/ ", "#/%20", 7), ("/m~0n", "#/m~0n", 8),
    ]

    @Test(arguments: examples)
    func theExamplesOfTheRFCHold(_ text: String, _ fragment: String, _ value: JSONValue) throws {
        let pointer = try JSONPointer(text)
        #expect(try JSONPointerTests.document.value(at: pointer) == value)
        #expect(pointer.description == text)
        #expect(pointer.uriFragment == fragment)
        #expect(try JSONPointer(uriFragment: fragment) == pointer)
    }

    @Test func escapesAreUndoneInTheRightOrder() throws {
        #expect(try JSONPointer("/~01").tokens == ["~1"])
        #expect(JSONPointer(tokens: ["~1", "/~"]).description == "/~01/~1~0")
        #expect(try JSONPointer("/é/e\u{301}").tokens.map { $0.unicodeScalars.count } == [1, 2])
        #expect(try JSONPointer("/a/\u{301}").tokens.count == 2)
    }

    @Test(arguments: ["a", "#", "/~", "/a~2", "/a/~b"])
    func invalidPointersAreRefused(_ text: String) {
        let error = #expect(throws: JSONPointerError.self) { try JSONPointer(text) }
        #expect(error?.pointer == text)
    }

    @Test(
        arguments: [
            ("/foo/2", "at /foo, there is no element 2 in an array of 2"),
            ("/foo/-", "\"-\" is the position after the last"), ("/foo/01", "\"01\" is not an array index"),
            ("/foo/1e0", "not an array index"), ("/foo/-1", "not an array index"), ("/foo/+1", "not an array index"),
            ("/foo/bar", "not an array index"), ("/foo/", "not an array index"),
            ("/x/y", "at the root, there is no member \"x\""),
            ("/foo/0/x", "at /foo/0, there is a string, which has no \"x\""),
            ("/foo/99999999999999999999", "not an array index"),
        ])
    func errorsNameThePath(_ text: String, _ reason: String) throws {
        let pointer = try JSONPointer(text)
        #expect(JSONPointerTests.document[pointer] == nil)
        let error = #expect(throws: JSONPointerError.self) { try JSONPointerTests.document.value(at: pointer) }
        #expect(error?.pointer == text)
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func fragmentsEscapeTheBytesOfTheirText() throws {
        let pointer = JSONPointer(tokens: ["é\u{1}", "100%"])
        #expect(pointer.uriFragment == "#/%C3%A9%01/100%25")
        #expect(try JSONPointer(uriFragment: "#/%c3%A9%01/100%25") == pointer)
    }

    @Test(arguments: ["", "/a", "#a", "#/%", "#/%4", "#/%4g", "#/%+4", "#/%-0", "#/%C3", "#/%FF"])
    func invalidFragmentsAreRefused(_ text: String) {
        #expect(throws: JSONPointerError.self) { try JSONPointer(uriFragment: text) }
    }

    @Test func codingPathsBecomePointers() throws {
        do {
            _ = try JSONDecoder().decode([String: [Int]].self, from: Data(#"{"a/b":[1,"x"]}"#.utf8))
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(JSONPointer(codingPath: context.codingPath).description == "/a~1b/1")
        }
    }

    @Test func pointersAreCodedAsText() throws {
        let pointer = JSONPointer(tokens: ["a/b", "0"])
        #expect(try String(decoding: JSONEncoder().encode([pointer]), as: UTF8.self).contains("a~1b"))
        #expect(try JSONDecoder().decode([JSONPointer].self, from: JSONEncoder().encode([pointer])) == [pointer])
    }
}
