// A file that does not load is never overwritten: it is moved aside, and that is reported.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct DamagedFileTests {
        private struct Document: Codable {
            @Observable var title = "draft"
        }

        /// The outcome of an autosave for an existing file.
        private struct Outcome {
            var names: [String]
            var moved: [String?]
            var aside: [String?]
        }

        /// Lets an autosave replace a file with the given contents.
        private func outcome(
            _ contents: String, journal: String? = nil, encoder: any DataEncoder = JSONEncoder(),
            _ before: (URL) -> Document = { _ in Document() }
        ) throws -> Outcome {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data(contents.utf8).write(to: url)
                try journal.map { try Data($0.utf8).write(to: url.appendingPathExtension("journal")) }
                let document = before(url)
                let errors = Shared<[any Error]>([])
                func start(_ encoder: some DataEncoder) -> Autosave {
                    ReactiveCodable.autosave(document, to: url, encoder: encoder, schedule: .custom { _ in }) { error in
                        errors.withLock { $0.append(error) }
                    }
                }
                let autosave = start(encoder)
                document.title = "essay"
                try autosave.flush()
                #expect(autosave.lastError == nil)
                autosave.cancel()
                let moved = errors.value.map { ($0 as? SavingError)?.movedAside }
                return Outcome(
                    names: try folder.names, moved: moved.map { $0.map { URL(fileURLWithPath: $0).lastPathComponent } },
                    aside: try folder.names.filter { $0.contains("damaged") }.map {
                        folder.appendingPathComponent($0).text
                    })
            }
        }

        @Test func aFileThatLoadRefusedIsMovedAside() throws {
            for contents in [#"{"title": "#, #"{"name": "x"}"#, "[1]", #"{"title": 1}"#] {
                let outcome = try outcome(contents) { url in
                    (try? load(Document.self, from: url)) ?? Document()
                }
                #expect(outcome.names == ["file", "file.damaged-1"], "\(contents)")
                #expect(outcome.moved == ["file.damaged-1"] && outcome.aside == [contents], "\(contents)")
            }
        }

        @Test func aFileThatWasNotLoadedIsMovedAsideIfItDoesNotDecode() throws {
            for contents in [#"{"title": "#, #"{"title": 1}"#, "[]", "no JSON"] {
                let outcome = try outcome(contents)
                #expect(outcome.names == ["file", "file.damaged-1"] && outcome.aside == [contents], "\(contents)")
            }
        }

        @Test func aFileThatLoadsIsOverwritten() throws {
            for loads in [true, false] {
                let outcome = try outcome(#"{"title": "old"}"#) { url in
                    if loads { #expect(throws: Never.self) { try load(Document.self, from: url) } }
                    return Document()
                }
                #expect(outcome.names == ["file"] && outcome.moved.isEmpty)
            }
            // There is nothing to lose.
            #expect(try outcome("").names == ["file"])
        }

        @Test func theLastLoadDecides() throws {
            struct Old: Codable { var name: String }
            for isLastLoaded in [true, false] {
                let outcome = try outcome(#"{"name": "x"}"#) { url in
                    #expect(throws: LoadingError.self) { try load(Document.self, from: url) }
                    #expect(throws: Never.self) { try load(Old.self, from: url) }
                    if !isLastLoaded { #expect(throws: LoadingError.self) { try load(Document.self, from: url) } }
                    return Document()
                }
                #expect(outcome.names == (isLastLoaded ? ["file"] : ["file", "file.damaged-1"]))
            }
        }

        /// Writes a file with an autosave, which then ends.
        private func save(_ object: some Encodable, to url: URL, as form: SavingForm, version: Int? = nil) throws {
            let autosave = autosave(object, to: url, as: form, version: version, schedule: .custom { _ in }) { error in
                Issue.record(error)
            }
            try autosave.flush()
            autosave.cancel()
        }

        @Test(arguments: [SavingForm.document, .journal], [nil, 2] as [Int?])
        func aFileThatThisProcessWroteAndFailedToLoadIsMovedAside(_ form: SavingForm, _ version: Int?) throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try save(Document(title: "old"), to: url, as: form, version: version)
                let text = url.text
                // A file with a version needs `migrating:`.
                let isLoaded =
                    version == nil
                    ? (try? load(Int.self, from: url)) != nil : (try? load(Document.self, from: url)) != nil
                #expect(!isLoaded)
                let moved = Shared<[String?]>([])
                let document = Document()
                let autosave = autosave(document, to: url, as: form, version: version, schedule: .custom { _ in }) {
                    error in moved.withLock { $0.append((error as? SavingError)?.movedAside) }
                }
                document.title = "new"
                try autosave.flush()
                autosave.cancel()
                let aside = folder.appendingPathComponent("file.damaged-1")
                #expect(moved.value == [aside.path] && aside.text == text)
            }
        }

        @Test func aFileThatAnAutosaveCheckedBeforeItFailedToLoadIsMovedAside() throws {
            let outcome = try outcome(#"{"title": "old"}"#) { url in
                let document = Document()
                autosave(document, to: url, schedule: .custom { _ in }).cancel()
                #expect(throws: LoadingError.self) { try load(Int.self, from: url) }
                return document
            }
            #expect(outcome.names == ["file", "file.damaged-1"])
        }

        @Test(arguments: [SavingForm.document, .journal])
        func aFileThatThisProcessWroteFromADifferentTypeIsMovedAside(_ form: SavingForm) throws {
            struct Other: Codable { @Observable var count = 1 }
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try save(Document(), to: url, as: form)
                func start(_ object: some Encodable) -> Autosave {
                    autosave(object, to: url, as: form, schedule: .custom { _ in }) { _ in }
                }
                for (object, isMoved) in [(Document(title: "new"), false), (Other(), true)] as [(any Encodable, Bool)] {
                    let autosave = start(object)
                    try autosave.flush()
                    autosave.cancel()
                    #expect(try folder.names.contains("file.damaged-1") == isMoved)
                }
            }
        }

        /// An encoder whose decoder is unknown.
        private struct Reversing: DataEncoder {
            func encode<T: Encodable>(_ value: T) throws -> Data { Data(try JSONEncoder().encode(value).reversed()) }
        }

        @Test func aFileInAnUnknownFormatIsOverwrittenOnlyIfThisProcessWroteIt() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data("}{".utf8).write(to: url)
                for title in ["a", "b", "c"] {
                    let document = Document()
                    // One that saves nothing does not change the outcome.
                    ReactiveCodable.autosave(document, to: url, encoder: Reversing(), schedule: .custom { _ in })
                        .cancel()
                    let autosave = autosave(document, to: url, encoder: Reversing(), schedule: .custom { _ in }) { _ in
                    }
                    document.title = title
                    try autosave.flush()
                    autosave.cancel()
                }
                #expect(try folder.names == ["file", "file.damaged-1"])
                #expect(folder.appendingPathComponent("file.damaged-1").text == "}{")
            }
        }

        @Test(arguments: ["folder", "link", "folder/.", "folder/", "link/inner/..", "folder/../link", "./folder"])
        func aPathMayBeSpelledDifferently(_ spelling: String) throws {
            try withFolder { root in
                let folder = root.appendingPathComponent("folder")
                try FileManager.default.createDirectory(
                    at: folder.appendingPathComponent("inner"), withIntermediateDirectories: true)
                let link = root.appendingPathComponent("link")
                try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "folder")
                let url = folder.appendingPathComponent("file")
                let other = URL(fileURLWithPath: "\(root.path)/\(spelling)/file")
                for (index, (loaded, saved)) in [(url, other), (other, url)].enumerated() {
                    try Data(#"{"title": "old"}"#.utf8).write(to: url)
                    #expect(throws: LoadingError.self) { try load(Int.self, from: loaded) }
                    let autosave = autosave(Document(), to: saved, schedule: .custom { _ in }) { _ in }
                    let second = ReactiveCodable.autosave(Document(), to: loaded, schedule: .custom { _ in }) { _ in }
                    #expect { try second.flush() } throws: { ($0 as? SavingError)?.owner != nil }
                    try autosave.flush()
                    for autosave in [autosave, second] { autosave.cancel() }
                    #expect(folder.appendingPathComponent("file.damaged-\(index + 1)").text == #"{"title": "old"}"#)
                }
                // A load that succeeds counts, too: by its contents, the file would be moved aside.
                try Data("[1]".utf8).write(to: url)
                #expect(try load([Int].self, from: other) == [1])
                let autosave = autosave(Document(), to: url, schedule: .custom { _ in }) { _ in }
                try autosave.flush()
                autosave.cancel()
                #expect(try !folder.names.contains("file.damaged-3"))
            }
        }

        @Test func aFileDamagedAfterItWasLoadedIsMovedAside() throws {
            let outcome = try outcome(#"{"title": "old"}"#) { url in
                #expect(throws: Never.self) { try load(Document.self, from: url) }
                #expect(throws: Never.self) { try Data("torn".utf8).write(to: url) }
                return Document()
            }
            #expect(outcome.names == ["file", "file.damaged-1"] && outcome.aside == ["torn"])
        }

        @Test func otherFormatsAreCheckedWithTheirOwnDecoders() throws {
            #expect(try outcome("no list", encoder: PropertyListEncoder()).names == ["file", "file.damaged-1"])
            let list = try PropertyListEncoder().encode(Document())
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try list.write(to: url)
                let autosave = autosave(Document(), to: url, encoder: PropertyListEncoder(), schedule: .custom { _ in })
                try autosave.flush()
                autosave.cancel()
                #expect(try folder.names == ["file"])
            }
        }

        @Test func strategiesOfTheEncoderCount() throws {
            struct Event: Codable {
                @Observable var startDate = Date(timeIntervalSince1970: 0)
            }
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.keyEncodingStrategy = .convertToSnakeCase
            for (contents, isMoved) in [
                (#"{"start_date":"2026-01-01T00:00:00Z"}"#, false), (#"{"startDate":1}"#, true),
            ] {
                try withFolder { folder in
                    let url = folder.appendingPathComponent("file")
                    try Data(contents.utf8).write(to: url)
                    let autosave = autosave(Event(), to: url, encoder: encoder, schedule: .custom { _ in }) { _ in }
                    try autosave.flush()
                    autosave.cancel()
                    #expect(try folder.names.contains("file.damaged-1") == isMoved)
                }
            }
        }

        @Test func allStrategiesOfTheEncoderCount() throws {
            /// Decodes only with the user info of its encoder.
            struct Measured: Codable {
                static let key = CodingUserInfoKey(rawValue: "unit").unsafelyUnwrapped
                @Observable var size = 1.0
                @Observable var bits = Data()

                enum CodingKeys: CodingKey { case size, bits }
                init() {}
                init(from decoder: any Decoder) throws {
                    guard decoder.userInfo[Self.key] != nil else { throw CancellationError() }
                    let container = try decoder.container(keyedBy: CodingKeys.self)
                    _size = try container.decode(Observable<Double>.self, forKey: .size)
                    _bits = try container.decode(Observable<Data>.self, forKey: .bits)
                }
            }
            let json = JSONEncoder(), list = PropertyListEncoder()
            json.userInfo = [Measured.key: "cm"]
            json.dataEncodingStrategy = .deferredToData
            json.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            list.userInfo = json.userInfo
            func isOverwritten(_ encoder: some DataEncoder) throws -> Bool {
                let measured = Measured()
                measured.bits = Data([1, 2])
                measured.size = .infinity
                return try withFolder { folder in
                    let url = folder.appendingPathComponent("file")
                    try encoder.encode(measured).write(to: url)
                    measured.bits = Data([3])
                    let autosave = autosave(measured, to: url, encoder: encoder, schedule: .custom { _ in }) { _ in }
                    try autosave.flush()
                    autosave.cancel()
                    return try folder.names == ["file"]
                }
            }
            #expect(try isOverwritten(json))
            #expect(try isOverwritten(list))
        }

        @Test func aPropertyListThatCannotBeDecodedHereIsCheckedForItsSyntax() throws {
            struct Unreadable: Encodable { @Observable var title = "" }
            let list = try PropertyListEncoder().encode(Document())
            for (contents, isMoved) in [(list, false), (Data("<?xml".utf8), true)] {
                try withFolder { folder in
                    let url = folder.appendingPathComponent("file")
                    try contents.write(to: url)
                    let autosave = autosave(
                        Unreadable(), to: url, encoder: PropertyListEncoder(), schedule: .custom { _ in }
                    ) { _ in }
                    try autosave.flush()
                    autosave.cancel()
                    #expect(try folder.names.contains("file.damaged-1") == isMoved)
                }
            }
        }

        @Test func aFileInAnUnknownFormatThatAppearsBesideARunningAutosaveIsMovedAside() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                let document = Document()
                let autosave = autosave(document, to: url, encoder: Reversing(), schedule: .custom { _ in }) { _ in }
                defer { autosave.cancel() }
                document.title = "a"
                try autosave.flush()
                try Data("}{".utf8).write(to: url)
                document.title = "b"
                try autosave.flush()
                #expect(folder.appendingPathComponent("file.damaged-1").text == "}{")
            }
        }

        @Test func theFirstFreeNumberIsTaken() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                for number in 1...3 {
                    try Data("damage \(number)".utf8).write(to: url)
                    let autosave = autosave(Document(), to: url, schedule: .custom { _ in }) { _ in }
                    try autosave.flush()
                    autosave.cancel()
                    #expect(folder.appendingPathComponent("file.damaged-\(number)").text == "damage \(number)")
                }
            }
        }

        @Test func aFileThatIsDamagedWhileAnAutosaveRunsIsMovedAsideToo() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                let document = Document()
                let autosave = autosave(document, to: url, schedule: .custom { _ in }) { _ in }
                try autosave.flush()
                try Data("another's".utf8).write(to: url)
                document.title = "essay"
                try autosave.flush()
                autosave.cancel()
                #expect(folder.appendingPathComponent("file.damaged-1").text == "another's")
                #expect(try load(Document.self, from: url).title == "essay")
            }
        }

        @Test func aJournalThatDoesNotLoadIsMovedAsideWithItsDocument() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                let journal = url.appendingPathExtension("journal")
                for form in [SavingForm.document, .journal] {
                    try Data(#"{"title": "old"}"#.utf8).write(to: url)
                    try Data("no journal\n".utf8).write(to: journal)
                    let document = (try? load(Document.self, from: url)) ?? Document()
                    let autosave = autosave(document, to: url, as: form, schedule: .custom { _ in }) { _ in }
                    try autosave.flush()
                    autosave.cancel()
                    #expect(try load(Document.self, from: url).title == "draft")
                }
                for number in 1...2 {
                    let aside = folder.appendingPathComponent("file.damaged-\(number)")
                    #expect(aside.text == #"{"title": "old"}"#)
                    #expect(aside.appendingPathExtension("journal").text == "no journal\n")
                }
            }
        }

        @Test func aJournalThatWasNotLoadedIsCheckedWithItsDocument() throws {
            let names = ["file", "file.damaged-1", "file.damaged-1.journal"]
            #expect(try outcome(#"{"title": "old"}"#, journal: "no journal\n").names == names)
            // The journal of an empty file may have contents.
            #expect(try outcome("", journal: "no journal\n").names == names)
        }

        /// Lets an autosave replace files that `prepare` creates. Returns their names afterwards.
        private func names(after prepare: (URL) throws -> Void) throws -> [String] {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try prepare(url)
                let autosave = autosave(Document(), to: url, schedule: .custom { _ in }) { _ in }
                try autosave.flush()
                autosave.cancel()
                #expect(try load(Document.self, from: url).title == "draft")
                return try folder.names
            }
        }

        @Test func aJournalThatCannotBeReadIsMovedAside() throws {
            let names = try names { url in
                try Data(#"{"title": "old"}"#.utf8).write(to: url)
                try FileManager.default.createDirectory(
                    at: url.appendingPathExtension("journal"), withIntermediateDirectories: true)
            }
            #expect(names == ["file", "file.damaged-1", "file.damaged-1.journal"])
        }

        @Test func aJournalWithoutADocumentIsMovedAsideAndItsNumberIsNotTakenAgain() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data("no journal\n".utf8).write(to: url.appendingPathExtension("journal"))
                for contents in [nil, "torn"] {
                    try contents.map { try Data($0.utf8).write(to: url) }
                    let autosave = autosave(Document(), to: url, schedule: .custom { _ in }) { _ in }
                    try autosave.flush()
                    autosave.cancel()
                }
                #expect(try folder.names == ["file", "file.damaged-1.journal", "file.damaged-2"])
            }
        }

        @Test func aFolderAtThePathIsNotMovedAside() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
                let autosave = autosave(Document(), to: url, schedule: .custom { _ in }) { _ in }
                #expect { try autosave.flush() } throws: { "\($0)".contains("it is a folder") }
                autosave.cancel()
                #expect(try folder.names == ["file"])
            }
        }

        @Test func aJournalWithoutADocumentIsMovedAside() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                try Data("changes\n".utf8).write(to: url.appendingPathExtension("journal"))
                let errors = Shared<[any Error]>([])
                let autosave = autosave(Document(), to: url, schedule: .custom { _ in }) { error in
                    errors.withLock { $0.append(error) }
                }
                try autosave.flush()
                autosave.cancel()
                #expect(folder.appendingPathComponent("file.damaged-1.journal").text == "changes\n")
                let error = errors.value.first as? SavingError
                #expect(error?.movedAside == url.path + ".damaged-1" && error?.wasReplaced == false)
                #expect(try load(Document.self, from: url).title == "draft")
            }
        }

        @Test func aJournalThatAppearsBesideARunningAutosaveIsMovedAside() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let document = Document()
                let autosave = autosave(document, to: url, schedule: .custom { _ in }) { _ in }
                try autosave.flush()
                try Data("changes\n".utf8).write(to: url.appendingPathExtension("journal"))
                document.title = "essay"
                try autosave.flush()
                autosave.cancel()
                #expect(folder.appendingPathComponent("file.damaged-1.journal").text == "changes\n")
                #expect(try load(Document.self, from: url).title == "essay")
            }
        }

        /// It belongs to a different program.
        @Test func aJournalThatAppearsDuringASaveIsLeft() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let journal = url.appendingPathExtension("journal")
                try Data("1".utf8).write(to: url)
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    if step == .sync { try? Data("line".utf8).write(to: journal) }
                    return nil
                }
                let contents = DocumentContents(file, writesUnchanged: true) { _, _ in true }
                contents.take(.success(Data("2".utf8)))
                try FileSaver(contents).saveNow()
                #expect(url.text == "2" && journal.text == "line")
            }
        }

        @Test func aRunningAutosaveKeepsItsFileAfterALoadAsADifferentType() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let document = Document()
                let autosave = autosave(document, to: url, schedule: .custom { _ in }) { _ in }
                try autosave.flush()
                #expect(throws: LoadingError.self) { try load(Int.self, from: url) }
                document.title = "essay"
                try autosave.flush()
                autosave.cancel()
                #expect(try folder.names == ["file"])
            }
        }

        @Test func aMovedFileIsSyncedBeforeANewOneIsWritten() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data("torn".utf8).write(to: url)
                let steps = Shared<[AtomicFile.Operation]>([])
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    steps.withLock { $0.append(step) }
                    return nil
                }
                let autosave = autosave(Document(), to: file, schedule: .custom { _ in }) { _ in }
                try autosave.flush()
                autosave.cancel()
                #expect(steps.value.starts(with: [.syncFolder, .open]))
            }
        }

        @Test func anUnknownFormatDoesNotTrustTheCheckOfADifferentOne() throws {
            let outcome = try outcome(#"{"title": "old"}"#, encoder: Reversing()) { url in
                autosave(Document(), to: url, schedule: .custom { _ in }).cancel()
                return Document()
            }
            #expect(outcome.names == ["file", "file.damaged-1"])
        }

        @Test func aFileThatDidNotLoadIsStillThatFileWhenItIsBack() throws {
            let outcome = try outcome(#"{"title": "old"}"#) { url in
                let away = url.appendingPathExtension("away")
                #expect(throws: LoadingError.self) { try load(Int.self, from: url) }
                #expect(rename(url.path, away.path) == 0)
                #expect(throws: LoadingError.self) { try load(Int.self, from: url) }
                #expect(rename(away.path, url.path) == 0)
                return Document()
            }
            #expect(outcome.names == ["file", "file.damaged-1"])
        }

        @Test func aRefusedAutosaveDoesNotCheckTheFile() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                func start(_ encoder: some DataEncoder) -> Autosave {
                    autosave(Document(), to: url, encoder: encoder, schedule: .custom { _ in }) { _ in }
                }
                let holder = start(Reversing())
                try holder.flush()
                // In this format, the file could not be loaded.
                start(JSONEncoder()).cancel()
                holder.cancel()
                let document = Document(title: "essay")
                let next = autosave(document, to: url, encoder: Reversing(), schedule: .custom { _ in }) { _ in }
                try next.flush()
                next.cancel()
                #expect(try folder.names == ["file"])
            }
        }

        @Test(.alone) func withoutAHandlerADamagedFileIsAnIssue() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data("damage".utf8).write(to: url)
                let document = Document()
                let found = try issues {
                    let autosave = autosave(document, to: url, schedule: .custom { _ in })
                    try autosave.flush()
                    autosave.cancel()
                }
                #expect(found.count == 1 && found[0].message.contains("was moved to \(url.path).damaged-1"), "\(found)")
            }
        }
    }
}
