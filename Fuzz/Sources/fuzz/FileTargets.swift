// Saved files: a document, and a journal beside it.

import Foundation
import Reactive
import ReactiveCodable

// The folder for files. `.ci/fuzz` creates it in memory and removes it.
private let folder = FileManager.default.temporaryDirectory

/// Tests loading. The input is a line with the document, then the lines of a journal without their checksums. A fuzzer
/// cannot guess checksums, so they are added here. A line that starts with `!` is used unchanged, and `?` stands for
/// the checksum of the document.
@Sendable func fuzzLoad(_ data: Data) {
    let (document, rest) = data.firstLineAndRest
    let file = folder.appendingPathComponent("graph.json")
    let journal = folder.appendingPathComponent("graph.json.journal")
    do {
        try document.write(to: file)
        try? FileManager.default.removeItem(at: journal)
        if !rest.isEmpty { try journalText(rest, for: document).write(to: journal) }
    } catch {
        fatalError("cannot write: \(error)")
    }
    guard let graph = try? load(Graph.self, from: file) else { return }
    promise(graph.json != nil, "a graph that was loaded cannot be encoded")
}

private func journalText(_ lines: Data, for document: Data) -> Data {
    var text = Data()
    for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
        if line.first == UInt8(ascii: "!") {
            text += line.dropFirst()
        } else {
            var body = Data()
            for byte in line {
                if byte == UInt8(ascii: "?") { body += checksum(document).utf8 } else { body.append(byte) }
            }
            text += checksum(body).utf8 + [UInt8(ascii: " ")] + body
        }
        text.append(UInt8(ascii: "\n"))
    }
    return text
}

/// Returns the checksum of journals: CRC-64 (ECMA-182, reflected) in hexadecimal digits.
private func checksum(_ data: Data) -> String {
    var value = UInt64.max
    for byte in data {
        value ^= UInt64(byte)
        for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xC96C_5795_D787_0F42 }
    }
    let digits = String(~value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
