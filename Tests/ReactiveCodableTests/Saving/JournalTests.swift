// An autosave with a journal: writing, loading, damage and compaction.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct JournalTests {
        private struct Item: Codable {
            @Observable var title = ""
            @Observable var count = 0
            @Observable var note: String?
        }

        private struct Document: Codable {
            @Observable var title = "draft"
            @Observable var items: [Item] = []
            @Observable var ratio = 0.5
        }

        /// Counts the writes to a file and its journal, and lets a test make steps fail.
        private final class Disk: @unchecked Sendable {
            // Sendable because the state is touched under the lock only.
            private let lock = NSLock()
            private var failure: ((AtomicFile.Operation) -> Int32?)?
            private(set) var steps: [String] = []

            func fail(_ failure: @escaping (AtomicFile.Operation) -> Int32?) {
                lock.withLock { self.failure = failure }
            }
            func work() { lock.withLock { failure = nil } }

            /// The names of the steps since the last call.
            func takeSteps() -> [String] {
                lock.withLock {
                    defer { steps = [] }
                    return steps
                }
            }

            func file(_ url: URL) -> AtomicFile {
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    self.lock.withLock {
                        self.steps.append(String("\(step)".prefix { $0 != "(" }))
                        return self.failure?(step)
                    }
                }
                return file
            }
        }

        private func inFolder(_ body: (URL, Disk) throws -> Void) throws {
            try withFolder { try body($0.appendingPathComponent("document.json"), Disk()) }
        }

        private func start(
            _ document: Document, _ file: AtomicFile, minimum: Int = 1 << 16, version: Int? = nil,
            onError: @escaping (any Error) -> Void = { Issue.record("\($0)") }
        ) -> Autosave {
            autosave(
                document, to: file, as: .journal, version: version, minimumJournalSize: minimum,
                schedule: .custom { _ in }, onError: onError)
        }

        private func text(_ document: Document) throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(document), as: UTF8.self)
        }

        private func journal(_ url: URL) -> URL { url.appendingPathExtension("journal") }

        // MARK: - Writing

        @Test func aChangeIsOneLineAndOneSync() throws {
            try inFolder { url, disk in
                let document = Document()
                document.items = (0..<1_000).map { _ in Item() }
                let autosave = start(document, disk.file(url))
                defer { autosave.cancel() }
                try autosave.flush()
                let contents = try Data(contentsOf: url)
                _ = disk.takeSteps()
                var size = try Data(contentsOf: journal(url)).count
                for number in 0..<3 {
                    inTransaction {
                        document.items[number].title = "milk"
                        document.items[number].count += 1
                    }
                    try autosave.flush()
                    #expect(disk.takeSteps() == ["append", "syncJournal"])
                    let grown = try Data(contentsOf: journal(url)).count
                    #expect(grown - size < 200)
                    size = grown
                }
                #expect(try Data(contentsOf: url) == contents)
                #expect(try text(load(from: url)) == text(document))
            }
        }

        @Test func waitingLinesShareASync() throws {
            try inFolder { url, disk in
                let document = Document()
                let autosave = start(document, disk.file(url))
                defer { autosave.cancel() }
                try autosave.flush()
                _ = disk.takeSteps()
                for number in 0..<100 { document.ratio = Double(number) }
                try autosave.flush()
                #expect(disk.takeSteps() == ["append", "syncJournal"])
                let lines = try Data(contentsOf: journal(url)).split(separator: UInt8(ascii: "\n"))
                #expect(lines.count == 101)
                try autosave.flush()
                #expect(disk.takeSteps().isEmpty)
            }
        }

        @Test func theFirstSaveIsAWholeDocument() throws {
            try inFolder { url, disk in
                try Data(#"{"title": "other", "items": [], "ratio": 1}"#.utf8).write(to: url)
                let document = Document()
                let autosave = start(document, disk.file(url))
                defer { autosave.cancel() }
                document.ratio = 2
                try autosave.flush()
                #expect(try text(JSONDecoder().decode(Document.self, from: Data(contentsOf: url))) == text(document))
            }
        }

        @Test func theJournalHasThePermissionsOfTheDocument() throws {
            try inFolder { url, _ in
                let autosave = autosave(
                    Document(), to: url, as: .journal, newFileAccess: .ownerOnly, schedule: .custom { _ in })
                defer { autosave.cancel() }
                try autosave.flush()
                #expect(url.permissions == 0o600 && journal(url).permissions == 0o600)
            }
        }

        @Test func aJournalKeepsItsPermissions() throws {
            try inFolder { url, disk throws in
                for title in ["draft", "essay"] {
                    let autosave = start(Document(title: title), disk.file(url))
                    try autosave.flush()
                    autosave.cancel()
                    if title == "essay" { #expect(journal(url).permissions == 0o600) }
                    for (path, access) in [(url.path, 0o644), (journal(url).path, 0o600)] {
                        try FileManager.default.setAttributes([.posixPermissions: access], ofItemAtPath: path)
                    }
                }
            }
        }

        @Test func aDocumentIsSavedAgainIfOnlyItsJournalDiffers() throws {
            struct Note: Codable { @Observable var title = "draft" }
            try inFolder { url, _ throws in
                let note = Note()
                let first = autosave(note, to: url, as: .journal, schedule: .custom { _ in })
                try first.flush()
                note.title = "essay"
                try first.flush()
                first.cancel()
                note.title = "draft"
                let second = autosave(note, to: url, schedule: .custom { _ in })
                try second.flush()
                second.cancel()
                #expect(try load(Note.self, from: url).title == "draft")
            }
        }

        /// A decoder that cannot read journals.
        private struct PlainDecoder: DataDecoder {
            func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
                try JSONDecoder().decode(type, from: data)
            }
        }

        @Test func anyDecoderReadsADocumentWhoseJournalHasNoChanges() throws {
            try inFolder { url, disk throws in
                let autosave = start(Document(title: "essay"), disk.file(url))
                try autosave.flush()
                autosave.cancel()
                #expect(FileManager.default.fileExists(atPath: journal(url).path))
                #expect(try load(Document.self, from: url, decoder: PlainDecoder()).title == "essay")
            }
        }

        @Test(.serialized, arguments: seeds(15)) func randomEditsAreAllLoaded(_ seed: UInt64) throws {
            var random = RandomDocuments(seed: seed)
            try inFolder { url, disk in
                var document = Document()
                for _ in 0..<3 {
                    let autosave = start(document, disk.file(url), minimum: 200)
                    for _ in 0..<30 {
                        inTransaction {
                            for _ in 0...random.below(3) {
                                let index = document.items.isEmpty ? nil : random.below(document.items.count)
                                switch random.below(7) {
                                case 0: document.items.insert(Item(), at: random.below(document.items.count + 1))
                                case 1: if let index { document.items.remove(at: index) }
                                case 2: if let index { document.items[index].title = "\(random.below(100))/ü\"" }
                                case 3: if let index { document.items[index].note = random.below(2) == 0 ? nil : "x" }
                                case 4: if let index { document.items.append(document.items[index]) }
                                case 5: document.ratio = Double(random.below(1_000)) / 7
                                default: document.items.shuffle()
                                }
                            }
                        }
                        if random.below(3) == 0 {
                            try autosave.flush()
                            #expect(try text(load(from: url)) == text(document), "seed \(seed)")
                        }
                    }
                    try autosave.flush()
                    autosave.cancel()
                    document = try load(from: url)
                }
            }
        }

        @Test func changesOfSeveralThreadsAreAllSaved() throws {
            try inFolder { url, disk in
                struct Pair: Codable, Sendable {
                    @Observable var left = 0
                    @Observable var right = 0
                }
                let pair = Pair()
                let autosave = autosave(pair, to: disk.file(url), as: .journal, minimumJournalSize: 500)
                onThreads(4) { _ in
                    for _ in 0..<100 {
                        inTransaction {
                            pair.left += 1
                            pair.right -= 1
                        }
                        if let saved = try? load(Pair.self, from: url) { #expect(saved.left == -saved.right) }
                    }
                }
                try autosave.flush()
                autosave.cancel()
                #expect(try load(Pair.self, from: url).left == 400)
            }
        }

        // MARK: - Invariants

        #if DEBUG
        @Test func aJournalThatIsNotWhatItsSaverKnowsBreaksAnInvariant() throws {
            try inFolder { url, disk in
                let document = Document()
                let autosave = start(document, disk.file(url))
                try autosave.flush()
                document.title = "essay"
                #expect(autosave.brokenInvariants.isEmpty)
                try autosave.flush()
                #expect(autosave.brokenInvariants.isEmpty)
                // A different byte in its last line, in the same file.
                let count = try Data(contentsOf: journal(url)).count
                let file = try FileHandle(forWritingTo: journal(url))
                try file.seek(toOffset: UInt64(count - 5))
                try file.write(contentsOf: Data("?".utf8))
                try file.close()
                #expect(autosave.brokenInvariants == ["Line 2 of the journal is damaged: its checksum is wrong."])
                autosave.cancel()
            }
        }
        #endif

        // MARK: - Loading damaged journals

        /// A document with a journal of a few lines, and the texts of the document after each of them.
        private func makeJournal(_ url: URL, _ disk: Disk) throws -> [String] {
            let document = Document()
            let autosave = start(document, disk.file(url))
            try autosave.flush()
            var texts = [try text(document)]
            for number in 0..<4 {
                document.title = "title \(number)"
                try autosave.flush()
                texts.append(try text(document))
            }
            autosave.cancel()
            return texts
        }

        @Test func aTailThatWasCutOffAnywhereIsDropped() throws {
            try inFolder { url, disk in
                let texts = try makeJournal(url, disk)
                let whole = try Data(contentsOf: journal(url))
                for count in 0..<whole.count {
                    try whole.prefix(count).write(to: journal(url))
                    let lines = whole.prefix(count).count { $0 == UInt8(ascii: "\n") }
                    if lines == 0 {
                        #expect {
                            try load(Document.self, from: url)
                        } throws: { ($0 as? LoadingError)?.kind == .journal(line: 1) }
                    } else {
                        #expect(try text(load(from: url)) == texts[lines - 1], "\(count) bytes")
                    }
                }
            }
        }

        @Test func damageAnywhereElseIsAnErrorThatNamesTheLine() throws {
            try inFolder { url, disk in
                _ = try makeJournal(url, disk)
                let whole = try Data(contentsOf: journal(url))
                var line = 1
                for index in whole.indices {
                    for byte in [whole[index] ^ 1, 0, UInt8(ascii: "\n"), UInt8(ascii: "0")] where byte != whole[index]
                    {
                        var damaged = whole
                        damaged[index] = byte
                        try damaged.write(to: journal(url))
                        let error = #expect(throws: LoadingError.self) { try load(Document.self, from: url) }
                        #expect(error?.kind == .journal(line: line), "byte \(index): \(error?.description ?? "")")
                    }
                    if whole[index] == UInt8(ascii: "\n") { line += 1 }
                }
                // A missing line, and a repeated one.
                let lines = whole.split(separator: UInt8(ascii: "\n")).map { $0 + [UInt8(ascii: "\n")] }
                for order in [[0, 1, 3, 4], [0, 1, 2, 2, 3], [0, 2, 1, 3, 4], [1, 2, 3, 4], [0, 1, 0, 2]] {
                    try Data(order.flatMap { lines[$0] }).write(to: journal(url))
                    #expect(throws: LoadingError.self, "\(order)") { try load(Document.self, from: url) }
                }
            }
        }

        @Test func aJournalOfADifferentDocumentIsAnError() throws {
            try inFolder { url, disk in
                _ = try makeJournal(url, disk)
                var document = try Data(contentsOf: url)
                document.append(UInt8(ascii: " "))
                try document.write(to: url)
                #expect {
                    try load(Document.self, from: url)
                } throws: {
                    ($0 as? LoadingError)?.kind == .journal(line: nil) && "\($0)".contains("remove the journal")
                }
                try FileManager.default.removeItem(at: url)
                #expect {
                    try load(Document.self, from: url)
                } throws: { "\($0)".contains("the document does not exist") }
            }
        }

        @Test func aDifferentDecoderReportsThatItCannotReadAJournal() throws {
            try inFolder { url, disk in
                _ = try makeJournal(url, disk)
                #expect {
                    try load(Document.self, from: url, decoder: PropertyListDecoder())
                } throws: { "\($0)".contains("Use JSONDecoder") }
            }
        }

        @Test(arguments: [SavingForm.document, .journal])
        func aNewAutosaveContinuesAJournal(_ form: SavingForm) throws {
            for isKilled in [false, true] {
                try inFolder { url, disk in
                    _ = try makeJournal(url, disk)
                    let document: Document = try load(from: url)
                    #expect(document.title == "title 3")
                    document.title = "new"
                    // As a crash would, between the new document and the removal of the journal.
                    var syncs = 0
                    if isKilled {
                        disk.fail { step in
                            if step == .syncFolder { syncs += 1 }
                            return syncs == 2 ? EIO : nil
                        }
                    }
                    let autosave = autosave(document, to: disk.file(url), as: form, schedule: .custom { _ in }) { _ in }
                    try? autosave.flush()
                    autosave.cancel()
                    let hasJournal = FileManager.default.fileExists(atPath: journal(url).path)
                    #expect(hasJournal == (isKilled || form == .journal))
                    #expect(try load(Document.self, from: url).title == "new")
                }
            }
        }

        // MARK: - Failures

        @Test func withoutSpaceTheJournalIsTruncatedAndWaitingLinesAreSavedLater() throws {
            try inFolder { url, disk in
                let document = Document()
                let errors = Shared(0)
                let autosave = start(document, disk.file(url), onError: { _ in errors.withLock { $0 += 1 } })
                defer { autosave.cancel() }
                document.title = "saved"
                try autosave.flush()
                document.title = "also saved"
                try autosave.flush()
                let size = try Data(contentsOf: journal(url)).count
                disk.fail { if case .append = $0 { ENOSPC } else { nil } }
                for title in ["waits", "waits too"] {
                    document.title = title
                    #expect { try autosave.flush() } throws: { ($0 as? SavingError)?.errorNumber == ENOSPC }
                    #expect(try Data(contentsOf: journal(url)).count == size)
                    #expect(try load(Document.self, from: url).title == "also saved")
                }
                disk.work()
                _ = disk.takeSteps()
                try autosave.flush()
                #expect(disk.takeSteps() == ["append", "syncJournal"])
                #expect(try load(Document.self, from: url).title == "waits too")
                #expect(errors.value == 0)
            }
        }

        @Test(arguments: ["cutBack", "syncJournal"])
        func aJournalWhoseEndIsUnknownIsReplacedByADocument(_ failing: String) throws {
            try inFolder { url, disk in
                let document = Document()
                let autosave = start(document, disk.file(url))
                defer { autosave.cancel() }
                try autosave.flush()
                document.title = "saved"
                try autosave.flush()
                disk.fail { step in
                    if case .append = step, failing == "cutBack" { return ENOSPC }
                    return "\(step)" == failing ? EIO : nil
                }
                document.title = "waits"
                #expect(throws: SavingError.self) { try autosave.flush() }
                disk.work()
                document.ratio = 3
                try autosave.flush()
                #expect(try text(load(from: url)) == text(document))
                #expect(try JSONDecoder().decode(Document.self, from: Data(contentsOf: url)).title == "waits")
            }
        }

        @Test func aFailureOfEachStepOfAWholeDocumentLosesNothing() throws {
            // The number of the step that fails: counted, since several steps have the same name.
            for failing in 0..<12 {
                try inFolder { url, disk in
                    let document = Document()
                    let first = start(document, disk.file(url))
                    try first.flush()
                    document.title = "one"
                    try first.flush()
                    first.cancel()
                    let loaded: Document = try load(from: url)
                    let autosave = start(loaded, disk.file(url))
                    defer { autosave.cancel() }
                    loaded.title = "two"
                    var count = 0
                    disk.fail { _ in
                        count += 1
                        return count > failing ? EIO : nil
                    }
                    let failed = (try? autosave.flush()) == nil
                    #expect(failed == (count > failing))
                    let found = try load(Document.self, from: url).title
                    #expect(found == "two" || (found == "one" && failed), "step \(failing)")
                    disk.work()
                    loaded.ratio = 7
                    try autosave.flush()
                    #expect(try text(load(from: url)) == text(loaded), "step \(failing)")
                }
            }
        }

        @Test func stateThatCannotBeEncodedIsAnErrorUntilItCanBeSaved() throws {
            try inFolder { url, disk in
                let document = Document()
                let autosave = start(document, disk.file(url), onError: { _ in })
                defer { autosave.cancel() }
                try autosave.flush()
                document.ratio = .infinity
                #expect(throws: EncodingError.self) { try autosave.flush() }
                #expect(try load(Document.self, from: url).ratio == 0.5)
                document.ratio = 2
                try autosave.flush()
                #expect(try load(Document.self, from: url).ratio == 2)
            }
        }

        // MARK: - Compacting

        @Test func aJournalThatOutgrewItsDocumentIsMergedIntoIt() async throws {
            try await withFolder { folder async throws in
                let (url, disk) = (folder.appendingPathComponent("document.json"), Disk())
                let document = Document()
                let autosave = start(document, disk.file(url), minimum: 1_000)
                defer { autosave.cancel() }
                try autosave.flush()
                for round in 0..<3 {
                    let before = try Data(contentsOf: url)
                    for number in 0..<40 {
                        document.items.append(Item())
                        document.title = "\(round) \(number)"
                        try autosave.flush()
                    }
                    await eventually { (try? Data(contentsOf: url)) != before }
                    #expect(try text(load(from: url)) == text(document))
                }
            }
        }

        // `JSONEncoder`, which formats, would round the number.
        @Test(arguments: ["null", "0.12345678901234567890123456789012345678901234567890"])
        func formattingIsKeptUnlessItChangesANumber(_ json: String) async throws {
            struct Deep: Codable {
                @Observable var number = 0
                @Observable var json: JSONValue = .null
            }
            try await withFolder { folder async throws in
                let url = folder.appendingPathComponent("document.json")
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                let deep = Deep()
                let autosave = autosave(
                    deep, to: AtomicFile(path: url.path), as: .journal, encoder: encoder, minimumJournalSize: 100,
                    schedule: .custom { _ in })
                defer { autosave.cancel() }
                try autosave.flush()
                let before = try Data(contentsOf: url)
                deep.json = try JSONValue(parsing: json)
                for number in 1...20 {
                    deep.number = number
                    try autosave.flush()
                }
                await eventually { (try? Data(contentsOf: url)) != before }
                #expect(url.text?.contains("\n  \"number\" : ") == (json == "null"))
                #expect(url.text?.contains(json) == true)
                #expect(try load(Deep.self, from: url).number == 20)
            }
        }

        /// Passes a saved document whose journal is compacted beyond 1,000 bytes, and the number of errors reported.
        private func withShortJournal(
            _ body: (URL, Disk, Document, Autosave, _ errors: Shared<Int>) async throws -> Void
        ) async throws {
            try await withFolder { folder async throws in
                let (url, disk) = (folder.appendingPathComponent("document.json"), Disk())
                let document = Document()
                let errors = Shared(0)
                let autosave = start(
                    document, disk.file(url), minimum: 1_000, onError: { _ in errors.withLock { $0 += 1 } })
                defer { autosave.cancel() }
                try autosave.flush()
                try await body(url, disk, document, autosave, errors)
            }
        }

        @Test func aCompactionThatFailsIsReportedAndLosesNothing() async throws {
            try await withShortJournal { url, disk, document, autosave, errors in
                disk.fail { if case .write = $0 { ENOSPC } else { nil } }
                for number in 0..<40 {
                    document.title = "\(number)"
                    try autosave.flush()
                }
                await eventually { errors.value > 0 }
                #expect(try load(Document.self, from: url).title == "39")
                disk.work()
                let before = try Data(contentsOf: url)
                for number in 0..<200 {
                    document.title = "\(number)"
                    try autosave.flush()
                }
                await eventually { (try? Data(contentsOf: url)) != before }
                #expect(try load(Document.self, from: url).title == "199")
            }
        }

        @Test func aCompactionWhoseDocumentCannotBePutInPlaceIsReported() async throws {
            try await withShortJournal { url, disk, document, autosave, errors in
                disk.fail { $0 == .replace ? EIO : nil }
                for number in 0..<40 {
                    document.title = "\(number)"
                    try? autosave.flush()
                }
                await eventually { errors.value > 0 }
                disk.work()
                try autosave.flush()
                #expect(try load(Document.self, from: url).title == "39")
            }
        }

        @Test func aCompactionThatFailedIsNotRepeatedForEachLine() async throws {
            try await withShortJournal { url, disk, document, autosave, errors in
                disk.fail { if case .write = $0 { ENOSPC } else { nil } }
                func grow(beyond size: Int) throws {
                    while try Data(contentsOf: journal(url)).count <= size {
                        document.ratio += 1
                        try autosave.flush()
                    }
                }
                try grow(beyond: 1_000)
                await eventually { errors.value > 0 }
                // The next attempt is due at twice the size.
                try grow(beyond: 1_800)
                #expect(errors.value == 1)
            }
        }

        @Test func aShortJournalIsNotMerged() throws {
            try inFolder { url, disk in
                let document = Document()
                let autosave = start(document, disk.file(url))
                defer { autosave.cancel() }
                try autosave.flush()
                let before = try Data(contentsOf: url)
                for number in 0..<100 {
                    document.title = "\(number)"
                    try autosave.flush()
                }
                #expect(try Data(contentsOf: url) == before)
            }
        }

        @Test func aVersionIsWrittenWithTheDocument() async throws {
            try await withFolder { folder async throws in
                let (url, disk) = (folder.appendingPathComponent("document.json"), Disk())
                let document = Document()
                let autosave = start(document, disk.file(url), minimum: 500, version: 2)
                defer { autosave.cancel() }
                try autosave.flush()
                let before = try Data(contentsOf: url)
                let migrations = Migrations([{ $0 }, { $0 }])
                for number in 0..<30 {
                    document.title = "\(number)"
                    try autosave.flush()
                    #expect(try load(Document.self, from: url, migrating: migrations).title == "\(number)")
                }
                await eventually { (try? Data(contentsOf: url)) != before }
                let json = try JSONValue(parsing: Data(contentsOf: url))
                #expect(json["version"] == 2)
                #expect(try load(Document.self, from: url, migrating: migrations).title == "29")
            }
        }
    }
}
