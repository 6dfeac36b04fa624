// The checksum of journals, which files of earlier versions contain.

import Foundation
import ReactiveCodable
import Testing

extension ReactiveCodableTests {
    @Suite struct ChecksumTests {
        /// The check value that catalogues of checksums give for this one (CRC-64/XZ).
        @Test func theChecksumIsThatOfEarlierVersions() {
            #expect(Checksum(of: Data("123456789".utf8)).description == "995dc9bbdf1939fa")
            #expect(Checksum(of: Data()).description == "0000000000000000")
        }

        @Test(arguments: ["995dc9bbdf1939f", "995DC9BBDF1939FA", "+95dc9bbdf1939fa", "0995dc9bbdf1939fa"])
        func aTextOfADifferentFormIsNoChecksum(_ text: String) {
            let line = "0 journal 1 document \(text)"
            let journal = Data("\(Checksum(of: Data(line.utf8))) \(line)\n".utf8)
            #expect {
                _ = try Journal(parsing: journal)
            } throws: { ($0 as? Journal.Damage)?.reason.contains("does not support its kind") == true }
        }
    }
}
