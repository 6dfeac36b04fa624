// Existing files that are about to be replaced: those that cannot be loaded are moved aside.

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Glibc
#endif

/// The files that a saver is about to replace.
struct Predecessor {
    let file: AtomicFile
    let state: KnownFiles.State
    private let target: String

    /// Reads the state of the files at the path of a file.
    init(of file: AtomicFile) throws(SavingError) {
        self.file = file
        target = try file.resolvedPath()
        state = KnownFiles.State(at: target)
    }

    /// Moves the files aside, unless they can be loaded. An empty document is not moved.
    ///
    /// - Parameter loads: Returns whether contents can be loaded for which `load` was not called.
    /// - Returns: The new path of the document, if it was moved.
    func moveAsideIfUnloadable(_ loads: (Data, Data?) -> Bool) throws(SavingError) -> String? {
        if state.isNothing || (state.document?.size == 0 && state.journal == nil) { return nil }
        if isLoadable(loads) { return nil }
        var status = stat()
        guard state.document == nil || (stat(target, &status) == 0 && status.st_mode & S_IFMT == S_IFREG) else {
            // For a folder or a device, writing the new file throws.
            return nil
        }
        return try moveAside()
    }

    private func isLoadable(_ loads: (Data, Data?) -> Bool) -> Bool {
        if let known = KnownFiles.outcome(for: state, at: target) { return known.isLoadable }
        return isLoadableByContents(loads) == true
    }

    private func isLoadableByContents(_ loads: (Data, Data?) -> Bool?) -> Bool? {
        func read(_ path: String) -> Data? { try? Data(contentsOf: URL(fileURLWithPath: path)) }
        guard let data = read(target) else { return false }
        guard state.journal != nil else { return loads(data, nil) }
        guard let journal = read(AtomicFile.journalPath(of: target)) else { return false }
        return loads(data, journal)
    }

    /// Checks whether the files can be loaded, unless `load` was called for them, and records the result in
    /// `KnownFiles`.
    ///
    /// - Parameter loads: Returns whether contents can be loaded, or `nil` if their format is unknown. In an unknown
    ///   format, only files that this process has written can be loaded.
    func judge(_ loads: (Data, Data?) -> Bool?) {
        let known = KnownFiles.outcome(for: state, at: target)
        // No test sees this always hold: an empty document is moved only with a journal, and with it does not load.
        // No test sees this boundary: as above.
        guard state.document?.size ?? 0 > 0, known?.isOfLoad != true else { return }
        guard let isLoadable = isLoadableByContents(loads) ?? (known == .written ? nil : false) else { return }
        KnownFiles.note(state, at: target, .checked(isLoadable: isLoadable))
    }

    private func moveAside() throws(SavingError) -> String {
        let journal = AtomicFile.journalPath(of: target)
        var number = 1
        var aside = ""
        repeat {
            aside = "\(target).damaged-\(number)"
            number += 1
        } while Self.exists(aside) || Self.exists("\(aside).journal")
        // The document is moved first: a document without its journal would load, in an older state.
        for (old, new) in [(target, aside), (journal, "\(aside).journal")] where Self.exists(old) {
            guard rename(old, new) == 0 else {
                throw SavingError(errno, path: file.path, phrase: "while moving aside a file that cannot be loaded")
            }
        }
        try file.syncFolder(of: target)
        return aside
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
