// Errors of `load` for invalid files.

import Foundation
import Reactive
import ReactiveCodable
import Testing

extension ReactiveCodableTests {
    @Suite struct LoadTests {
        private struct Document: Codable {
            struct Page: Codable { @Observable var number: Int }
            struct Part: Codable {
                @Observable var name = ""
                @Observable var pages: [Page] = []
            }
            @Observable var title = ""
            @Observable var parts: [Part] = []
        }

        /// The error of loading a file with the given contents, without the path of the file.
        private func error(_ contents: String) throws -> (kind: LoadingError.Kind, message: String) {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file.json")
                try Data(contents.utf8).write(to: url)
                let error = try #require(throws: LoadingError.self) { try load(Document.self, from: url) }
                return (error.kind, error.description.replacingOccurrences(of: url.path, with: "FILE"))
            }
        }

        @Test func savedStateIsLoaded() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file.json")
                try Data(#"{"title": "a", "parts": [{"name": "b"}]}"#.utf8).write(to: url)
                let document: Document = try load(from: url)
                #expect(document.title == "a" && document.parts[0].name == "b")
            }
        }

        @Test func aMissingFileIsNamed() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file.json")
                let error = try #require(throws: LoadingError.self) { try load(Document.self, from: url) }
                #expect(error.kind == .noFile)
                #expect(error.description == "\(url.path) could not be loaded: there is no such file.")
            }
        }

        /// In a closure, `do` alone would throw `any Error`.
        @Test func theKindOfAnErrorCanBeReadInAClosure() throws {
            try withFolder { folder in
                let kind = IndependentGraph().run {
                    do throws(LoadingError) {
                        _ = try load(Document.self, from: folder.appendingPathComponent("file.json"))
                        return LoadingError.Kind?.none
                    } catch {
                        return error.kind
                    }
                }
                #expect(kind == .noFile)
            }
        }

        @Test func aFolderAndAPathThroughAFileAreUnreadable() throws {
            try withFolder { folder in
                let error = try #require(throws: LoadingError.self) { try load(Document.self, from: folder) }
                #expect(error.kind == .unreadable && error.description.hasSuffix("could not be read: it is a folder."))
                let file = folder.appendingPathComponent("file")
                try Data("{}".utf8).write(to: file)
                let below = try #require(throws: LoadingError.self) {
                    try load(Document.self, from: file.appendingPathComponent("below"))
                }
                #expect(below.kind == .unreadable && below.description.hasSuffix("Not a directory."), "\(below)")
            }
        }

        @Test func brokenJSONHasLineAndColumn() throws {
            let (kind, message) = try error("{\n  \"title\": \"a\",\n  \"parts\": [}\n")
            #expect(kind == .malformed(line: 3, column: 13))
            #expect(message.hasPrefix("FILE could not be loaded: invalid JSON at line 3, column 13: "))
            #expect(try error("").message == "FILE could not be loaded: the file is empty.")
            #expect(try error(#"{"title": "a"#).kind == .malformed(line: 1, column: 13))
        }

        @Test func theWrongShapeHasItsPath() throws {
            let wrong = try error(#"{"title": "a", "parts": [{"name": "b", "pages": []}, {"name": 1, "pages": []}]}"#)
            #expect(wrong.kind == .mismatched(pointer: "/parts/1/name"))
            #expect(wrong.message.hasPrefix("FILE could not be loaded: at /parts/1/name: "))
            let missing = try error(#"{"title": "a", "parts": [{"name": "b", "pages": [{}]}]}"#)
            #expect(missing.kind == .mismatched(pointer: "/parts/0/pages/0"))
            #expect(
                missing.message == "FILE could not be loaded: at /parts/0/pages/0: the member \"number\" is missing.")
            #expect(try error("[]").kind == .mismatched(pointer: ""))
        }

        @Test func thePathOfAnErrorIsAJSONPointer() throws {
            struct Keys: Codable {
                enum CodingKeys: String, CodingKey { case odd = "a/b~c" }
                @Observable var odd = 1
            }
            struct Numbered: Codable {
                enum CodingKeys: Int, CodingKey { case year = 3 }
                @Observable var year = 1
            }
            func kind<T: Decodable>(_ type: T.Type, _ contents: String) throws -> LoadingError.Kind? {
                try withFolder { folder throws in
                    let url = folder.appendingPathComponent("file")
                    try Data(contents.utf8).write(to: url)
                    return #expect(throws: LoadingError.self) { try load(type, from: url) }?.kind
                }
            }
            #expect(try kind(Keys.self, #"{"a/b~c": "x"}"#) == .mismatched(pointer: "/a~1b~0c"))
            // The number of a member's key is no index.
            #expect(try kind(Numbered.self, #"{"year": "x"}"#) == .mismatched(pointer: "/year"))
        }

        @Test func aDecoderWithoutACheckerStillTellsBrokenContentsFromWrongOnes() throws {
            struct Page: Codable { @Observable var link = URL(fileURLWithPath: "/") }
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                try Data("no list".utf8).write(to: url)
                let broken = #expect(throws: LoadingError.self) {
                    try load(Page.self, from: url, decoder: PropertyListDecoder())
                }
                #expect(broken?.kind == .malformed(line: nil, column: nil))
                try Data(#"{"link": ""}"#.utf8).write(to: url)
                let wrong = #expect(throws: LoadingError.self) {
                    try load(Page.self, from: url, migrating: Migrations([]))
                }
                #expect(wrong?.kind == .mismatched(pointer: "/link"))
            }
        }

        @Test func anErrorOfATypesInitialiserIsNoBrokenJSON() throws {
            struct Picky: Decodable {
                init(from decoder: any Decoder) throws {
                    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "never good enough"))
                }
            }
            try withFolder { folder in
                let file = folder.appendingPathComponent("file")
                try Data("{}".utf8).write(to: file)
                let error = try #require(throws: LoadingError.self) { try load(Picky.self, from: file) }
                #expect(error.kind == .mismatched(pointer: ""))
                #expect(error.description.hasSuffix("could not be loaded: at the root: never good enough"))
            }
        }
    }
}
