// Replacing a file as a whole: kept attributes, refused files, and the file after a failure of each step.

import Foundation
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct AtomicFileTests {
        private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

        private func save(_ text: String, to path: String) throws {
            try AtomicFile(path: path).replaceContents(with: Data(text.utf8))
        }

        @Test(arguments: [
            AtomicFile.Operation.open, .write(offset: 0), .write(offset: 3), .sync, .replace,
        ])
        func aFailureBeforeTheReplacementLeavesTheFileAsItWas(_ failing: AtomicFile.Operation) throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                try save("old", to: url.path)
                var file = AtomicFile(path: url.path)
                file.pieceSize = 3
                file.failure = { $0 == failing ? ENOSPC : nil }
                #expect {
                    try file.replaceContents(with: Data("new text".utf8))
                } throws: { error in
                    guard let error = error as? SavingError else { return false }
                    return error.errorNumber == ENOSPC && !error.wasReplaced
                        && error.description.hasPrefix("\(url.path) could not be saved: No space left on device, ")
                        && error.description.hasSuffix(". The file is unchanged.")
                }
                #expect(try text(url) == "old")
                #expect(try folder.names == ["file"])
            }
        }

        @Test func aFailureToSyncTheFolderReportsThatTheFileIsComplete() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                var file = AtomicFile(path: url.path)
                file.failure = { $0 == .syncFolder ? EIO : nil }
                let error = #expect(throws: SavingError.self) {
                    try file.replaceContents(with: Data("new".utf8))
                }
                #expect(error?.wasReplaced == true)
                #expect(error?.description.contains(". The file is complete, but a power failure") == true)
                #expect(try text(url) == "new")
                #expect(try folder.names == ["file"])
            }
        }

        @Test func permissionsAreKept() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                try save("old", to: url.path)
                for mode in [0o640, 0o600, 0o755] {
                    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
                    try save("new", to: url.path)
                    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
                    #expect(attributes[.posixPermissions] as? Int == mode)
                }
            }
        }

        @Test func aNewFileHasThePermissionsOfNewFiles() throws {
            try withFolder { folder throws in
                let (url, other) = (folder.appendingPathComponent("file"), folder.appendingPathComponent("other"))
                close(open(other.path, O_WRONLY | O_CREAT | O_EXCL, 0o666))
                try save("new", to: url.path)
                #expect(url.permissions == other.permissions)
            }
        }

        @Test func newFilesMayBePrivateAndOldFilesKeepTheirPermissions() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                var file = AtomicFile(path: url.path, newFileAccess: .ownerOnly)
                // No other user can open it before it has its name either.
                file.failure = { step in
                    let temporary = folder.appendingPathComponent(".file.saving")
                    if step == .write(offset: 0) { #expect(temporary.permissions == 0o600) }
                    return nil
                }
                try file.replaceContents(with: Data("new".utf8))
                #expect(url.permissions == 0o600)
                try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
                try file.replaceContents(with: Data("newer".utf8))
                #expect(url.permissions == 0o640)
            }
        }

        @Test func symbolicLinksStayAndTheirFileIsReplaced() throws {
            try withFolder { folder throws in
                let inner = folder.appendingPathComponent("inner")
                try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
                let link = folder.appendingPathComponent("link")
                let second = folder.appendingPathComponent("second")
                try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "inner/file")
                try FileManager.default.createSymbolicLink(atPath: second.path, withDestinationPath: link.path)
                // There is no file at first, then there is one.
                for content in ["one", "two"] {
                    try save(content, to: second.path)
                    #expect(try text(inner.appendingPathComponent("file")) == content)
                    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "inner/file")
                }
                #expect(try folder.names == ["inner", "link", "second"])
                #expect(try inner.names == ["file"])
            }
        }

        @Test func circularLinksAreRefused() throws {
            try withFolder { folder throws in
                let link = folder.appendingPathComponent("link")
                try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "link")
                #expect { try save("x", to: link.path) } throws: { ($0 as? SavingError)?.errorNumber == ELOOP }
            }
        }

        @Test func onlyRegularFilesAreReplaced() throws {
            try withFolder { folder throws in
                #expect {
                    try save("x", to: folder.path)
                } throws: { "\($0)".contains("it is a folder") && ($0 as? SavingError)?.wasReplaced == false }
                let pipe = folder.appendingPathComponent("pipe")
                #expect(mkfifo(pipe.path, 0o600) == 0)
                #expect { try save("x", to: pipe.path) } throws: { "\($0)".contains("it is not a regular file") }
                let file = folder.appendingPathComponent("file")
                try save("x", to: file.path)
                #expect {
                    try save("x", to: file.appendingPathComponent("below").path)
                } throws: { ($0 as? SavingError)?.errorNumber == ENOTDIR }
                #expect {
                    try save("x", to: folder.appendingPathComponent("missing/file").path)
                } throws: { error in
                    (error as? SavingError)?.errorNumber == ENOENT
                        && "\(error)".contains(", because its folder does not exist. ")
                }
            }
        }

        @Test func twoSavesOfTheSameFileNeverMixTheirContents() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let contents = (0..<4).map { String(repeating: "\($0)", count: 5_000) }
                DispatchQueue.concurrentPerform(iterations: 4) { number in
                    var file = AtomicFile(path: url.path)
                    file.pieceSize = 100
                    for _ in 0..<25 {
                        #expect(throws: Never.self) { try file.replaceContents(with: Data(contents[number].utf8)) }
                        let found = try? String(contentsOf: url, encoding: .utf8)
                        #expect(contents.contains(found ?? "nothing"))
                    }
                }
                #expect(try folder.names == ["file"])
            }
        }

        @Test func temporaryFilesOfAKilledProgramAreRemoved() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                try Data("half".utf8).write(to: folder.appendingPathComponent(".file.saving"))
                try save("whole", to: url.path)
                #expect(try folder.names == ["file"])
                #expect(try text(url) == "whole")
            }
        }

        @Test func theTemporaryFileOfARunningSaveIsLeft() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let temporary = folder.appendingPathComponent(".file.saving")
                try Data("half".utf8).write(to: temporary)
                let running = open(temporary.path, O_RDONLY)
                defer { close(running) }
                #expect(flock(running, LOCK_EX | LOCK_NB) == 0)
                try save("whole", to: url.path)
                #expect(try folder.names == [".file.saving", "file"])
                #expect(try text(temporary) == "half" && text(url) == "whole")
            }
        }

        @Test func theTemporaryFileOfTheNextSaveIsLeft() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                let temporary = folder.appendingPathComponent(".file.saving")
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    // A different save begins when this one has replaced the file.
                    if step == .syncFolder { try? Data("next".utf8).write(to: temporary) }
                    return nil
                }
                try file.replaceContents(with: Data("new".utf8))
                #expect(try text(temporary) == "next")
            }
        }

        @Test func noOtherUserCanOpenANewFileBeforeItHasThePermissionsOfTheOldOne() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent("file")
                try save("old", to: url.path)
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    let temporary = folder.appendingPathComponent(".file.saving")
                    if step == .write(offset: 0) { #expect(temporary.permissions == 0o600) }
                    return nil
                }
                try file.replaceContents(with: Data("new".utf8))
                #expect(try text(url) == "new")
            }
        }

        @Test func aNameThatIsTooLongIsRefusedBeforeAnythingIsWritten() throws {
            try withFolder { folder throws in
                let steps = Shared(0)
                var file = AtomicFile(path: folder.appendingPathComponent(String(repeating: "x", count: 300)).path)
                file.failure = { _ in
                    steps.withLock { $0 += 1 }
                    return nil
                }
                #expect {
                    try file.replaceContents(with: Data())
                } throws: { ($0 as? SavingError)?.errorNumber == ENAMETOOLONG }
                #expect(steps.value == 0)
            }
        }

        @Test func longNamesWork() throws {
            try withFolder { folder throws in
                let url = folder.appendingPathComponent(String(repeating: "é", count: 127))
                try save("x", to: url.path)
                try save("y", to: url.path)
                #expect(try text(url) == "y")
                #expect(try folder.names.count == 1)
            }
        }
    }
}
