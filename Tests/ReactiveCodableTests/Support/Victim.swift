// A run of the program AutosaveVictim, as a process of its own.

import Foundation
import TestSupport

final class Victim {
    private let process = Process()
    private let output = Pipe()

    init(_ arguments: String...) throws {
        // The program is in the folder of all products; on Apple's systems, inside a bundle there.
        let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        let products = bundle?.deletingLastPathComponent() ?? Bundle.main.bundleURL
        process.executableURL = products.appendingPathComponent("AutosaveVictim")
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    /// Waits for the end and returns the output.
    func run() -> String {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads at least this many bytes of the output.
    func read(atLeast count: Int) -> String {
        var data = Data()
        while data.count < count {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            data += piece
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// The number of the process.
    var number: Int32 { process.processIdentifier }

    /// Kills it immediately, and waits until it has ended. Returns the remaining output.
    func kill() -> String {
        Foundation.kill(process.processIdentifier, SIGKILL)
        return run()
    }

    /// The exit code, or the negative number of the signal that ended it.
    var exitCode: Int32 {
        process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}
