// RFC 6902: its own examples, and the cases of the public json-patch-tests (github.com/json-patch/json-patch-tests),
// with documents of our own. Each case is checked twice: against its expectation, and against the naive implementation.

import Foundation
import JSONTestSupport
import ReactiveJSON
import TestSupport
import Testing

@Suite struct JSONPatchTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let document: String
        let patch: String
        /// The document afterwards, or `nil` if the patch must fail.
        let expected: String?
        var testDescription: String { name }

        init(_ name: String, _ document: String, _ patch: String, _ expected: String?) {
            (self.name, self.document, self.patch, self.expected) = (name, document, patch, expected)
        }
    }

    /// RFC 6902, appendix A.
    static let appendix: [Case] = [
        Case(
            "A.1 adding an object member", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#,
            #"{"baz":"qux","foo":"bar"}"#),
        Case(
            "A.2 adding an array element", #"{"foo":["bar","baz"]}"#,
            #"[{"op":"add","path":"/foo/1","value":"qux"}]"#, #"{"foo":["bar","qux","baz"]}"#),
        Case(
            "A.3 removing an object member", #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#,
            #"{"foo":"bar"}"#),
        Case(
            "A.4 removing an array element", #"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#,
            #"{"foo":["bar","baz"]}"#),
        Case(
            "A.5 replacing a value", #"{"baz":"qux","foo":"bar"}"#,
            #"[{"op":"replace","path":"/baz","value":"boo"}]"#, #"{"baz":"boo","foo":"bar"}"#),
        Case(
            "A.6 moving a value", #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#),
        Case(
            "A.7 moving an array element", #"{"foo":["all","grass","cows","eat"]}"#,
            #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#, #"{"foo":["all","cows","eat","grass"]}"#),
        Case(
            "A.8 testing a value: success", #"{"baz":"qux","foo":["a",2,"c"]}"#,
            #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
            #"{"baz":"qux","foo":["a",2,"c"]}"#),
        Case("A.9 testing a value: error", #"{"baz":"qux"}"#, #"[{"op":"test","path":"/baz","value":"bar"}]"#, nil),
        Case(
            "A.10 adding a nested member object", #"{"foo":"bar"}"#,
            #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            #"{"foo":"bar","child":{"grandchild":{}}}"#
        ),
        Case(
            "A.11 ignoring unrecognized elements", #"{"foo":"bar"}"#,
            #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#, #"{"foo":"bar","baz":"qux"}"#),
        Case(
            "A.12 adding to a nonexistent target", #"{"foo":"bar"}"#,
            #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#, nil),
        Case(
            "A.14 ~ escape ordering", #"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#,
            #"{"/":9,"~1":10}"#),
        Case(
            "A.15 comparing strings and numbers", #"{"/":9,"~1":10}"#,
            #"[{"op":"test","path":"/~01","value":"10"}]"#, nil),
        Case(
            "A.16 adding an array value", #"{"foo":["bar"]}"#,
            #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#, #"{"foo":["bar",["abc","def"]]}"#),
    ]

    /// The cases of json-patch-tests (tests.json and spec_tests.json) beyond the appendix.
    static let suite: [Case] = [
        Case("an empty patch changes nothing", #"{"a":[1]}"#, "[]", #"{"a":[1]}"#),
        Case("add replaces a member", #"{"a":null}"#, #"[{"op":"add","path":"/a","value":1}]"#, #"{"a":1}"#),
        Case("add into an empty root array", "[]", #"[{"op":"add","path":"/0","value":"x"}]"#, #"["x"]"#),
        Case("a scalar root can be replaced", #""x""#, #"[{"op":"replace","path":"","value":2}]"#, "2"),
        Case("add replaces an object root by an array", "{}", #"[{"op":"add","path":"","value":[]}]"#, "[]"),
        Case("add replaces an array root by an object", "[]", #"[{"op":"add","path":"","value":{}}]"#, "{}"),
        Case("- appends to the root", "[]", #"[{"op":"add","path":"/-","value":1}]"#, "[1]"),
        Case(
            "- appends deep down", "[1,[2,[3]]]", #"[{"op":"add","path":"/1/1/-","value":{"x":[]}}]"#,
            #"[1,[2,[3,{"x":[]}]]]"#),
        Case("/ is the member with the empty key", "{}", #"[{"op":"add","path":"/","value":1}]"#, #"{"":1}"#),
        Case(
            "a trailing slash is an empty key", #"{"a":{}}"#, #"[{"op":"add","path":"/a/","value":1}]"#,
            #"{"a":{"":1}}"#),
        Case(
            "add sets a member within an element", #"[{"a":1}]"#, #"[{"op":"add","path":"/0/b","value":[1,2]}]"#,
            #"[{"a":1,"b":[1,2]}]"#),
        Case("add beyond the end", #"{"a":[1,2]}"#, #"[{"op":"add","path":"/a/8","value":5}]"#, nil),
        Case("add one beyond the end", "[1,2]", #"[{"op":"add","path":"/3","value":5}]"#, nil),
        Case("add at the end", "[1,2]", #"[{"op":"add","path":"/2","value":5}]"#, "[1,2,5]"),
        Case("add at the start", "[1,2]", #"[{"op":"add","path":"/0","value":5}]"#, "[5,1,2]"),
        Case("add at a negative index", "[1,2]", #"[{"op":"add","path":"/-1","value":5}]"#, nil),
        Case("add at a key of an array", "[1,2]", #"[{"op":"add","path":"/a","value":5}]"#, nil),
        Case("add true", "{}", #"[{"op":"add","path":"/a","value":true}]"#, #"{"a":true}"#),
        Case("add null", "{}", #"[{"op":"add","path":"/a","value":null}]"#, #"{"a":null}"#),
        Case("0 is a key in an object", "{}", #"[{"op":"add","path":"/0","value":1}]"#, #"{"0":1}"#),
        Case(
            "an added array is not flattened", "[1,2]", #"[{"op":"add","path":"/1","value":[3,4]}]"#, "[1,[3,4],2]"),
        Case(
            "1e0 is a key in an object", #"{"1e0":2}"#, #"[{"op":"test","path":"/1e0","value":2}]"#, #"{"1e0":2}"#),
        Case("1e0 is no index: test", "[1,2]", #"[{"op":"test","path":"/1e0","value":2}]"#, nil),
        Case("1e0 is no index: add", "[1,2]", #"[{"op":"add","path":"/1e0","value":2}]"#, nil),
        Case("1e0 is no index: remove", "[1,2]", #"[{"op":"remove","path":"/1e0"}]"#, nil),
        Case("1e0 is no index: remove below", #"[1,{"a":1}]"#, #"[{"op":"remove","path":"/1e0/a"}]"#, nil),
        Case("1e0 is no index: replace", "[1,2]", #"[{"op":"replace","path":"/1e0","value":3}]"#, nil),
        Case("1e0 is no index: copy", #"{"a":[1,2]}"#, #"[{"op":"copy","from":"/a/1e0","path":"/b"}]"#, nil),
        Case("1e0 is no index: move", #"{"a":[1,2]}"#, #"[{"op":"move","from":"/a/1e0","path":"/b"}]"#, nil),
        Case("00 is no index", "[1,2]", #"[{"op":"test","path":"/00","value":1}]"#, nil),
        Case("01 is no index", "[1,2]", #"[{"op":"test","path":"/01","value":2}]"#, nil),
        Case("remove a member", #"{"a":1,"b":[1]}"#, #"[{"op":"remove","path":"/b"}]"#, #"{"a":1}"#),
        Case("remove a nested member", #"{"a":[{"b":1}]}"#, #"[{"op":"remove","path":"/a/0/b"}]"#, #"{"a":[{}]}"#),
        Case("remove a null", #"{"a":null}"#, #"[{"op":"remove","path":"/a"}]"#, "{}"),
        Case("remove twice", "[1,2,3,4]", #"[{"op":"remove","path":"/1"},{"op":"remove","path":"/2"}]"#, "[1,3]"),
        Case("remove what is not there", #"{"a":1}"#, #"[{"op":"remove","path":"/b"}]"#, nil),
        Case("remove an element that is not there", "[1,2]", #"[{"op":"remove","path":"/2"}]"#, nil),
        Case("remove at -", "[1,2]", #"[{"op":"remove","path":"/-"}]"#, nil),
        Case("remove below what is not there", #"{"a":1}"#, #"[{"op":"remove","path":"/b/c"}]"#, nil),
        Case("replace by an array", #"{"a":1}"#, #"[{"op":"replace","path":"/a","value":[1,2]}]"#, #"{"a":[1,2]}"#),
        Case("replace an element by null", "[1]", #"[{"op":"replace","path":"/0","value":null}]"#, "[null]"),
        Case("replace a null", #"{"a":null}"#, #"[{"op":"replace","path":"/a","value":"t"}]"#, #"{"a":"t"}"#),
        Case(
            "a replacing array is not flattened", "[1,2]", #"[{"op":"replace","path":"/1","value":[3,4]}]"#,
            "[1,[3,4]]"),
        Case("replace the document", #"{"a":1}"#, #"[{"op":"replace","path":"","value":{"b":2}}]"#, #"{"b":2}"#),
        Case("replace a member that is not there", #"{"a":1}"#, #"[{"op":"replace","path":"/b","value":1}]"#, nil),
        Case("replace below what is not there", #"{"a":1}"#, #"[{"op":"replace","path":"/b/c","value":1}]"#, nil),
        Case("replace beyond the end", "[1]", #"[{"op":"replace","path":"/1","value":1}]"#, nil),
        Case("test null", #"{"a":null}"#, #"[{"op":"test","path":"/a","value":null}]"#, #"{"a":null}"#),
        Case(
            "test in another order", #"{"a":[{"b":1,"c":2}]}"#,
            #"[{"op":"test","path":"/a","value":[{"c":2,"b":1}]}]"#, #"{"a":[{"b":1,"c":2}]}"#),
        Case("test the document", #"{"a":1}"#, #"[{"op":"test","path":"","value":{"a":1}}]"#, #"{"a":1}"#),
        Case(
            "test an object against an array", #"{"a":{"b":[1]}}"#, #"[{"op":"test","path":"/a","value":[1]}]"#, nil
        ),
        Case("test what is not there", #"{"a":1}"#, #"[{"op":"test","path":"/b","value":null}]"#, nil),
        Case(
            "test compares numbers by value", #"{"a":1.0}"#, #"[{"op":"test","path":"/a","value":1}]"#, #"{"a":1}"#),
        Case("test keeps numbers and strings apart", #"{"a":1}"#, #"[{"op":"test","path":"/a","value":"1"}]"#, nil),
        Case("move to the same place", #"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/a"}]"#, #"{"a":1}"#),
        Case(
            "move what is not there to the same place", #"{"a":1}"#, #"[{"op":"move","from":"/b","path":"/b"}]"#,
            nil),
        Case("move a member", #"{"a":1,"c":2}"#, #"[{"op":"move","from":"/a","path":"/b"}]"#, #"{"b":1,"c":2}"#),
        Case("move a null", #"{"a":null}"#, #"[{"op":"move","from":"/a","path":"/b"}]"#, #"{"b":null}"#),
        Case(
            "move out of an element, next to it", #"[{"a":1}]"#, #"[{"op":"move","from":"/0/a","path":"/1"}]"#,
            "[{},1]"),
        Case("move counts after the removal", "[1,2,3]", #"[{"op":"move","from":"/0","path":"/2"}]"#, "[2,3,1]"),
        Case("move counts after the removal, beyond", "[1,2,3]", #"[{"op":"move","from":"/0","path":"/3"}]"#, nil),
        Case(
            "move over what it was in", #"{"a":{"b":[1]}}"#, #"[{"op":"move","from":"/a/b","path":"/a"}]"#,
            #"{"a":[1]}"#),
        Case("move into itself", #"{"a":{"b":1}}"#, #"[{"op":"move","from":"/a","path":"/a/b"}]"#, nil),
        Case("move what is not there", #"{"a":1}"#, #"[{"op":"move","from":"/b","path":"/c"}]"#, nil),
        Case(
            "copy a member", #"{"a":[{"b":1}]}"#, #"[{"op":"copy","from":"/a/0","path":"/c"}]"#,
            #"{"a":[{"b":1}],"c":{"b":1}}"#),
        Case("copy a null", #"{"a":null}"#, #"[{"op":"copy","from":"/a","path":"/b"}]"#, #"{"a":null,"b":null}"#),
        Case(
            "copy into itself", #"{"a":{"b":1}}"#, #"[{"op":"copy","from":"/a","path":"/a/c"}]"#,
            #"{"a":{"b":1,"c":{"b":1}}}"#),
        Case("copy the document", "[1]", #"[{"op":"copy","from":"","path":"/-"}]"#, "[1,[1]]"),
        Case("copy what is not there", "{}", #"[{"op":"copy","from":"/a","path":"/b"}]"#, nil),
        Case(
            "a copy is independent", "[[1]]",
            #"[{"op":"copy","from":"/0","path":"/1"},{"op":"add","path":"/1/-","value":2}]"#, "[[1],[1,2]]"),
        Case(
            "unknown members are ignored", #"{"a":1}"#, #"[{"op":"test","path":"/a","value":1,"spurious":1}]"#,
            #"{"a":1}"#),
        Case(
            "a key of many strange letters", #"{"i\\j":{"k\"l":[" "]}}"#,
            #"[{"op":"test","path":"/i\\j/k\"l/0","value":" "}]"#, #"{"i\\j":{"k\"l":[" "]}}"#),
        Case(
            "a failure takes back all before it", #"{"a":1}"#,
            #"[{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}]"#, nil),
    ]

    @Test(arguments: appendix + suite)
    func thePublicCasesHold(_ test: Case) throws {
        let document = try JSONValue(parsing: test.document)
        let patch = try JSONPatch(parsing: test.patch)
        guard let expected = test.expected else {
            let error = #expect(throws: JSONPatchError.self) { try patch.applying(to: document) }
            #expect(error?.index == patch.operations.count - 1)
            #expect(error?.operation == patch.operations.last?.description)
            #expect(throws: NaiveJSONPatch.Failure.self) { try NaiveJSONPatch.apply(patch, to: document) }
            return
        }
        let after = try patch.applying(to: document)
        #expect(try after == JSONValue(parsing: expected))
        #expect(try NaiveJSONPatch.apply(patch, to: document) == after)
        #expect(try patch.inverse(for: document).applying(to: after) == document)
    }

    @Test(
        arguments: [
            (#"{"op":"add"}"#, "a patch must be an array"), ("[1]", "operation 0 1: an operation must be an object"),
            (#"[{"op":"add","path":"/-"}]"#, "\"value\" is missing"),
            (#"[{"op":"replace","path":"/0"}]"#, "\"value\" is missing"),
            (#"[{"op":"test","path":"/0"}]"#, "\"value\" is missing"),
            (#"[{"op":"copy","path":"/-"}]"#, "\"from\" is missing"),
            (#"[{"op":"test","path":"","value":1},{"op":"move","path":""}]"#, "operation 1"),
            (#"[{"op":"remove"}]"#, "\"path\" is missing"), (#"[{"path":"/a","value":1}]"#, "\"op\" is missing"),
            (#"[{"op":"spam","path":"/a","value":1}]"#, "unknown operation \"spam\""),
            (#"[{"op":7,"path":"/a"}]"#, "\"op\" must be a string, not a number"),
            (#"[{"op":"remove","path":null}]"#, "\"path\" must be a string, not null"),
            (#"[{"op":"remove","path":"a"}]"#, "a pointer must be empty or start with /"),
            (#"[{"op":"copy","from":"a~","path":"/b"}]"#, "in \"from\""),
        ])
    func invalidPatchesAreRefused(_ text: String, _ reason: String) throws {
        let error = #expect(throws: JSONPatchError.self) { try JSONPatch(parsing: text) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        #expect(throws: (any Error).self) { try JSONDecoder().decode(JSONPatch.self, from: Data(text.utf8)) }
    }

    @Test func errorsNameTheOperationAndThePath() throws {
        let patch: JSONPatch = [
            .add(path: .root.appending("a"), value: 1), .remove(path: JSONPointer(tokens: ["b", "c"])),
        ]
        let error = #expect(throws: JSONPatchError.self) { try patch.applying(to: ["b": [1]]) }
        #expect(error?.index == 1)
        #expect(error?.path?.description == "/b/c")
        #expect(
            error?.description == """
                JSON Patch, operation 1 {"op":"remove","path":"/b/c"}, path "/b/c": at /b, "c" is not an array index \
                (digits without leading zeros)
                """)
    }

    @Test func patchesAreCodedInTheFormOfTheRFC() throws {
        let text = """
            [{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"},{"op":"replace","path":"/c","value":null},\
            {"from":"/d","op":"move","path":"/e"},{"from":"/f","op":"copy","path":"/g~1h"},\
            {"op":"test","path":"","value":{"x":[1.5]}}]
            """
        let patch = try JSONPatch(parsing: text)
        #expect(patch.description == text)
        let encoder = JSONEncoder()
        #expect(try JSONDecoder().decode(JSONPatch.self, from: encoder.encode(patch)) == patch)
        #expect(try JSONValue(parsing: encoder.encode(patch)) == patch.json)
        let operation = try #require(patch.operations.first)
        #expect(try JSONDecoder().decode(JSONPatch.Operation.self, from: encoder.encode(operation)) == operation)
    }

    @Test func onlyPatchesOfTwoDocumentsKnowTheirInverse() throws {
        let patch = JSONPatch(from: ["a": 1], to: ["b": 2])
        #expect(try patch.inverse.inverse == patch)
        let decoded = try JSONPatch(json: patch.json)
        let error = #expect(throws: JSONPatchError.self) { try decoded.inverse }
        #expect(error?.description.contains("inverse(for: document)") == true)
        #expect(try decoded.invertible(for: ["a": 1]).inverse.applying(to: ["b": 2]) == ["a": 1])
        let later = JSONPatch(from: ["b": 2], to: ["b": 3])
        #expect(try patch.appending(later).inverse.applying(to: ["b": 3]) == ["a": 1])
        #expect(throws: JSONPatchError.self) { try decoded.appending(later).inverse }
    }

    @Test func randomOperationsAgreeWithTheNaiveImplementation() throws {
        for seed in seeds(600) {
            var random = RandomDocuments(seed: seed)
            let document = random.document()
            var after = document
            var operations: [JSONPatch.Operation] = []
            for _ in 0..<random.below(6) {
                let operation = random.operation(for: after)
                operations.append(operation)
                guard let next = try? NaiveJSONPatch.apply([operation], to: after) else { break }
                after = next
            }
            let patch = JSONPatch(operations)
            let judged = try? NaiveJSONPatch.apply(patch, to: document)
            let result = try? patch.applying(to: document)
            #expect(result == judged, "seed \(seed): \(patch) on \(document)")
            guard let result else { continue }
            let inverse = try patch.inverse(for: document)
            #expect(
                (try? NaiveJSONPatch.apply(inverse, to: result)) == document,
                "seed \(seed): \(inverse) on \(result)")
        }
    }
}
