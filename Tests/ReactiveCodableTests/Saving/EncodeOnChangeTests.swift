// `encodeOnChange`: the encoded form after each change.

import Foundation
import Reactive
import ReactiveCodable
import Testing

extension ReactiveCodableTests {
    @Suite struct EncodeOnChangeTests {
        private struct Document: Codable {
            @Observable var title = "a"
            @Observable var number = 1.5
            @Observable var parts: [Observable<Int>] = []
        }

        @Test func eachTransactionIsEncodedOnceAndCreationIsNot() throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let document = Document()
            var log: [String] = []
            let reaction = encodeOnChange(document, encoder: encoder) { result in
                log.append((try? result.get()).map { String(decoding: $0, as: UTF8.self) } ?? "error")
            }
            document.title = "b"
            inTransaction {
                document.title = "c"
                document.parts = [Observable(1)]
            }
            document.parts[0].value = 2
            document.parts[0].value = 2
            reaction.cancel()
            document.title = "d"
            #expect(
                log == [
                    #"{"number":1.5,"parts":[],"title":"b"}"#, #"{"number":1.5,"parts":[1],"title":"c"}"#,
                    #"{"number":1.5,"parts":[2],"title":"c"}"#,
                ])
        }

        @Test func anErrorIsReportedAndTheNextChangeIsEncoded() {
            let document = Document()
            var log: [Bool] = []
            let reaction = encodeOnChange(document, encoder: JSONEncoder()) { result in
                log.append((try? result.get()) != nil)
            }
            defer { reaction.cancel() }
            document.number = .nan
            document.number = 2
            #expect(log == [false, true])
        }

        @Test func readsThatDependOnTheUserInfoCount() {
            struct Secret: Encodable {
                @Observable var open = 1
                @Observable var hidden = 1
                enum CodingKeys: CodingKey { case open, hidden }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(open, forKey: .open)
                    if encoder.userInfo[CodingUserInfoKey(rawValue: "all")!] != nil {
                        try container.encode(hidden, forKey: .hidden)
                    }
                }
            }
            let encoder = JSONEncoder()
            encoder.userInfo[CodingUserInfoKey(rawValue: "all")!] = true
            let secret = Secret()
            var log: [String] = []
            let reactions = [
                encodeOnChange(secret, encoder: JSONEncoder()) { _ in log.append("open") },
                encodeOnChange(secret, encoder: encoder) { _ in log.append("all") },
            ]
            defer { reactions.forEach { $0.cancel() } }
            secret.hidden = 2
            #expect(log == ["all"])
        }
    }
}
