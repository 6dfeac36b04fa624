// A document and its journal by themselves: what counts as intact, the steps of a replacement, and failures.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct JournalFileTests {
        /// Records the steps of saving, and lets a test make them fail or act before them.
        private final class Disk: @unchecked Sendable {
            // Sendable because each test uses it on one thread.
            var steps: [AtomicFile.Operation] = []
            var before: (AtomicFile.Operation) -> Int32? = { _ in nil }

            func file(_ url: URL) -> AtomicFile {
                var file = AtomicFile(path: url.path)
                file.failure = { [self] step in
                    steps.append(step)
                    return before(step)
                }
                return file
            }

            /// Runs an action before the step of that kind with this number, from 1.
            func act(before kind: AtomicFile.Operation, _ number: Int, _ action: @escaping () -> Int32?) {
                var count = 0
                before = { step in
                    if step == kind { count += 1 }
                    return step == kind && count == number ? action() : nil
                }
            }
        }

        // Computed, because the leak check does not find data in globals.
        private static var old: Data { Data("{}".utf8) }
        private static var new: Data { Data("[1]".utf8) }
        private static var change: Data { Journal.line(forChange: 1, Data("[]".utf8)) }

        private func journal(_ url: URL) -> URL { url.appendingPathExtension("journal") }

        /// A document with a journal, in a folder of its own.
        private func withFiles(_ body: (JournalFile, URL, Disk) throws -> Void) throws {
            try withFolder { folder throws in
                let (url, disk) = (folder.appendingPathComponent("file"), Disk())
                let file = JournalFile(disk.file(url))
                try file.replaceDocument(with: Self.old, through: nil, .none)
                try file.append(Self.change, through: 1)
                disk.steps = []
                try body(file, url, disk)
            }
        }

        /// Whether the journal on the disk belongs to the document there.
        private func belongs(_ url: URL) throws -> Bool {
            try Journal(parsing: Data(contentsOf: journal(url))).changes(since: Data(contentsOf: url)) != nil
        }

        /// Opens a file for writing, and changes it in place.
        private func change(_ url: URL, _ body: (FileHandle) throws -> Void) throws {
            let file = try FileHandle(forWritingTo: url)
            try body(file)
            try file.close()
        }

        /// The ways in which something else can change the journal.
        private enum Harm: CaseIterable {
            case replaced, truncated

            func apply(_ journal: URL) throws {
                let data = try Data(contentsOf: journal)
                switch self {
                case .replaced: try data.write(to: journal, options: .atomic)
                case .truncated: #expect(truncate(journal.path, off_t(data.count - 3)) == 0)
                }
            }
        }

        // MARK: - What counts as intact

        @Test func onlyFilesThatSomethingElseHasChangedAreChecked() throws {
            func isChecked(_ file: JournalFile) throws -> Bool {
                let checks = Shared(0)
                try file.moveAsideIfUnloadable(
                    { _, _ in
                        checks.withLock { $0 += 1 }
                        return true
                    }, { Issue.record($0) })
                return checks.value > 0
            }
            try withFiles { file, _, _ throws in
                #expect(try !isChecked(file) && file.isIntact)
            }
            for harm in Harm.allCases {
                try withFiles { file, url, _ throws in
                    try harm.apply(journal(url))
                    #expect(try isChecked(file) && !file.isIntact, "\(harm)")
                }
            }
            try withFiles { file, url, _ throws in
                try Self.new.write(to: url)
                #expect(try isChecked(file) && !file.isIntact)
            }
            // The end of the journal is unknown, although nothing has changed it.
            try withFiles { file, _, disk throws in
                disk.before = { step in
                    if case .append = step { return ENOSPC }
                    return step == .cutBack ? EIO : nil
                }
                #expect(throws: SavingError.self) { try file.append(Self.change, through: 2) }
                #expect(try isChecked(file) && !file.isIntact && !file.isTrusted)
            }
        }

        @Test func aJournalThatWasNotSyncedIsNotTrusted() throws {
            try withFiles { file, _, disk throws in
                disk.before = { $0 == .syncJournal ? EIO : nil }
                #expect(throws: SavingError.self) { try file.append(Self.change, through: 2) }
                #expect(!file.isTrusted)
            }
        }

        @Test func anAnnouncedDocumentThatIsNotThereIsNotIntact() throws {
            try withFiles { file, url, disk throws in
                disk.before = { $0 == .replace ? EIO : nil }
                #expect(throws: SavingError.self) { try file.replaceDocument(with: Self.new, through: 2, .none) }
                #expect(!file.isIntact)
                #expect(try Data(contentsOf: url) == Self.old && belongs(url))
            }
        }

        @Test func aDamagedJournalOfSomethingElseIsNotTrusted() throws {
            try withFiles { file, url, _ throws in
                try Data("no journal\n".utf8).write(to: journal(url), options: .atomic)
                #expect {
                    try file.replaceDocument(with: Self.new, through: nil, .none)
                } throws: { "\($0)".contains("line 1 of its journal is damaged") }
                #expect(!file.isTrusted)
            }
        }

        @Test func withoutAJournalNothingIsAppended() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let file = JournalFile(AtomicFile(path: url.path))
                #expect {
                    try file.append(Self.change, through: 1)
                } throws: { "\($0)".contains("because it has no journal") }
                #expect(try folder.names.isEmpty)
            }
        }

        // MARK: - Replacing the document

        @Test(arguments: [0, 1]) func theJournalNamesTheNewDocumentBeforeItIsThere(_ harm: Int) throws {
            try withFiles { file, url, disk throws in
                try Harm.allCases[harm].apply(journal(url))
                // Writing stops when the new document is there.
                disk.before = { $0 == .syncFolder && (try? Data(contentsOf: url)) == Self.new ? EIO : nil }
                #expect(throws: SavingError.self) { try file.replaceDocument(with: Self.new, through: nil, .none) }
                #expect(try Data(contentsOf: url) == Self.new && belongs(url))
            }
        }

        @Test func aPreparedDocumentIsNotWrittenAgain() throws {
            try withFiles { file, url, disk throws in
                let prepared = try disk.file(url).prepared(with: Self.new)
                let generation = file.generation
                disk.steps = []
                try file.replaceDocument(with: Self.new, through: 1, prepared: prepared, .none)
                // Only the journal is.
                #expect(disk.steps.count { $0 == .open } == 1 && file.generation == generation + 1)
                #expect(try Data(contentsOf: url) == Self.new)
            }
        }

        @Test func aNewJournalHasTheLinesThatTheDocumentLacks() throws {
            try withFiles { file, url, _ throws in
                let (offset, generation) = (file.count, file.generation)
                try file.append(Journal.line(forChange: 2, Data("[]".utf8)), through: 2)
                try file.replaceDocument(with: Self.new, through: 1, .lines(from: offset))
                #expect(file.lastNumber == 2 && file.generation == generation + 1 && file.isIntact)
                try file.append(Journal.line(forChange: 3, Data("[]".utf8)), through: 3)
                let journal = try Journal(parsing: Data(contentsOf: journal(url)))
                #expect(journal.changes(since: Self.new)?.map(\.number) == [2, 3])
                #expect(journal.changes(since: Self.old) == nil)
            }
        }

        @Test func theFolderIsSyncedAgainOnlyIfAJournalWasRemoved() throws {
            try withFiles { file, url, disk throws in
                for count in [2, 1] {
                    disk.steps = []
                    try file.replaceDocument(with: Self.new, through: nil, .noJournal)
                    #expect(disk.steps.count { $0 == .syncFolder } == count)
                    #expect(!file.isTrusted && !FileManager.default.fileExists(atPath: journal(url).path))
                }
            }
        }

        @Test func aJournalThatIsRemovedImmediatelyIsAnError() throws {
            try withFiles { file, url, disk throws in
                disk.act(before: .syncFolder, 2) {
                    unlink(journal(url).path)
                    return nil
                }
                #expect {
                    try file.replaceDocument(with: Self.new, through: nil, .none)
                } throws: { "\($0)".contains("while opening its journal") }
                #expect(!file.isTrusted)
            }
        }

        @Test func aNewJournalIsWrittenInPiecesToo() throws {
            try withFolder { folder throws in
                let disk = Disk()
                var file = disk.file(folder.appendingPathComponent("file"))
                file.pieceSize = 16
                try JournalFile(file).replaceDocument(with: Self.old, through: nil, .none)
                #expect(disk.steps.contains(.write(offset: 16)))
            }
        }

        // MARK: - Descriptors

        /// The number of descriptors of this process that a file has.
        private func openDescriptors(of url: URL) -> Int {
            var (file, opened) = (stat(), stat())
            #expect(stat(url.path, &file) == 0)
            return (0..<Int32(4_096)).count {
                fstat($0, &opened) == 0 && (opened.st_dev, opened.st_ino) == (file.st_dev, file.st_ino)
            }
        }

        @Test func aJournalIsOpenOnceAndAsLongAsItIsNeeded() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let kept = (0..<2).map { folder.appendingPathComponent("kept \($0)") }
                do {
                    let file = JournalFile(AtomicFile(path: url.path))
                    for link in kept {
                        try file.replaceDocument(with: Self.old, through: nil, .none)
                        // The link keeps the number of the file from being used again.
                        try FileManager.default.linkItem(at: journal(url), to: link)
                    }
                    #expect(kept.map(openDescriptors) == [0, 1])
                    withExtendedLifetime(file) {}
                }
                #expect(kept.map(openDescriptors) == [0, 0])
            }
        }

        #if os(Linux) || os(macOS)
        /// In a program without standard input, a journal may have the descriptor 0.
        @Test func aProgramWithoutStandardInputSavesAJournal() async throws {
            await #expect(processExitsWith: .success) {
                try withFolder { folder throws in
                    let (url, disk) = (folder.appendingPathComponent("file"), Disk())
                    do {
                        let file = JournalFile(disk.file(url))
                        disk.act(before: .syncFolder, 2) {
                            close(0)
                            return nil
                        }
                        try file.replaceDocument(with: Data("{}".utf8), through: nil, .none)
                        precondition(fcntl(0, F_GETFD) >= 0 && file.isTrusted && file.isIntact)
                        try file.append(Journal.line(forChange: 1, Data("[]".utf8)), through: 1)
                        try file.moveAsideIfUnloadable({ _, _ in preconditionFailure() }, { _ in })
                        disk.steps = []
                        try file.replaceDocument(with: Data("[1]".utf8), through: nil, .none)
                        precondition(disk.steps.contains(.syncJournal))
                    }
                    precondition(fcntl(0, F_GETFD) < 0)
                }
            }
        }

        @Test func aLineThatWasWrittenInPartIsCutOffAgain() async throws {
            await #expect(processExitsWith: .success) {
                try withFolder { folder throws in
                    let url = folder.appendingPathComponent("file")
                    let file = JournalFile(AtomicFile(path: url.path))
                    try file.replaceDocument(with: Data("{}".utf8), through: nil, .none)
                    let journal = url.appendingPathExtension("journal")
                    let before = try Data(contentsOf: journal)
                    // A limit on the sizes of files lets a write end early.
                    signal(SIGXFSZ, SIG_IGN)
                    let limit = rlim_t(before.count + 10)
                    var limits = rlimit(rlim_cur: limit, rlim_max: limit)
                    #if canImport(Darwin)
                    precondition(setrlimit(RLIMIT_FSIZE, &limits) == 0)
                    #else
                    precondition(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0)
                    #endif
                    let line = Journal.line(forChange: 1, Data("[]".utf8))
                    precondition((try? file.append(line, through: 1)) == nil)
                    let after = try Data(contentsOf: journal)
                    precondition(after == before && file.isIntact)
                }
            }
        }
        #endif
    }
}
