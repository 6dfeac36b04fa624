// A file of outcomes, so that a run that was interrupted can be continued.

import Foundation

/// The outcomes in a file. Any thread may use it.
final class OutcomeRecord: @unchecked Sendable {
    // Sendable because everything is accessed under the lock.
    private let lock = NSLock()
    private let url: URL
    private var known: [String: Outcome] = [:]

    init(at url: URL, isKept: Bool) {
        self.url = url
        guard isKept, let text = try? String(contentsOf: url, encoding: .utf8) else {
            try? Data().write(to: url)
            return
        }
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t")
            if parts.count == 2, let outcome = Outcome(rawValue: String(parts[0])) { known[String(parts[1])] = outcome }
        }
    }

    func outcome(of mutant: Mutant) -> Outcome? { lock.withLock { known[mutant.description] } }

    func add(_ outcome: Outcome, of mutant: Mutant) {
        lock.withLock {
            known[mutant.description] = outcome
            guard let file = try? FileHandle(forWritingTo: url) else { return }
            defer { try? file.close() }
            _ = try? file.seekToEnd()
            try? file.write(contentsOf: Data("\(outcome.rawValue)\t\(mutant.description)\n".utf8))
        }
    }
}
