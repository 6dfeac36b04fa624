// A file as state: observers see what other programs write to it.
//
//     swift run --package-path Examples WatchedFile

import Foundation
import Reactive

/// The text of a file. While it is observed, it checks the file every 20 milliseconds.
@MainActor final class WatchedFile {
    private let url: URL
    private var watching: Task<Void, Never>?
    private lazy var source = Source(
        named: url.lastPathComponent, onObserved: { @MainActor [weak self] in self?.watch() },
        onUnobserved: { @MainActor [weak self] in self?.watching?.cancel() })

    init(_ url: URL) { self.url = url }

    /// The text; `nil` if there is no such file.
    var text: String? {
        source.track()
        return try? String(contentsOf: url, encoding: .utf8)
    }

    private func watch() {
        watching = Task { [source, url] in
            // The version at the time of the last read is unknown. So the first check always reports a change.
            var seen: Version?
            while !Task.isCancelled {
                let version = Version(of: url)
                if seen != version { source.changed() }
                seen = version
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// The properties that a write changes. Tools that replace a file give it a new inode number.
    private struct Version: Equatable {
        let date: Date?, size: Int?, number: Int?

        init(of url: URL) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
            date = attributes?[.modificationDate] as? Date
            size = (attributes?[.size] as? NSNumber)?.intValue
            number = (attributes?[.systemFileNumber] as? NSNumber)?.intValue
        }
    }
}

let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".txt")
let file = WatchedFile(url)
let lineCount = Computed { file.text?.split(separator: "\n").count }
let display = autorun { print("lines:", lineCount.value ?? "no file") }  // prints "lines: no file"

try Data("milk\n".utf8).write(to: url)
try await when { lineCount.value == 1 }  // prints "lines: 1"
try Data("milk\nbread\n".utf8).write(to: url, options: .atomic)
try await when { lineCount.value == 2 }  // prints "lines: 2"
display.cancel()
try FileManager.default.removeItem(at: url)
