// Encoding by hand, and encodings that cannot be completed.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct EncoderTests {
        @Test func aValueThatEncodesNothingIsAnEmptyObject() throws {
            struct Nothing: Encodable {
                func encode(to encoder: any Encoder) throws {}
            }
            #expect(try JSONValue(encoding: Observable(Nothing())) == [:])
            #expect(try JSONValue(encoding: [Observable([Nothing()])]) == [[[:]]])
        }

        @Test func nilRemovesAnEarlierMemberOfTheSameKey() throws {
            struct Twice: Encodable {
                @Observable var first: Int? = 1
                @Observable var second: Int?

                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: AnyKey.self)
                    try container.encode(_first, forKey: AnyKey("a"))
                    try container.encode(2, forKey: AnyKey("b"))
                    try container.encode(_second, forKey: AnyKey("a"))
                }
            }
            #expect(try JSONValue(encoding: Twice()) == ["b": 2])
        }

        @Test func aCycleIsFoundAtItsSecondRound() {
            final class Ring: Encodable {
                @Observable var next: Ring?
                private var encodings = 0

                func encode(to encoder: any Encoder) throws {
                    encodings += 1
                    if encodings > 9 { throw CancellationError() }
                    var container = encoder.container(keyedBy: AnyKey.self)
                    try container.encode(_next, forKey: AnyKey("next"))
                }
            }
            let ring = Ring()
            ring.next = ring
            defer { ring.next = nil }
            #expect(throws: EncodingError.self) { try JSONValue(encoding: ring) }
        }

        @Test func eachNonConformingNumberHasItsText() throws {
            let encoder = JSONEncoder()
            encoder.nonConformingFloatEncodingStrategy =
                .convertToString(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
            let numbers: [Double] = [.nan, .infinity, -.infinity]
            #expect(try JSONValue(encoding: numbers, using: encoder) == ["?", "+", "-"])
        }

        private enum Color: Codable { case red, blue }
        private enum Size: String, Codable, CodingKeyRepresentable { case small, large }

        @Test func aCollectionWhoseKeysAreNoneInJSONHasNoOrder() throws {
            let counts = ObservableDictionary<Color, Int>([.red: 1, .blue: 2])
            let before = try JSONValue(encoding: ["counts": counts])
            counts[.red] = 3
            let patch = JSONPatch(from: before, to: try JSONValue(encoding: ["counts": counts]))
            #expect(patch.operations.map(\.path.description) == ["/counts"])
        }

        @Test func aCollectionWhoseKeysAreCodingKeysHasMembers() throws {
            struct Root: Encodable {
                let counts = ObservableDictionary<Size, Observable<Int>>([.small: Observable(1), .large: Observable(2)])
            }
            let root = Root()
            var patches: [String] = []
            let reaction = deepObserve(root) { changes in
                patches.append((try? changes.jsonPatch().description) ?? "no patch")
            }
            defer { reaction.cancel() }
            root.counts[.small]?.value = 3
            #expect(patches == [#"[{"op":"replace","path":"/counts/small","value":3}]"#])
        }
    }

    @Suite(.inDefaultGraph) struct EncoderReachTests {
        private struct Pair: Encodable {
            let own: Observable<Int>
            let other: Observable<Int?>

            enum CodingKeys: CodingKey { case own, other }
        }

        @Test(arguments: [nil, 1] as [Int?])
        func stateOfAnotherGraphMakesEncodingFail(value: Int?) {
            let session = IndependentGraph(named: "session")
            let other = Observable<Int?>(value, named: "stranger")
            let pair = session.run { Pair(own: Observable(1), other: other) }
            let error = #expect(throws: EncodingError.self) { try JSONValue(encoding: pair) }
            #expect("\(error as Any)".contains("stranger belongs to the default graph"))
        }
    }
}
