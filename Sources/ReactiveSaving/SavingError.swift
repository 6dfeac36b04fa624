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

/// Says why a file could not be saved. The file is as it was last saved, unless ``wasReplaced`` says otherwise.
public struct SavingError: Error, CustomStringConvertible, Sendable {
    /// The path of the file that was to be saved.
    public let path: String
    /// The system's error number, if the system refused something.
    public let errorNumber: Int32?
    /// The file has the new contents already, but they may not have reached the disk.
    public let wasReplaced: Bool
    /// What happened, to which file, and what became of it.
    public let description: String

    /// The system refused a step.
    init(_ errorNumber: Int32, path: String, phrase: String, wasReplaced: Bool = false) {
        self.path = path
        self.errorNumber = errorNumber
        self.wasReplaced = wasReplaced
        let state = wasReplaced ? "The file is complete, but may not outlast a power failure yet" : Self.unchanged
        description = "\(path) could not be saved: \(Self.text(of: errorNumber)), \(phrase). \(state)."
    }

    /// We refuse.
    init(path: String, reason: String) {
        self.path = path
        errorNumber = nil
        wasReplaced = false
        description = "\(path) could not be saved: \(reason). \(Self.unchanged)."
    }

    /// What the system says about an error number.
    static func text(of errorNumber: Int32) -> String { String(cString: strerror(errorNumber)) }

    private static let unchanged = "The file was left as it is"
}
