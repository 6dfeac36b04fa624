// What one run of the benchmarks measured, and where: everything that the pictures show.

import Foundation

/// A run's results.
public struct Record: Codable {
    public let date: String
    public let machine: String
    public let toolchain: String
    public let samples: Int
    /// The names of the sides in the order of the table.
    public let sides: [String]
    public var comparisons: [Comparison] = []
    /// The rows by size: see `Curve`.
    public var scaling: [Comparison] = []

    /// The record of a run that begins now, here.
    public init(sides: [String], samples: Int) {
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

    /// One line on where the numbers come from.
    public var origin: String { "\(date) · \(machine) · \(toolchain) · \(samples) samples" }

    public var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self) + Data("\n".utf8)
        }
    }
}

/// What the system calls the processor.
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
