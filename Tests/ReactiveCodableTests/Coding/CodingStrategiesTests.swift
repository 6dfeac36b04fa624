// Strategies of coders that depend on the path of a key, or that encode values of Foundation themselves.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

private final class Part: Codable {
    @Observable var firstName = "a"
    @Observable var lastName: String? = "b"
}

private struct Root: Codable {
    @Observable var someParts = [Part(), Part()]
    @Observable var partsByNumber = [1: Part(), 2: Part()]
    private(set) var rowsByNumber: ObservableDictionary = [1: Part(), 2: Part()]
    private(set) var rowsByName: ObservableDictionary = ["aName": Part(), "bName": Part()]
}

extension ReactiveCodableTests {
    @Suite struct CodingStrategiesTests {
        @Test func namesMayDependOnPositions() throws {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .custom { path in
                AnyKey(path.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: "-"))
            }
            let root = Root()
            var patch: JSONPatch = []
            let observation = deepObserve(root) { changes in
                if let next = try? changes.jsonPatch(using: encoder) { patch = patch.appending(next) }
            }
            defer { observation.cancel() }
            let edits: [() -> Void] = [
                { root.someParts.insert(Part(), at: 0) }, { root.someParts[2].firstName = "x" },
                { root.someParts.remove(at: 1) }, { root.someParts[1].lastName = nil },
                { root.someParts.swapAt(0, 1) },
            ]
            for edit in edits {
                let before = try JSONValue(parsing: encoder.encode(root))
                patch = []
                edit()
                let after = try JSONValue(parsing: encoder.encode(root))
                #expect((try? NaiveJSONPatch.apply(patch, to: before)) == after, "\(patch) on \(before)")
            }
        }

        @Test func customStrategiesForData() throws {
            struct Document: Codable, Equatable { var data = Data([7, 7, 7]) }
            let encoder = JSONEncoder()
            encoder.dataEncodingStrategy = .custom { data, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(data.count)
            }
            let decoder = JSONDecoder()
            decoder.dataDecodingStrategy = .custom { decoder in
                Data(repeating: 7, count: try decoder.singleValueContainer().decode(Int.self))
            }
            let json = try JSONValue(encoding: Document(), using: encoder)
            #expect(json == ["data": 3])
            #expect(try json.decoded(as: Document.self, using: decoder) == Document())
        }

        /// Applies a patch, and compares the state with the patched document.
        private func apply(
            _ patch: String, to root: Root, _ encoder: JSONEncoder, _ decoder: JSONDecoder
        ) throws {
            let before = try JSONValue(parsing: encoder.encode(root))
            let patch = try JSONPatch(parsing: patch)
            try ReactiveCodable.apply(patch, to: root, encoder: encoder, decoder: decoder)
            #expect(try JSONValue(parsing: encoder.encode(root)) == patch.applying(to: before))
            let copy = try JSONValue(encoding: root, using: encoder).decoded(as: Root.self, using: decoder)
            #expect(try JSONValue(encoding: copy) == JSONValue(encoding: root))
        }

        @Test func namesThatAreConvertedLeadToMembers() throws {
            let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
            encoder.keyEncodingStrategy = .convertToSnakeCase
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let root = Root()
            try apply(
                #"""
                [{"op":"replace","path":"/some_parts/0/first_name","value":"x"},
                 {"op":"add","path":"/parts_by_number/3","value":{"first_name":"y","last_name":"z"}},
                 {"op":"replace","path":"/rows_by_number/2/last_name","value":"w"},
                 {"op":"remove","path":"/rows_by_number/1"},
                 {"op":"add","path":"/rows_by_name/cName","value":{"first_name":"y"}}]
                """#, to: root, encoder, decoder)
            #expect(root.someParts[0].firstName == "x" && root.partsByNumber[3]?.lastName == "z")
            #expect(root.rowsByNumber.count == 1 && root.rowsByNumber[2]?.lastName == "w")
            #expect(root.rowsByName["cName"]?.firstName == "y" && root.rowsByName["cName"]?.lastName == nil)
        }

        @Test func namesOfNumbersAreConvertedToo() throws {
            let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
            encoder.keyEncodingStrategy = .custom { Name("k" + ($0.last?.stringValue ?? "")) }
            decoder.keyDecodingStrategy = .custom { Name(String(($0.last?.stringValue ?? "").dropFirst())) }
            let root = Root()
            let kept = root.rowsByNumber[1]
            try apply(
                #"""
                [{"op":"replace","path":"/krowsByNumber/k2/kfirstName","value":"x"},
                 {"op":"replace","path":"/kpartsByNumber/k1/kfirstName","value":"y"},
                 {"op":"add","path":"/krowsByNumber/k3","value":{"kfirstName":"z"}}]
                """#, to: root, encoder, decoder)
            #expect(root.rowsByNumber[2]?.firstName == "x" && root.partsByNumber[1]?.firstName == "y")
            #expect(root.rowsByNumber[3]?.firstName == "z" && root.rowsByNumber[1] === kept)
        }

        /// A key that is a number if its name is one.
        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { Int(stringValue) }
            init(_ name: String) { stringValue = name }
            init?(stringValue: String) { self.init(stringValue) }
            init?(intValue: Int) { self.init("\(intValue)") }
        }
    }
}
