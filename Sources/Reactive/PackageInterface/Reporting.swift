// Issues of the package's other modules.

import CReactive

extension Hosting {
    /// Reports an issue in the same form as the engine's own.
    ///
    /// - Parameters:
    ///   - kind: The kind of the issue.
    ///   - message: The message: the event, the name of the affected thing, and the fix.
    ///   - site: The source location; the default handler prints one line for each.
    package static func report(_ kind: Diagnostics.Issue.Kind, _ message: String, site: String) {
        Diagnostics.report(.init(kind: kind, message: message, site: site), in: .current)
    }
}

extension Diagnostics {
    /// Reports that a value is not observed because it could not be encoded.
    package static func reportFailedEncoding(_ message: String, site: String) {
        report(Issue(kind: .encoding, message: message, site: site), in: .current)
    }

    /// Reports that a file could not be saved, if no handler of the program receives the error.
    package static func reportFailedSaving(_ message: String, site: String) {
        report(Issue(kind: .saving, message: message, site: site), in: .current)
    }
}
