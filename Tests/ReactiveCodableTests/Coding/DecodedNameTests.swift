// The names of decoded state in diagnostics: those of its properties, and never data.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct DecodedNameTests {
        private struct Row: Codable {
            @Observable(named: "row title") var title = ""
            @Observable var note: String?

            var name: String { _title.displayName }
            var noteName: String { _note.displayName }
        }

        private enum Shape: Codable {
            case circle(Observable<Int>)
            case square(side: Observable<Int>)

            var name: String {
                switch self {
                case .circle(let radius): radius.displayName
                case .square(let side): side.displayName
                }
            }
        }

        private final class Document: Codable {
            @Observable(named: "secret") var password = ""
            @Observable var rows: [Row] = []
            var cells: [Observable<Int>] = []
            var scores: [String: Observable<Int>] = [:]
            private(set) var list = ObservableArray<Row>()
            private(set) var cars = ObservableDictionary<String, Observable<Int>>()
            private(set) var tags = ObservableSet<Int>()
            var shapes: [Shape] = []

            enum CodingKeys: String, CodingKey {
                case password = "pw"
                case rows, cells, scores, list, cars, tags, shapes
            }

            var names: [String] {
                [_password.displayName, _rows.displayName, list.displayName, cars.displayName, tags.displayName]
                    + rows.flatMap { [$0.name, $0.noteName] } + cells.map(\.displayName)
                    + scores.values.map(\.displayName) + list.map(\.name)
                    + cars.values.map(\.displayName) + shapes.map(\.name)
            }
        }

        private static let json = """
            {"pw": "1234", "rows": [{"title": "a"}, {"title": "b", "note": "c"}], "cells": [1],
             "scores": {"SECRET": 1}, "list": [{"title": "d"}], "cars": {"SECRET": 2}, "tags": [1],
             "shapes": [{"circle": {"_0": 1}}, {"square": {"side": 2}}]}
            """

        private static let names = [
            "pw", "rows", "list", "cars", "tags", "title", "note", "title", "note", "cells", "scores", "title", "cars",
            "circle", "side",
        ]

        @Test func decodedStateHasTheKeyOfItsProperty() throws {
            let document = try JSONDecoder().decode(Document.self, from: Data(Self.json.utf8))
            #expect(document.names == Self.names)
        }

        @Test func decodersOfThisModuleGiveTheSameNames() throws {
            let json = try JSONValue(parsing: Self.json)
            #expect(try json.decoded(as: Document.self).names == Self.names)
            // An absent member makes `load` decode with the initial values.
            struct Outer: Codable {
                @Observable var isNew = false
                var document: Document
            }
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data("{\"document\": \(Self.json)}".utf8).write(to: url)
                #expect(try load(Outer.self, from: url).document.names == Self.names)
            }
        }

        @Test func stateThatBelongsToNoPropertyIsCalledDecoded() throws {
            let data = Data(#"{"SECRET": 1}"#.utf8)
            let values = try JSONDecoder().decode([String: Observable<Int>].self, from: data)
            #expect(values["SECRET"]?.displayName == "decoded")
            let dictionary = try JSONDecoder().decode(ObservableDictionary<String, Observable<Int>>.self, from: data)
            #expect(dictionary.displayName == "decoded" && dictionary["SECRET"]?.displayName == "decoded")
        }

        @Test func keysOfAnyNameAreData() throws {
            struct AnyKey: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            struct Table: Decodable {
                var cells: [Observable<Int>] = []
                init(from decoder: any Decoder) throws {
                    let container = try decoder.container(keyedBy: AnyKey.self)
                    for key in container.allKeys {
                        cells.append(try container.decode(Observable<Int>.self, forKey: key))
                    }
                }
            }
            struct Book: Decodable { let table: Table }
            let json = #"{"table": {"SECRET": 1}}"#
            #expect(
                try JSONDecoder().decode(Book.self, from: Data(json.utf8)).table.cells[0].displayName == "table")
            #expect(try JSONValue(parsing: json).decoded(as: Book.self).table.cells[0].displayName == "table")
        }

        @Test func convertedKeysAreThoseOfTheProperty() throws {
            struct User: Decodable {
                @Observable var firstName: String
                var name: String { _firstName.displayName }
            }
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let json = #"{"first_name": "Ann"}"#
            #expect(try decoder.decode(User.self, from: Data(json.utf8)).name == "firstName")
            #expect(try JSONValue(parsing: json).decoded(as: User.self, using: decoder).name == "firstName")
        }

        @Test func patchesNameNewStateAndKeepTheNamesOfOldState() throws {
            final class Root: Codable {
                @Observable(named: "the rows") var rows: [Row] = [Row()]
                @Observable(named: "the cells") var cells: [Observable<Int>] = []
                private(set) var cars = ObservableDictionary<String, Observable<Int>>(named: "the cars")

                var names: [String] {
                    [_rows.displayName, _cells.displayName, cars.displayName] + rows.map(\.name)
                        + cells.map(\.displayName) + cars.values.map(\.displayName)
                }
            }
            let root = Root()
            let patch = try JSONPatch(
                parsing: """
                    [{"op": "replace", "path": "/rows/0/title", "value": "a"},
                     {"op": "add", "path": "/rows/1", "value": {"title": "b"}},
                     {"op": "add", "path": "/cells/0", "value": 1},
                     {"op": "add", "path": "/cars/SECRET", "value": 2}]
                    """)
            try apply(patch, to: root)
            #expect(root.rows.map(\.title) == ["a", "b"])
            #expect(
                root.names
                    == ["the rows", "the cells", "the cars", "row title", "title", "the cells", "the cars"])
        }

        @Test func missingPropertiesKeepTheNameAndTheComparisonOfTheirDeclaration() throws {
            struct Settings: Codable {
                @Observable var version: Int
                @Observable(named: "the password") var password = "1234"
                @Observable(equals: .never) var beep = 0
                @Observable var plain = 0
                private(set) var list = ObservableArray([1], equals: .never, named: "the list")
                private(set) var byID = ObservableDictionary<String, Int>(["a": 1], equals: .never, named: "the IDs")
                private(set) var tags = ObservableSet([1], named: "the tags")

                var names: [String] {
                    [_password.displayName, _beep.displayName, list.displayName, byID.displayName, tags.displayName]
                }
            }
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data(#"{"version": 1}"#.utf8).write(to: url)
                let settings = try load(Settings.self, from: url)
                #expect(settings.names == ["the password", "beep", "the list", "the IDs", "the tags"])
                var runs = [0, 0, 0, 0]
                let reactions = [
                    autorun { runs[0] += settings.beep + 1 }, autorun { runs[1] += settings.plain + 1 },
                    autorun { runs[2] += settings.list[0] }, autorun { runs[3] += settings.byID["a"] ?? 0 },
                ]
                settings.beep = 0
                settings.plain = 0
                settings.list[0] = 1
                settings.byID["a"] = 1
                #expect(runs == [2, 1, 2, 2])
                for reaction in reactions { reaction.cancel() }
            }
        }

        @Test func anInitialiserThatWritesKeepsTheNameAndTheComparisonOfTheDeclaration() throws {
            struct Alarm: Decodable {
                @Observable(equals: .never, named: "the beep") var beep = 0

                enum CodingKeys: CodingKey { case beep }

                init(from decoder: any Decoder) throws {
                    let container = try decoder.container(keyedBy: CodingKeys.self)
                    _beep.value = try container.decode(Int.self, forKey: .beep)
                }

                var name: String { _beep.displayName }
            }
            let alarm = try JSONDecoder().decode(Alarm.self, from: Data(#"{"beep": 3}"#.utf8))
            var runs = 0
            let reaction = autorun {
                _ = alarm.beep
                runs += 1
            }
            defer { reaction.cancel() }
            alarm.beep = 3
            #expect(alarm.name == "the beep" && runs == 2)
        }

        @Test func errorsHaveTheSamePathAsThoseOfValues() {
            struct Plain: Decodable {
                struct Inner: Decodable { let count: Int }
                let inner: [Inner]
            }
            struct Observed: Decodable {
                struct Inner: Decodable { @Observable var count: Int }
                let inner: [Inner]
            }
            for inner in [#"{"count": "x"}"#, #"{"count": null}"#, #"{"count": 1.5}"#, #"{"count": {}}"#, "{}"] {
                let json = #"{"inner": [\#(inner)]}"#
                #expect(errorPath(of: Observed.self, json) == errorPath(of: Plain.self, json))
            }
        }

        /// Returns the path of the error that decoding throws.
        private func errorPath<T: Decodable>(of type: T.Type, _ json: String) -> [String] {
            let error = #expect(throws: DecodingError.self) { try JSONDecoder().decode(type, from: Data(json.utf8)) }
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                return context.codingPath.map(\.stringValue)
            default: return ["no error"]
            }
        }

        @Test(.alone) func recordingsAndGraphsShowTheNames() throws {
            struct Recorded: Decodable {
                @Observable var recordedTitle: String
                @Observable var recordedNote: String?
                private(set) var recordedRows = ObservableArray<Int>()
            }
            let recording = Diagnostics.record(limit: .max)
            defer { recording.stop() }
            let json = #"{"recordedTitle": "a", "recordedRows": [1]}"#
            let value = try JSONDecoder().decode(Recorded.self, from: Data(json.utf8))
            let nodes = recording.events.filter { $0.kind == .creation }.compactMap(\.node)
            for name in ["recordedTitle", "recordedNote", "recordedRows"] {
                // It has no source location of its own.
                #expect(nodes.filter { $0.name == name }.map(\.site) == [name])
            }
            let reaction = autorun { _ = (value.recordedTitle, value.recordedRows.count) }
            defer { reaction.cancel() }
            #expect("\(Diagnostics.graph())".contains("observable recordedTitle"))
        }
    }
}
