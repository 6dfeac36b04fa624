// Errors of saving.

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Glibc
#endif

/// The error of a file that could not be saved, or the report that an existing file was moved aside. The file is as it
/// was last saved, unless ``wasReplaced`` or ``movedAside`` says otherwise.
public struct SavingError: Error, CustomStringConvertible, Sendable {
    /// The path of the file to save.
    public let path: String
    /// The system's error number, if a system call failed.
    public let errorNumber: Int32?
    /// Whether the file already has the new contents, which may not have reached the disk.
    public let wasReplaced: Bool
    /// The name and the number of the process that already saves to this file, if that is the reason.
    public let owner: String?
    /// The new path of the old file, if it could not be loaded and was moved aside. Saving continues with a new file.
    public let movedAside: String?
    /// The problem, with the file and its state.
    public let description: String

    /// Creates the error of a failed system call.
    init(_ errorNumber: Int32, path: String, phrase: String, wasReplaced: Bool = false) {
        self.path = path
        self.errorNumber = errorNumber
        self.wasReplaced = wasReplaced
        owner = nil
        movedAside = nil
        let state = wasReplaced ? "The file is complete, but a power failure may still lose it" : Self.unchanged
        description = "\(path) could not be saved: \(Self.text(of: errorNumber)), \(phrase). \(state)."
    }

    /// Creates the error of a save that the library refuses.
    package init(path: String, reason: String) {
        self.path = path
        errorNumber = nil
        wasReplaced = false
        owner = nil
        movedAside = nil
        description = "\(path) could not be saved: \(reason). \(Self.unchanged)."
    }

    /// Creates the error of a file that a different saver saves to.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - owner: The name and the number of the other saver's process.
    ///   - isThisProcess: Whether the other saver is in this process.
    init(path: String, owner: String, isThisProcess: Bool) {
        self.path = path
        errorNumber = nil
        wasReplaced = false
        self.owner = owner
        movedAside = nil
        let process = isThisProcess ? "this process, \(owner)," : owner
        description = """
            \(path) could not be saved: an autosave of \(process) already saves to it. \(Self.unchanged). \
            When that autosave has ended, load the file again and start a new one.
            """
    }

    /// Creates the report of a file that could not be loaded and was moved aside.
    init(path: String, movedAside: String) {
        self.path = path
        errorNumber = nil
        wasReplaced = false
        owner = nil
        self.movedAside = movedAside
        description = """
            \(path) could not be loaded, and was moved to \(movedAside). The next successful save creates a new file.
            """
    }

    /// Returns the system's message for an error number.
    static func text(of errorNumber: Int32) -> String { String(cString: strerror(errorNumber)) }

    private static let unchanged = "The file is unchanged"
}
