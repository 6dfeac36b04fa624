// Issues that the package's other modules find.

import CReactive

extension Hosting {
    /// Reports an issue, as the engine reports its own.
    ///
    /// - Parameters:
    ///   - kind: What sort of thing happened.
    ///   - message: What happened, to which thing, and how to mend it.
    ///   - site: Where; the default handler prints one line for each.
    package static func report(_ kind: Diagnostics.Issue.Kind, _ message: String, site: String) {
        Diagnostics.report(.init(kind: kind, message: message, site: site), in: .current)
    }
}

extension Diagnostics {
    /// Reports that something is not observed because it could not be encoded.
    package static func reportFailedEncoding(_ message: String, site: String) {
        report(Issue(kind: .encoding, message: message, site: site), in: .current)
    }

    /// Reports that a file could not be saved, and nobody else wanted to know.
    package static func reportFailedSaving(_ message: String, site: String) {
        report(Issue(kind: .saving, message: message, site: site), in: .current)
    }
}
