// The results of one run of the benchmarks and its machine: all data for the pictures.

import Foundation

/// A run's results.
package struct Record: Codable {
    package let date: String
    package let machine: String
    package let toolchain: String
    package let samples: Int
    /// The names of the sides in the order of the table.
    package let sides: [String]
    package var comparisons: [Comparison] = []
    /// The rows by size: see `Curve`.
    package var scaling: [Comparison] = []

    /// Creates the record of a run that begins now on this machine.
    package init(sides: [String], samples: Int) {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = .withFullDate
        date = formatter.string(from: Date())
        let cores = ProcessInfo.processInfo.processorCount
        machine = "\(processorName()), \(cores) cores"
        let version = try? output(of: URL(fileURLWithPath: "/usr/bin/env"), ["swiftc", "--version"])
        toolchain = version?.split(separator: "\n").first.map(String.init) ?? "unknown toolchain"
        self.sides = sides
        self.samples = samples
    }

    /// One line about the origin of the numbers.
    package var origin: String { "\(date) · \(machine) · \(toolchain) · \(samples) samples" }

    package var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self) + Data("\n".utf8)
        }
    }
}

/// Returns the system's name of the processor.
private func processorName() -> String {
    #if os(Linux)
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    #else
    let name = try? output(of: URL(fileURLWithPath: "/usr/sbin/sysctl"), ["-n", "machdep.cpu.brand_string"])
    return name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown processor"
    #endif
}
