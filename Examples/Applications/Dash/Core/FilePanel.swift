// A file that is read slowly. `useAsync` gives its phase, and starts again for each new attempt.

import Foundation
import ReactiveHooks
import TerminalHost

/// The report about a file, the progress of reading it, or the error.
func file(_ settings: DashSettings) -> View {
    let path = settings.path
    let attempt = useState(1)
    /// The progress with the number of its attempt, because a superseded attempt may still report.
    let progress = useState((attempt: 0, FileReport.Progress(done: 0, total: 0)))

    let number = attempt.wrappedValue
    let phase = useAsync(.preserved(by: path, number)) {
        try await FileReport.read(path, pause: settings.pause) { progress.wrappedValue = (number, $0) }
    }
    useEffect(.preserved(by: phase.hasCompleted)) {
        if phase.hasCompleted { settings.onLoaded(phase.isSuccess) }
        return nil
    }

    return column {
        text(URL(fileURLWithPath: path).lastPathComponent, .bold)
        switch phase {
        case .pending, .running:
            let (attempt, known) = progress.wrappedValue
            reading(attempt == number ? known : FileReport.Progress(done: 0, total: 1))
        case .success(let report): table(report)
        case .failure(let error):
            paragraph("It cannot be read: \(error).", .color(.red))
            paragraph("Press r to try again.")
        }
    }.onKey { key in
        guard key == .character("r") else { return false }
        attempt.wrappedValue += 1
        return true
    }
}

private func reading(_ progress: FileReport.Progress) -> View {
    column {
        progressBar(progress.fraction, .color(.green))
        text("reading: \(Int(progress.fraction * 100)) %")
    }
}

private func table(_ report: FileReport) -> View {
    func line(_ name: String, _ value: String) -> View {
        row {
            text(name, .dim).frame(width: 9)
            text(value)
        }
    }
    return column {
        line("bytes", "\(report.byteCount)")
        line("lines", "\(report.lineCount)")
        line("words", "\(report.wordCount)")
        line("longest", "\(report.longestLength) characters, line \(report.longestNumber)")
        paragraph(report.longestLine, .dim)
    }
}
