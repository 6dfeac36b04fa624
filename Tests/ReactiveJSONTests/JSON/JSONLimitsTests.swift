// Limits for untrusted JSON: while parsing and while patching.

import Foundation
import JSONTestSupport
import ReactiveJSON
import TestSupport
import Testing

@Suite struct JSONLimitsTests {
    // MARK: - Parsing

    @Test func nestingIsLimitedWhileParsing() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try JSONValue(parsing: nested(512)).depth == 512)
        let error = #expect(throws: JSONParseError.self) { try JSONValue(parsing: nested(513)) }
        #expect(
            error?.description
                == "invalid JSON at line 1, column 513: more than 512 levels of nesting (JSONLimits.depth)")
        let objects = "{\"a\":\n{\"a\":\n{\"a\":1}}}"
        #expect(throws: Never.self) { try JSONValue(parsing: objects, limits: JSONLimits(depth: 3)) }
        let second = #expect(throws: JSONParseError.self) {
            try JSONValue(parsing: objects, limits: JSONLimits(depth: 2))
        }
        #expect(second?.line == 3)
        #expect(second?.column == 1)
        #expect(throws: Never.self) { try JSONValue(parsing: "7", limits: JSONLimits(depth: 0)) }
        #expect(throws: JSONParseError.self) { try JSONValue(parsing: "{}", limits: JSONLimits(depth: 0)) }
    }

    @Test func theNumberOfValuesIsLimitedWhileParsing() throws {
        let text = #"[1,{"a":2,"a":[]}]"#
        #expect(try JSONValue(parsing: text, limits: JSONLimits(valueCount: 5)).valueCount == 4)
        let error = #expect(throws: JSONParseError.self) {
            try JSONValue(parsing: text, limits: JSONLimits(valueCount: 4))
        }
        #expect(error?.column == 15)
        #expect(error?.reason == "more than 4 values (JSONLimits.valueCount)")
    }

    @Test func sizeIsLimitedWhileParsing() throws {
        let text = "[1,\n\"é\"]"
        #expect(throws: Never.self) { try JSONValue(parsing: text, limits: JSONLimits(byteCount: text.utf8.count)) }
        for length in 0..<text.utf8.count {
            let limits = JSONLimits(byteCount: length)
            let error = #expect(throws: JSONParseError.self) { try JSONValue(parsing: text, limits: limits) }
            #expect(error?.reason == "more than \(length) bytes (JSONLimits.byteCount)")
            #expect(error?.line == (length < 4 ? 1 : 2))
            #expect(throws: JSONParseError.self) { try JSONValue(parsing: Data(text.utf8), limits: limits) }
        }
    }

    @Test func randomDocumentsParseWithTheirOwnCountsAsLimitsAndNotWithLess() throws {
        for seed in seeds(300) {
            var random = RandomDocuments(seed: seed)
            let document = random.document(depth: 6)
            let text = document.description
            let own = JSONLimits(
                depth: document.depth, valueCount: document.valueCount, byteCount: text.utf8.count)
            #expect(try JSONValue(parsing: text, limits: own) == document, "seed \(seed)")
            for property in [\JSONLimits.depth, \.valueCount, \.byteCount] where own[keyPath: property] > 0 {
                var less = own
                less[keyPath: property] -= 1
                #expect(throws: JSONParseError.self, "seed \(seed), \(property)") {
                    try JSONValue(parsing: text, limits: less)
                }
            }
        }
    }

    @Test func patchesMayHoldValuesOfTheWholeDepth() throws {
        let deepest = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let patch = try JSONPatch(parsing: #"[{"op":"replace","path":"","value":\#(deepest)}]"#)
        #expect(try patch.applying(to: 1).depth == 512)
        let text = #"[{"op":"replace","path":"","value":[\#(deepest)]}]"#
        #expect(throws: JSONParseError.self) { try JSONPatch(parsing: text) }
        #expect(throws: JSONParseError.self) { try JSONPatch(parsing: Data(text.utf8)) }
        #expect(try JSONPatch(parsing: text, limits: .unlimited).operations.count == 1)
    }

    // MARK: - Patching

    @Test func copiesThatDoubleTheDocumentAreRefused() throws {
        let copies = Array(repeating: #"{"op":"copy","from":"/a","path":"/a/-"}"#, count: 63).joined(separator: ",")
        let patch = try JSONPatch(parsing: "[\(copies)]")
        let document: JSONValue = ["a": [1]]
        let error = #expect(throws: JSONPatchError.self) { try patch.applying(to: document) }
        #expect(error?.index == 22)
        #expect(error?.path?.description == "/a/-")
        #expect(error?.reason.contains("more than 10000000 values (JSONLimits.valueCount)") == true)
        #expect(throws: JSONPatchError.self) { try patch.inverse(for: document) }
        #expect(throws: JSONPatchError.self) { try patch.invertible(for: document) }
    }

    @Test func countsOfDocumentsThatNoMemoryCouldHoldSaturate() throws {
        var value: JSONValue = [["some": "text"]]
        for _ in 0..<70 { value = [value, value] }
        #expect(value.valueCount == .max)
        #expect(value.depth == 72)
        let copies = Array(repeating: JSONPatch.Operation.copy(from: .root, path: .root.appending("-")), count: 70)
        let patched = try JSONPatch(copies).applying(to: [1], limits: .unlimited)
        #expect(patched.valueCount == .max)
        #expect(JSONPatch(from: [value], to: [1]).operations.count == 1)
    }

    @Test func copiesThatDoubleAStringAreRefused() throws {
        let limits = JSONLimits(byteCount: 10_000)
        let text = JSONValue.string(String(repeating: "x", count: 100))
        let copy = JSONPatch.Operation.copy(from: .root, path: .root.appending("-"))
        let error = #expect(throws: JSONPatchError.self) {
            try JSONPatch(Array(repeating: copy, count: 10)).applying(to: [text], limits: limits)
        }
        #expect(error?.index == 6)
        #expect(error?.reason.contains("more than 10000 bytes (JSONLimits.byteCount)") == true)
    }

    @Test func nestingIsLimitedWhilePatching() throws {
        let deeper = JSONPatch.Operation.copy(from: .root, path: .root.appending("a"))
        let patch = JSONPatch(Array(repeating: deeper, count: 600))
        let error = #expect(throws: JSONPatchError.self) { try patch.applying(to: [:]) }
        #expect(error?.index == 511)
        #expect(error?.reason.contains("more than 512 levels of nesting (JSONLimits.depth)") == true)
        #expect(try patch.applying(to: [:], limits: JSONLimits(depth: 601)).depth == 601)
        let limits = JSONLimits(depth: 4)
        let document = try JSONValue(parsing: #"{"a":[[]],"b":{"c":[7]}}"#)
        let moving = try JSONPatch(parsing: #"[{"op":"move","from":"/a","path":"/b/c/-"}]"#)
        #expect(throws: JSONPatchError.self) { try moving.applying(to: document, limits: limits) }
        #expect(try moving.applying(to: document, limits: JSONLimits(depth: 5)).depth == 5)
        let opened = try JSONPatch(
            parsing: #"[{"op":"test","path":"/a/0","value":[]},{"op":"move","from":"/a","path":"/b/c/-"}]"#)
        #expect(throws: JSONPatchError.self) { try opened.applying(to: document, limits: limits) }
        for operation in ["add", "replace"] {
            let patch = try JSONPatch(parsing: #"[{"op":"\#(operation)","path":"/b/c/0","value":[[]]}]"#)
            #expect(throws: JSONPatchError.self) { try patch.applying(to: document, limits: limits) }
            #expect(try patch.applying(to: document, limits: JSONLimits(depth: 5)).depth == 5)
        }
    }

    @Test func removedAndReplacedValuesDoNotCount() throws {
        let document: JSONValue = ["a": [1, 2, 3, 4]]
        let limits = JSONLimits(valueCount: 11)
        let again = try JSONPatch(
            parsing: """
                [{"op":"copy","from":"/a","path":"/b"},{"op":"remove","path":"/b"},\
                {"op":"copy","from":"/a","path":"/c"},{"op":"replace","path":"/c","value":[1,2,3,4]},\
                {"op":"add","path":"/c","value":[4,3,2,1]}]
                """)
        #expect(try again.applying(to: document, limits: limits) == ["a": [1, 2, 3, 4], "c": [4, 3, 2, 1]])
        #expect(throws: JSONPatchError.self) { try again.applying(to: document, limits: JSONLimits(valueCount: 10)) }
        let smaller: JSONPatch = [.replace(path: .root, value: [])]
        #expect(try smaller.applying(to: document, limits: JSONLimits(valueCount: 3)) == [])
    }

    @Test func randomPatchesApplyWithinTheLimitsOfTheirOperations() throws {
        for seed in seeds(300) {
            var random = RandomDocuments(seed: seed)
            var after = random.document()
            let document = after
            var operations: [JSONPatch.Operation] = []
            var most = JSONLimits(depth: 0, valueCount: 0)
            for _ in 0..<6 {
                let operation = random.operation(for: after)
                guard let next = try? JSONPatch([operation]).applying(to: after) else { continue }
                operations.append(operation)
                after = next
                most.depth = max(most.depth, after.depth)
                most.valueCount = max(most.valueCount, after.valueCount)
            }
            let patch = JSONPatch(operations)
            #expect(try patch.applying(to: document, limits: most) == after, "seed \(seed): \(patch) on \(document)")
            guard after.valueCount == most.valueCount, after.valueCount > document.valueCount else { continue }
            most.valueCount -= 1
            #expect(throws: JSONPatchError.self, "seed \(seed): \(patch) on \(document)") {
                try patch.applying(to: document, limits: most)
            }
        }
    }

    @Test func messagesShowTheBeginningOfTheValue() throws {
        let number = String(repeating: "1", count: 1_000) + "e"
        let parsing = #expect(throws: JSONParseError.self) { try JSONValue(parsing: number) }
        #expect(parsing?.reason == String(repeating: "1", count: 40) + "… is not a number")
        let long = JSONValue.array(JSONArray(Array(repeating: "é", count: 1_000)))
        let error = #expect(throws: JSONPatchError.self) {
            try JSONPatch([.test(path: .root, value: 1)]).applying(to: long)
        }
        #expect(error?.reason.hasSuffix("the value is \(long.description.prefix(100))…") == true)
    }
}
