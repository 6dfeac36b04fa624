// Why a file could not be saved.

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Glibc
#endif

/// Says why a file could not be saved, or what became of a file that was in the way. The file is as it was last saved,
/// unless ``wasReplaced`` or ``movedAside`` says otherwise.
public struct SavingError: Error, CustomStringConvertible, Sendable {
    /// The path of the file that was to be saved.
    public let path: String
    /// The system's error number, if the system refused something.
    public let errorNumber: Int32?
    /// The file has the new contents already, but they may not have reached the disk.
    public let wasReplaced: Bool
    /// The name and the number of the process that saves to this file already, if that is the reason.
    public let owner: String?
    /// The path of the old file, if it could not be loaded and was moved aside. Saving continues with a new file.
    public let movedAside: String?
    /// What happened, to which file, and what became of it.
    public let description: String

    /// The system refused a step.
    init(_ errorNumber: Int32, path: String, phrase: String, wasReplaced: Bool = false) {
        self.path = path
        self.errorNumber = errorNumber
        self.wasReplaced = wasReplaced
        owner = nil
        movedAside = nil
        let state = wasReplaced ? "The file is complete, but may not outlast a power failure yet" : Self.unchanged
        description = "\(path) could not be saved: \(Self.text(of: errorNumber)), \(phrase). \(state)."
    }

    /// We refuse.
    package init(path: String, reason: String) {
        self.path = path
        errorNumber = nil
        wasReplaced = false
        owner = nil
        movedAside = nil
        description = "\(path) could not be saved: \(reason). \(Self.unchanged)."
    }

    /// Somebody else saves to the file.
    init(path: String, owner: String) {
        self.path = path
        errorNumber = nil
        wasReplaced = false
        self.owner = owner
        movedAside = nil
        description = """
            \(path) could not be saved: \(owner) saves to it. \(Self.unchanged). \
            Once that has ended, load the file again and start a new autosave.
            """
    }

    /// A file that does not load was in the way.
    init(path: String, movedAside: String) {
        self.path = path
        errorNumber = nil
        wasReplaced = false
        owner = nil
        self.movedAside = movedAside
        description = """
            \(path) was saved as a new file: the file that was there could not be loaded and is now \(movedAside).
            """
    }

    /// What the system says about an error number.
    static func text(of errorNumber: Int32) -> String { String(cString: strerror(errorNumber)) }

    private static let unchanged = "The file was left as it is"
}
