// The report about a file, which is read slice by slice.

import Foundation

/// The report about a file.
package struct FileReport: Equatable, Sendable {
    package var byteCount = 0
    package var lineCount = 0
    package var wordCount = 0
    /// The beginning of the longest line by characters; of several, the first.
    package var longestLine = ""
    /// The number of characters of that line.
    package var longestLength = 0
    /// The number of that line, from 1.
    package var longestNumber = 0

    package init() {}

    /// The progress of reading a file.
    package struct Progress: Equatable, Sendable {
        package var done: Int
        package var total: Int

        /// The fraction from 0 to 1; 1 for an empty file.
        var fraction: Double { total == 0 ? 1 : Double(done) / Double(total) }
    }

    /// The reason why a file could not be read.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    // MARK: - Reading

    /// Reads a file, in about fifty slices.
    ///
    /// - Parameters:
    ///   - path: A regular file.
    ///   - pause: Called after each slice.
    ///   - onProgress: Called before the first slice and after each one.
    /// - Throws: ``Failure``, `CancellationError`, and what `pause` throws.
    package static func read(
        _ path: String, pause: @Sendable () async throws -> Void, onProgress: (Progress) -> Void
    ) async throws -> FileReport {
        let file = try Descriptor(opening: path)
        let total = try file.size()
        var reader = FileReportReader()
        var slice = [UInt8](repeating: 0, count: min(max(total / 50, 1), 1 << 20))
        onProgress(Progress(done: 0, total: total))
        while case let count = try file.read(into: &slice), count > 0 {
            reader.take(slice.prefix(count))
            // A file may grow while it is read.
            onProgress(Progress(done: reader.report.byteCount, total: max(total, reader.report.byteCount)))
            try await pause()
            try Task.checkCancellation()
        }
        return reader.finish()
    }

    /// An open file.
    private final class Descriptor {
        private let number: Int32

        init(opening path: String) throws(Failure) {
            // Opening a pipe must not wait for a writer.
            number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            if number < 0 { throw .last }
        }

        deinit { close(number) }

        func size() throws(Failure) -> Int {
            var status = stat()
            guard fstat(number, &status) == 0 else { throw .last }
            switch status.st_mode & S_IFMT {
            case S_IFREG: return Int(status.st_size)
            case S_IFDIR: throw Failure(description: "it is a folder")
            default: throw Failure(description: "it is not a regular file")
            }
        }

        func read(into bytes: inout [UInt8]) throws(Failure) -> Int {
            while true {
                let count = Foundation.read(number, &bytes, bytes.count)
                if count >= 0 { return count }
                if errno != EINTR { throw .last }
            }
        }
    }
}

extension FileReport.Failure {
    /// The error of the last system call.
    fileprivate static var last: Self {
        switch errno {
        case ENOENT: Self(description: "there is no such file")
        case EACCES: Self(description: "no permission to read it")
        case let error: Self(description: String(cString: strerror(error)))
        }
    }
}

/// Creates a report from bytes that arrive in slices.
struct FileReportReader {
    private(set) var report = FileReport()
    private var line: [UInt8] = []
    private var isInWord = false

    mutating func take(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            report.byteCount += 1
            let isBlank = byte == 0x20 || 0x09...0x0D ~= byte
            if !isBlank, !isInWord { report.wordCount += 1 }
            isInWord = !isBlank
            if byte == UInt8(ascii: "\n") {
                endLine()
            } else {
                line.append(byte)
            }
        }
    }

    mutating func finish() -> FileReport {
        if !line.isEmpty { endLine() }
        return report
    }

    private mutating func endLine() {
        report.lineCount += 1
        // A line never has more characters than bytes.
        if line.count > report.longestLength || report.longestNumber == 0 {
            if line.last == 0x0D { line.removeLast() }
            let text = String(decoding: line, as: UTF8.self)
            if text.count > report.longestLength || report.longestNumber == 0 {
                report.longestLine = String(text.prefix(1000))
                report.longestLength = text.count
                report.longestNumber = report.lineCount
            }
        }
        line.removeAll(keepingCapacity: true)
    }
}
