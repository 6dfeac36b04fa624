// What a process remembers of files: whether they are the same, how many there are, and their canonical paths.

#if DEBUG
import Foundation
import ReactiveCodable
import Testing
import TestSupport

@testable import ReactiveSaving

extension ReactiveCodableTests {
    @Suite struct KnownFilesTests {
        private func write(_ text: String, to url: URL) throws { try Data(text.utf8).write(to: url, options: .atomic) }

        @Test func filesAreTheSameUntilOneIsReplacedAndTheJournalMayGrow() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let journal = url.appendingPathExtension("journal")
                func state() -> KnownFiles.State { KnownFiles.State(at: url.path) }
                try write("1", to: url)
                let alone = state()
                #expect(alone.isSameFiles(as: state()))
                try write("2", to: url)
                let replaced = state()
                #expect(!alone.isSameFiles(as: replaced))
                try write("line\n", to: journal)
                let withJournal = state()
                #expect(!replaced.isSameFiles(as: withJournal) && !withJournal.isSameFiles(as: replaced))
                let file = try FileHandle(forWritingTo: journal)
                try file.seekToEnd()
                try file.write(contentsOf: Data("line\n".utf8))
                #expect(withJournal.isSameFiles(as: state()))
                try write("line\nline\n", to: journal)
                #expect(!withJournal.isSameFiles(as: state()))
                try file.close()
            }
        }

        /// In a process of its own, because the table belongs to the process.
        @Test func theTableOfFilesIsEmptiedBeforeItGrowsTooLarge() async {
            await #expect(processExitsWith: .success) {
                try withFolder { folder throws in
                    let url = folder.appendingPathComponent("file")
                    try Data("1".utf8).write(to: url)
                    let state = KnownFiles.State(at: url.path)
                    func path(_ number: Int) -> String { "\(folder.path)/\(number)" }
                    func isKnown(_ number: Int) -> Bool { KnownFiles.outcome(for: state, at: path(number)) != nil }
                    for number in 1...10_000 { KnownFiles.note(state, at: path(number), .loaded) }
                    #expect(isKnown(1) && isKnown(10_000))
                    KnownFiles.note(state, at: path(10_001), .loaded)
                    #expect(!isKnown(1) && !isKnown(10_000) && isKnown(10_001))
                }
            }
        }

        @Test func theCanonicalPathOfAFileInTheRootHasOneSlash() {
            #expect(AtomicFile.split("/missing file") == ("/", "missing file"))
            #expect(AtomicFile.canonical("/missing file") == "/missing file")
            #expect(AtomicFile.canonical("/./missing file") == "/missing file")
        }
    }
}
#endif
