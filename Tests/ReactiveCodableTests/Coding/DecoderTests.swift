// Decoding by hand: every method of every container, before and behind the end, from plain JSON and from nodes.

import Foundation
import Reactive
import ReactiveCodable
import Testing

extension ReactiveCodableTests {
    @Suite struct DecoderTests {
        /// What types find while they are decoded.
        private final class Log: @unchecked Sendable {
            // Sendable because one thread uses it.
            static let key = CodingUserInfoKey(rawValue: "log")!

            /// How often a type was decoded.
            var runs = 0
            /// How often it throws, before it is decoded. After the first time, JSON is decoded as nodes.
            var failures = 0
            var found: [String] = []

            static func entered(by decoder: any Decoder) throws -> Log {
                let log = try #require(decoder.userInfo[key] as? Log)
                log.runs += 1
                log.found = []
                guard log.failures > 0 else { return log }
                log.failures -= 1
                throw CancellationError()
            }

            func note(_ body: () throws -> Any) {
                do { found.append("\(try body())") } catch { found.append(Self.text(of: error)) }
            }

            private static func text(of error: any Error) -> String {
                func path(_ context: DecodingError.Context) -> String {
                    context.codingPath.map(\.stringValue).joined(separator: "/")
                }
                switch error {
                case DecodingError.typeMismatch(_, let context): return "mismatch \(path(context))"
                case DecodingError.valueNotFound(_, let context): return "nothing \(path(context))"
                case DecodingError.keyNotFound(let key, let context):
                    return "no key \(key.stringValue) \(path(context))"
                case DecodingError.dataCorrupted(let context): return "corrupted \(path(context))"
                default: return "\(error)"
                }
            }
        }

        private struct Counted<Value: Decodable>: Decodable {
            let value: Value

            init(from decoder: any Decoder) throws {
                _ = try Log.entered(by: decoder)
                value = try decoder.singleValueContainer().decode(Value.self)
            }
        }

        private func decode<Value: Decodable>(
            _ type: Value.Type = Value.self, _ text: String, _ log: Log, convertsKeys: Bool = false
        ) throws -> Value {
            let decoder = JSONDecoder()
            decoder.userInfo[Log.key] = log
            if convertsKeys { decoder.keyDecodingStrategy = .convertFromSnakeCase }
            return try JSONValue(parsing: text).decoded(as: type, using: decoder)
        }

        // MARK: - Containers

        /// Asks for everything that decoders offer, and continues after errors.
        private struct Probe: Decodable {
            init(from decoder: any Decoder) throws {
                let log = try Log.entered(by: decoder)
                let container = try decoder.container(keyedBy: AnyKey.self)
                log.note { container.allKeys.map(\.stringValue).sorted().joined(separator: ",") }
                for name in ["none", "text", "missing"] {
                    log.note { container.contains(AnyKey(name)) }
                    log.note { try container.decodeNil(forKey: AnyKey(name)) }
                    log.note { try container.decode(Int.self, forKey: AnyKey(name)) }
                }
                log.note { try container.decode(Double.self, forKey: AnyKey("large")) }
                log.note { try container.decode(Float.self, forKey: AnyKey("large")) }
                log.note { try container.nestedUnkeyedContainer(forKey: AnyKey("object")).count as Any }
                log.note { try container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("list")).allKeys }
                log.note { try container.superDecoder(forKey: AnyKey("object")).unkeyedContainer().count as Any }
                log.note { try container.superDecoder(forKey: AnyKey("missing")).singleValueContainer().decodeNil() }
                let text = try container.superDecoder(forKey: AnyKey("text")).singleValueContainer()
                log.note { text.decodeNil() }
                log.note { try text.decode(String.self) }
                var list = try container.nestedUnkeyedContainer(forKey: AnyKey("list"))
                log.note { list.count as Any }
                log.note { try list.decodeNil() }
                log.note { try list.decode(Int.self) }
                log.note { try list.decodeNil() }
                log.note { try list.decode(Int.self) }
                log.note { try list.decode(String.self) }
                log.note { try list.nestedContainer(keyedBy: AnyKey.self).decode(Int.self, forKey: AnyKey("n")) }
                log.note {
                    var inner = try list.nestedUnkeyedContainer()
                    return try inner.decode(Int.self)
                }
                log.note { list.isAtEnd }
                log.note {
                    let inner = try list.superDecoder().container(keyedBy: AnyKey.self)
                    return try inner.decode(Int.self, forKey: AnyKey("n"))
                }
                log.note { list.isAtEnd }
                log.note { try list.decodeNil() }
                log.note { try list.decode(Int.self) }
                log.note { try list.nestedContainer(keyedBy: AnyKey.self).allKeys }
                log.note { try list.nestedUnkeyedContainer().count as Any }
                log.note { try list.superDecoder().codingPath }
            }
        }

        @Test(arguments: [0, 1])
        func allMethodsWorkBeforeAndBehindTheEnd(failures: Int) throws {
            let log = Log()
            log.failures = failures
            let text = """
                {"list": [1, null, "a", {"n": 2}, [3], {"n": 4}], "object": {"n": 5}, "none": null, "text": "t",
                 "large": 1e400}
                """
            _ = try decode(Probe.self, text, log)
            #expect(log.runs == failures + 1)
            #expect(
                log.found == [
                    "large,list,none,object,text",
                    "true", "true", "nothing none", "true", "false", "mismatch text",
                    "false", "no key missing ", "no key missing ",
                    "corrupted large", "corrupted large", "mismatch object", "mismatch list", "mismatch object",
                    "true", "false", "t",
                    "Optional(6)", "false", "1", "true", "mismatch list/Index 2", "a", "2", "3", "false", "4", "true",
                    "nothing list", "nothing list", "nothing list", "nothing list", "nothing list",
                ])
        }

        // MARK: - Attempts

        private struct Person: Decodable, Equatable {
            var firstName: String
            var luckyNumbers: [Int]
            var countByName: [String: Int]
            var nickName: String?
        }

        @Test(arguments: [false, true])
        func whatFitsIsDecodedOnce(convertsKeys: Bool) throws {
            let log = Log()
            let text =
                convertsKeys
                ? #"[{"first_name": "Ann", "lucky_numbers": [7, 8], "count_by_name": {"a_b": 1}}]"#
                : #"[{"firstName": "Ann", "luckyNumbers": [7, 8], "countByName": {"a_b": 1}}]"#
            let people = try decode(Counted<[Person]>.self, text, log, convertsKeys: convertsKeys).value
            #expect(people == [Person(firstName: "Ann", luckyNumbers: [7, 8], countByName: ["a_b": 1])])
            #expect(log.runs == 1)
        }

        @Test func whatDoesNotFitIsDecodedTwiceWhereverItIs() {
            let log = Log()
            #expect(throws: DecodingError.self) {
                try decode([String: [[Counted<Int>]]].self, #"{"a": [[{}]]}"#, log)
            }
            #expect(log.runs == 2)
        }

        @Test func aMissingMemberIsNotLookedForInVain() throws {
            struct Document: Decodable {
                @Observable var count: Int
                @Observable var title = "new"
            }
            let log = Log()
            let decoder = JSONDecoder()
            decoder.userInfo[Log.key] = log
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data(#"{"count": 1}"#.utf8).write(to: url)
                #expect(try load(Counted<Document>.self, from: url, decoder: decoder).value.title == "new")
            }
            // To find it missing, to learn its initial value, and to use that.
            #expect(log.runs == 3)
        }

        @Test func aTypeThatIsItsOwnContentDoesNotOverflowTheStack() {
            struct Endless: Decodable {
                init(from decoder: any Decoder) throws {
                    _ = try decoder.singleValueContainer().decode(Endless.self)
                }
            }
            #expect(throws: DecodingError.self) { try JSONValue.null.decoded(as: Endless.self) }
        }

        // MARK: - Initial values

        @Test func anInitialValueIsFoundBeforeTheNextPropertyReleasesOthers() throws {
            final class Part: Codable {
                @Observable var number = 5
            }
            struct Document: Codable {
                @Observable var number = 3
                var part: Part? = Part()
            }
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data("{}".utf8).write(to: url)
                let document = try load(Document.self, from: url)
                #expect(document.number == 3 && document.part == nil)
            }
        }

        @Test func initialValuesNeedNotBeJSON() throws {
            struct Document: Codable {
                @Observable var version: Int
                @Observable var levels: [Double] = [1, .infinity]
                @Observable var end = Date(timeIntervalSinceReferenceDate: .infinity)
            }
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data(#"{"version": 2}"#.utf8).write(to: url)
                let document = try load(Document.self, from: url)
                #expect(document.levels == [1, .infinity])
                #expect(document.end.timeIntervalSinceReferenceDate == .infinity)
            }
        }
    }
}
