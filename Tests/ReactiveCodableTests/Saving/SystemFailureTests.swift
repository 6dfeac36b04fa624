// Saving where the system refuses calls: file systems without locks, files of other users, folders that cannot be
// synced.

#if os(Linux) && DEBUG
import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

@testable import ReactiveSaving

private func save(_ text: String, to url: URL) throws {
    try AtomicFile(path: url.path).replaceContents(with: Data(text.utf8))
}

/// Runs `body` with the URL of a file in a new folder.
private func withFile(_ body: (URL) throws -> Void) throws {
    try withFolder { try body($0.appendingPathComponent("file")) }
}

extension URL {
    fileprivate var folder: URL { deletingLastPathComponent() }

    /// The number of descriptors of this folder and of files in it.
    fileprivate var openCount: Int {
        (0..<100).count { number in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return file?.contains(lastPathComponent) == true
        }
    }

    fileprivate func setPermissions(_ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}

extension FileLock.Claim {
    fileprivate var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
}

extension ReactiveCodableTests {
    @Suite struct SystemFailureTests {
        // MARK: - Locks

        @Test func aFileSystemMayHaveNoLocks() throws {
            try withFile { url throws in
                let names = Shared<[String]?>(nil)
                var file = AtomicFile(path: url.path)
                file.failure = { step in
                    if step == .sync { names.value = try? url.folder.names }
                    return nil
                }
                _ = try whereCallsFail([.flock: EOPNOTSUPP]) { [file] in
                    try file.replaceContents(with: Data("new".utf8))
                }
                // No other save takes the name of its temporary file.
                #expect(names.value?.count == 1 && names.value != [".file.saving"])
                #expect(url.text == "new")
                #expect(try url.folder.names == ["file"])
                let claim = try whereCallsFail([.flock: EOPNOTSUPP]) { FileLock.claim(for: url.path) }
                #expect(claim.isUnavailable)
            }
        }

        /// That save holds the lock of the file.
        @Test func aTemporaryFileThatADifferentSaveIsAboutToRemoveIsLeftToIt() throws {
            try withFile { url throws in
                try whereCallsFail([.flock: EWOULDBLOCK]) { try save("new", to: url) }
                #expect(url.text == "new")
                #expect(try url.folder.names == [".file.saving", "file"])
            }
        }

        // MARK: - The status of files

        @Test func withoutTheStatusOfTheNewFileASaveReportsThatItIsComplete() throws {
            try withFile { url throws in
                let error = #expect(throws: SavingError.self) {
                    try whereCallsFail([.fstat: EIO]) { try save("new", to: url) }
                }
                #expect(error?.errorNumber == EIO && error?.wasReplaced == true)
                #expect(url.text == "new")
                // It may belong to a different save.
                #expect(try url.folder.names == [".file.saving", "file"])
            }
        }

        @Test func aTemporaryFileThatCannotBeIdentifiedIsNotTakenForOneThatWasLeft() throws {
            try withFile { url throws in
                let other = url.folder.appendingPathComponent(".file.saving")
                try Data("half".utf8).write(to: other)
                #expect(throws: SavingError.self) { try whereCallsFail([.fstat: EIO]) { try save("new", to: url) } }
                #expect(other.text == "half")
            }
        }

        @Test func withoutTheOwnerOfTheTemporaryFileAFileIsNotReplaced() throws {
            try withFile { url throws in
                try save("old", to: url)
                let error = #expect(throws: SavingError.self) {
                    try whereCallsFail([.fstat: EIO]) { try save("new", to: url) }
                }
                #expect(error?.errorNumber == EIO && error?.wasReplaced == false)
                #expect(url.text == "old")
            }
        }

        @Test func aLockFileThatCannotBeIdentifiedIsNoLock() throws {
            try withFile { url throws in
                #expect(try whereCallsFail([.fstat: EIO]) { FileLock.claim(for: url.path) }.isUnavailable)
                guard case .held(let lock) = FileLock.claim(for: url.path) else { throw POSIXError(.EBUSY) }
                defer { lock.release() }
                // Whose it is, it does not know.
                let claim = try whereCallsFail([.fstat: EIO]) { FileLock.claim(for: url.path) }
                guard case .refused(_, let isThisProcess) = claim else { throw POSIXError(.EBUSY) }
                #expect(!isThisProcess)
            }
        }

        // MARK: - Permissions

        @Test func theOwnerOfAFileThatStaysTheSameIsNotChanged() throws {
            try withFile { url throws in
                try save("old", to: url)
                try url.setPermissions(0o660)
                try whereCallsFail([.fchown: EPERM]) { try save("new", to: url) }
                #expect(url.permissions == 0o660 && url.text == "new")
            }
        }

        @Test(arguments: [(EIO, true), (EPERM, false), (ENOTSUP, false)])
        func aFileSystemMayHaveNoPermissions(_ number: Int32, _ isError: Bool) throws {
            try withFile { url throws in
                try save("old", to: url)
                let saving = Result { try whereCallsFail([.fchmod: number]) { try save("new", to: url) } }
                if isError {
                    let error = #expect(throws: SavingError.self) { try saving.get() }
                    #expect(error?.errorNumber == number && error?.wasReplaced == false)
                } else {
                    #expect(throws: Never.self) { try saving.get() }
                }
                #expect(url.text == (isError ? "old" : "new"))
            }
        }

        @Test(.enabled(if: getuid() == 0)) func theOwnerOfAFileIsKept() throws {
            try withFile { url throws in
                try save("old", to: url)
                #expect(chown(url.path, 1_234, 1_235) == 0)
                try url.setPermissions(0o4640)
                try save("new", to: url)
                let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
                #expect(attributes[.ownerAccountID] as? Int == 1_234)
                #expect(attributes[.groupOwnerAccountID] as? Int == 1_235)
                #expect(url.permissions == 0o4640 && url.text == "new")
            }
        }

        /// Otherwise the rights of the file's owner and group would pass to others.
        @Test(.enabled(if: getuid() == 0)) func aFileOfADifferentOwnerAndGroupLosesTheRightsOfTheGroup() async {
            await #expect(processExitsWith: .success) {
                try withFile { url throws in
                    try save("old", to: url)
                    try url.setPermissions(0o666)
                    #expect(chown(url.folder.path, 65_534, 65_534) == 0)
                    becomeOrdinaryUser()
                    try save("new", to: url)
                    #expect(url.permissions == 0o606 && url.text == "new")
                }
            }
        }

        @Test(.enabled(if: getuid() == 0)) func aFileOfADifferentOwnerKeepsTheRightsOfItsGroup() async {
            await #expect(processExitsWith: .success) {
                try withFile { url throws in
                    try save("old", to: url)
                    #expect(chown(url.path, 0, 1_235) == 0 && chown(url.folder.path, 65_534, 65_534) == 0)
                    try url.setPermissions(0o4664)
                    becomeOrdinaryUser(group: 1_235)
                    try save("new", to: url)
                    #expect(url.permissions == 0o664 && url.text == "new")
                }
            }
        }

        @Test func aFileThatIsNotWritableIsNotReplaced() async {
            await #expect(processExitsWith: .success) {
                becomeOrdinaryUser()
                try withFile { url throws in
                    try save("old", to: url)
                    try url.setPermissions(0o444)
                    let error = #expect(throws: SavingError.self) { try save("new", to: url) }
                    #expect(error?.errorNumber == EACCES)
                    #expect(error?.description.contains("the existing file is not writable") == true)
                    #expect(url.text == "old")
                }
            }
        }

        @Test func aFileThatIsNotReadableIsNotCalledAFolder() async {
            await #expect(processExitsWith: .success) {
                becomeOrdinaryUser()
                try withFile { url throws in
                    try save("1", to: url)
                    try url.setPermissions(0)
                    let error = #expect(throws: LoadingError.self) { try load(Int.self, from: url) }
                    #expect(error?.kind == .unreadable)
                    #expect(error?.description.hasSuffix("could not be read: Permission denied.") == true)
                }
            }
        }

        @Test func aFolderMayBeWithoutTheRightToCreateFiles() async {
            await #expect(processExitsWith: .success) {
                becomeOrdinaryUser()
                try withFile { url throws in
                    try url.folder.setPermissions(0o555)
                    #expect(FileLock.claim(for: url.path).isUnavailable)
                    let error = #expect(throws: SavingError.self) { try save("new", to: url) }
                    #expect(error?.errorNumber == EACCES)
                    #expect(error?.description.contains(", while creating a temporary file in the same fol") == true)
                    try url.folder.setPermissions(0o755)
                }
            }
        }

        // MARK: - Syncing folders

        @Test func aFolderThatMayNotBeReadIsNotSynced() throws {
            try withFile { url throws in
                try whereCallsFail([.openFolder: EACCES]) { try save("new", to: url) }
                let error = #expect(throws: SavingError.self) {
                    try whereCallsFail([.openFolder: EMFILE]) { try save("newer", to: url) }
                }
                #expect(error?.errorNumber == EMFILE && error?.wasReplaced == true)
                #expect(url.text == "newer")
            }
        }

        @Test(arguments: [EINVAL, ENOTSUP, EBADF]) func aFileSystemMayNotSyncFolders(_ number: Int32) throws {
            try withFile { url throws in
                try whereCallsFail([.fsync: number]) { try AtomicFile(path: url.path).syncFolder(of: url.path) }
            }
        }

        @Test func aFolderThatCannotBeSyncedIsAnError() throws {
            try withFile { url throws in
                let error = #expect(throws: SavingError.self) {
                    // That closing the folder fails, too, is not the error.
                    try whereCallsFail([.fsync: EIO, .close: ENOSPC]) {
                        try AtomicFile(path: url.path).syncFolder(of: url.path)
                    }
                }
                #expect(error?.errorNumber == EIO && error?.wasReplaced == true)
            }
        }

        // MARK: - Descriptors

        @Test func anInterruptedOperationIsRepeated() throws {
            try withFile { url throws in
                var count = 0
                let result = try AtomicFile(path: url.path).perform(.sync, "") { () -> Int in
                    count += 1
                    errno = EINTR
                    return count < 3 ? -1 : 7
                }
                #expect(result == 7 && count == 3)
            }
        }

        @Test func noDescriptorStaysOpen() async {
            await #expect(processExitsWith: .success) {
                try withFile { url throws in
                    let temporary = url.folder.appendingPathComponent(".file.saving")
                    func save() throws {
                        try Data("left".utf8).write(to: temporary)
                        try AtomicFile(path: url.path).replaceContents(with: Data("new".utf8))
                        _ = try whereCallsFail([.flock: EOPNOTSUPP]) {
                            try AtomicFile(path: url.path).replaceContents(with: Data("newer".utf8))
                        }
                    }
                    func lock() throws {
                        guard case .held(let lock) = FileLock.claim(for: url.path) else { throw POSIXError(.EBUSY) }
                        guard case .refused = FileLock.claim(for: url.path) else { throw POSIXError(.EBUSY) }
                        lock.release()
                        _ = try whereCallsFail([.fstat: EIO]) { FileLock.claim(for: url.path) }
                    }
                    let folder = open(url.folder.path, O_RDONLY | O_DIRECTORY)
                    #expect(url.folder.openCount == 1)
                    try save()
                    #expect(url.folder.openCount == 1)
                    try lock()
                    #expect(url.folder.openCount == 1)
                    close(folder)
                }
            }
        }

        @Test func aProgramWithoutStandardInputSaves() async {
            await #expect(processExitsWith: .success) {
                try withFile { url throws in
                    // Each of these gets the descriptor 0: a file that was left, the folder, the lock.
                    try Data("left".utf8).write(to: url.folder.appendingPathComponent(".file.saving"))
                    close(0)
                    try save("new", to: url)
                    #expect(try url.folder.names == ["file"])
                    #expect(url.folder.openCount == 0)
                    // Any thread of the program may have opened the descriptor 0 meanwhile.
                    let other = open(url.path, O_RDONLY)
                    if other != 0 { dup2(other, 0) }
                    var file = AtomicFile(path: url.path)
                    file.failure = { step in
                        if step == .syncFolder { close(0) }
                        return nil
                    }
                    #expect(throws: Never.self) { try file.replaceContents(with: Data("newer".utf8)) }
                    let claim = FileLock.claim(for: url.path)
                    guard case .held(let lock) = claim else {
                        Issue.record("\(claim)")
                        return
                    }
                    lock.release()
                }
            }
        }
    }
}
#endif
