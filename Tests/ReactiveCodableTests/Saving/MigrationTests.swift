// Documents of older and newer versions, and migrations that fail.

import Foundation
import Reactive
import ReactiveCodable
import Testing

extension ReactiveCodableTests {
    @Suite struct MigrationTests {
        private struct Document: Codable {
            @Observable var title = ""
            @Observable var words = 0
        }

        private struct Refusal: Error {}

        private static let migrations: Migrations = [
            { json in
                let (name, title) = (try JSONPointer("/name"), try JSONPointer("/title"))
                return try JSONPatch([.move(from: name, path: title)]).applying(to: json)
            },
            { json in
                guard case .string(let title)? = json["title"] else { throw Refusal() }
                let count = JSONValue.number(JSONNumber(title.split(separator: " ").count))
                return try JSONPatch([.add(path: JSONPointer("/words"), value: count)]).applying(to: json)
            },
        ]

        private func load(_ contents: String) throws -> Document {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data(contents.utf8).write(to: url)
                return try ReactiveCodable.load(from: url, migrating: Self.migrations)
            }
        }

        private func error(_ contents: String) throws -> (kind: LoadingError.Kind, text: String) {
            let error = try #require(throws: LoadingError.self) { try load(contents) }
            return (error.kind, error.description.replacingOccurrences(of: error.path, with: "FILE"))
        }

        @Test func eachVersionIsMigratedToTheCurrentOne() throws {
            for contents in [
                #"{"name": "a b"}"#, #"{"version": 0, "document": {"name": "a b"}}"#,
                #"{"version": 1, "document": {"title": "a b"}}"#,
                #"{"version": 2, "document": {"title": "a b", "words": 2}}"#,
            ] {
                let document = try load(contents)
                #expect(document.title == "a b" && document.words == 2, "\(contents)")
            }
        }

        // It has no version of ours, whatever its members are called.
        @Test func aDocumentMayHaveMembersWithTheNamesOfOurs() throws {
            struct Plain: Codable, Equatable {
                var version: Int
                var document: String
                var other: Int?
            }
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                for plain in [Plain(version: 1, document: "a", other: 2), Plain(version: -1, document: "a")] {
                    try JSONEncoder().encode(plain).write(to: url)
                    #expect(try ReactiveCodable.load(Plain.self, from: url, migrating: []) == plain)
                }
            }
        }

        @Test func aNewerVersionIsAClearError() throws {
            let (kind, text) = try error(#"{"version": 3, "document": {}}"#)
            #expect(kind == .newer(version: 3))
            #expect(
                text.hasPrefix(
                    "FILE could not be loaded: it has version 3, and this program supports versions up to 2."))
        }

        @Test func aMigrationThatFailsIsNamed() throws {
            let (kind, text) = try error(#"{"version": 1, "document": {"title": 7}}"#)
            #expect(kind == .migration(from: 1))
            #expect(text == "FILE could not be loaded: the migration from version 1 to 2 failed: Refusal().")
            #expect(try error(#"{"title": "a"}"#).kind == .migration(from: 0))
        }

        @Test func invalidDocumentsAreTheUsualErrors() throws {
            #expect(try error(#"{"name": "a"#).kind == .malformed(line: 1, column: 12))
            #expect(try error("").kind == .malformed(line: nil, column: nil))
            #expect(
                try error(#"{"version": 2, "document": {"title": 1, "words": 2}}"#).kind
                    == .mismatched(pointer: "/title"))
        }

        @Test(arguments: [SavingForm.document, .journal])
        func aMigratedDocumentIsSavedInTheCurrentVersion(_ form: SavingForm) throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data(#"{"name": "a b"}"#.utf8).write(to: url)
                let document = try ReactiveCodable.load(Document.self, from: url, migrating: Self.migrations)
                let autosave = autosave(
                    document, to: url, as: form, version: Self.migrations.version, schedule: .custom { _ in })
                for title in ["c", "d e f"] {
                    document.title = title
                    try autosave.flush()
                    let loaded = try ReactiveCodable.load(Document.self, from: url, migrating: Self.migrations)
                    #expect(loaded.title == title && loaded.words == 2)
                }
                autosave.cancel()
                #expect(try folder.names.allSatisfy { !$0.contains("damaged") })
            }
        }

        @Test func anAutosaveWithAVersionAcceptsItsOwnDocuments() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                for (contents, isMoved) in [
                    (#"{"version":2,"document":{"title":"a","words":1}}"#, false),
                    (#"{"version":1,"document":{"title":"a"}}"#, false),
                    (#"{"version":2,"document":{"words":"x"}}"#, true),
                ] {
                    try Data(contents.utf8).write(to: url)
                    let autosave = autosave(Document(), to: url, version: 2, schedule: .custom { _ in }) { _ in }
                    try autosave.flush()
                    autosave.cancel()
                    #expect(try folder.names.contains("file.damaged-1") == isMoved, "\(contents)")
                }
            }
        }

        /// A document without `Decodable`: only its syntax and its version can be checked.
        private struct Unreadable: Encodable {
            @Observable var title = ""
        }

        @Test(arguments: [SavingForm.document, .journal], [nil, 2] as [Int?])
        func aFileOfANewerVersionIsMovedAside(_ form: SavingForm, _ version: Int?) throws {
            let contents = #"{"version":9,"document":{"title":"a","words":1}}"#
            for object in [Document(), Unreadable()] as [any Encodable] {
                // In the last case, the file appears while the autosave is running.
                for (isWrittenHere, isLater) in [(false, false), (true, false), (false, true)] {
                    try withFolder { folder in
                        let url = folder.appendingPathComponent("file")
                        func start(_ object: some Encodable, _ version: Int?) -> Autosave {
                            ReactiveCodable.autosave(
                                object, to: url, as: form, version: version, schedule: .custom { _ in }
                            ) { _ in }
                        }
                        func write() throws {
                            if isWrittenHere {
                                let autosave = start(Document(), 9)
                                try autosave.flush()
                                autosave.cancel()
                            } else {
                                try Data(contents.utf8).write(to: url)
                            }
                        }
                        if !isLater { try write() }
                        let autosave = start(object, version)
                        if isLater { try write() }
                        try autosave.flush()
                        autosave.cancel()
                        let aside = folder.appendingPathComponent("file.damaged-1")
                        let text = aside.text ?? ""
                        #expect(text.contains(#""version":9"#), "\(object), \(isWrittenHere), \(isLater)")
                    }
                }
            }
        }

        /// The message of an error of loading without migrations.
        private func plainMessage<Value: Decodable>(_ contents: String, _ type: Value.Type) throws -> String {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data(contents.utf8).write(to: url)
                let error = try #require(throws: LoadingError.self) { try ReactiveCodable.load(type, from: url) }
                return error.description.replacingOccurrences(of: url.path, with: "FILE")
            }
        }

        @Test func aLoadWithoutMigrationsNamesTheVersion() throws {
            struct Own: Codable {
                var version: Int
                var document: String
            }
            let contents = #"{"version": 2, "document": {"title": "a", "words": 1}}"#
            #expect(
                try plainMessage(contents, Document.self) == """
                    FILE could not be loaded: it has version 2, and migrating: is missing. Pass the migrations to \
                    load. As a document without a version, at the root: the member "title" is missing.
                    """)
            #expect(try plainMessage(contents, [Int].self).contains("it has version 2"))
            // This type has the two members itself.
            #expect(try plainMessage(contents, Own.self).hasPrefix("FILE could not be loaded: at /document: "))
            let other = try plainMessage(#"{"version": 2}"#, Document.self)
            #expect(other.hasPrefix("FILE could not be loaded: at the root: "))
        }
    }
}
