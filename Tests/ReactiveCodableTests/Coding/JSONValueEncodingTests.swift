// Values as JSON values and back, without a detour through text.

import Foundation
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct JSONValueEncodingTests {
        @Test func encodingAgreesWithJSONEncoder() throws {
            let encoder = JSONEncoder()
            let value = Everything.sample
            #expect(try JSONValue(encoding: value, using: encoder) == JSONValue(parsing: encoder.encode(value)))
            #expect(try JSONValue(encoding: value).decoded(as: Everything.self) == value)
        }

        @Test(arguments: 0..<6)
        func encodingFollowsTheStrategiesOfTheCoders(_ number: Int) throws {
            let encoder = JSONEncoder()
            let decoder = JSONDecoder()
            switch number {
            case 0:
                encoder.dateEncodingStrategy = .iso8601
                decoder.dateDecodingStrategy = .iso8601
                encoder.keyEncodingStrategy = .convertToSnakeCase
                decoder.keyDecodingStrategy = .convertFromSnakeCase
            case 1:
                encoder.dateEncodingStrategy = .millisecondsSince1970
                decoder.dateDecodingStrategy = .millisecondsSince1970
                encoder.dataEncodingStrategy = .deferredToData
                decoder.dataDecodingStrategy = .deferredToData
            case 2:
                encoder.dateEncodingStrategy = .secondsSince1970
                decoder.dateDecodingStrategy = .secondsSince1970
                encoder.dataEncodingStrategy = .base64
                decoder.dataDecodingStrategy = .base64
            case 3:
                encoder.dateEncodingStrategy = .custom { date, encoder in
                    var container = encoder.container(keyedBy: AnyKey.self)
                    try container.encode(date.timeIntervalSince1970, forKey: AnyKey("seconds"))
                }
                decoder.dateDecodingStrategy = .custom { decoder in
                    let container = try decoder.container(keyedBy: AnyKey.self)
                    return Date(timeIntervalSince1970: try container.decode(Double.self, forKey: AnyKey("seconds")))
                }
            case 4:
                encoder.keyEncodingStrategy = .custom { AnyKey($0.last!.stringValue.uppercased() + "\($0.count)") }
                decoder.keyDecodingStrategy = .custom { AnyKey($0.last!.stringValue.dropLast().lowercased()) }
            default:
                encoder.nonConformingFloatEncodingStrategy =
                    .convertToString(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
                decoder.nonConformingFloatDecodingStrategy =
                    .convertFromString(positiveInfinity: "+", negativeInfinity: "-", nan: "?")
            }
            var value = Everything.sample
            if number == 5 { value.double = -.infinity }
            let json = try JSONValue(encoding: value, using: encoder)
            #expect(try json == JSONValue(parsing: encoder.encode(value)))
            if number != 4 { #expect(try json.decoded(as: Everything.self, using: decoder) == value) }
        }

        @Test func keysThatDifferInTheirNormalFormOnlyAreKept() throws {
            let value = try JSONValue(parsing: "{\"a\":[{\"\u{e9}\":1,\"e\u{301}\":2}]}")
            #expect(value.valueCount == 5)
            #expect(try JSONValue(encoding: value) == value)
            #expect(try value.decoded(as: JSONValue.self) == value)
        }

        @Test func decodingErrorsNameTheirPath() throws {
            let json: JSONValue = ["points": [["x": 1, "y": "two"]]]
            do {
                _ = try json.decoded(as: [String: [[String: Int]]].self)
                Issue.record("decoded a string as a number")
            } catch DecodingError.typeMismatch(_, let context) {
                #expect(context.codingPath.map(\.stringValue) == ["points", "Index 0", "y"])
                #expect(context.debugDescription == "expected Int, found a string")
            }
        }

        @Test func allContainersAgreeWithThoseOfJSONEncoder() throws {
            let value = ByHand()
            let json = try JSONValue(encoding: value)
            #expect(try json == JSONValue(parsing: JSONEncoder().encode(value)))
            let decoded = try json.decoded(as: ByHand.self)
            #expect(decoded.read == ["nested 1", "2", "nil", "3", "4", "super 5", "none", "text"])
            #expect(try JSONDecoder().decode(ByHand.self, from: json.data).read == decoded.read)
        }

        @Test func nestedObservablesAreEncodedAsTheirValues() throws {
            let json = try JSONValue(encoding: Nest())
            #expect(json.description == #"{"inner":[1,[2],{"a":3}],"list":[[],[4]],"twice":5}"#)
            #expect(try json == JSONValue(parsing: JSONEncoder().encode(Nest())))
        }

        @Test func anErrorBelowManyObservablesNeedsNoStack() throws {
            let last = Chain(next: nil)
            last.value = .nan
            var chain = last
            for _ in 0..<deep { chain = Chain(next: chain) }
            #expect(throws: EncodingError.self) { try JSONValue(encoding: chain) }
            last.value = 1
            #expect(try JSONValue(encoding: chain).depth == deep + 1)
        }
    }
}

/// A value whose coding uses every kind of container.
private struct ByHand: Codable {
    var read: [String] = []

    init() {}

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("nested"))
        try nested.encode(0, forKey: AnyKey("a"))
        try nested.encode(1, forKey: AnyKey("a"))
        var list = container.nestedUnkeyedContainer(forKey: AnyKey("list"))
        try list.encode(2)
        try list.encodeNil()
        var inner = list.nestedUnkeyedContainer()
        try inner.encode(3)
        var object = list.nestedContainer(keyedBy: AnyKey.self)
        try object.encode(4, forKey: AnyKey("b"))
        var single = container.superEncoder(forKey: AnyKey("single")).singleValueContainer()
        try single.encode("super 5")
        try container.encodeNil(forKey: AnyKey("none"))
        try container.encode(Nothing(), forKey: AnyKey("nothing"))
        try container.encode("text", forKey: AnyKey("text"))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        let nested = try container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("nested"))
        read.append("nested \(try nested.decode(Int.self, forKey: AnyKey("a")))")
        var list = try container.nestedUnkeyedContainer(forKey: AnyKey("list"))
        read.append("\(try list.decode(Int.self))")
        read.append(try list.decodeNil() ? "nil" : "a value")
        var inner = try list.nestedUnkeyedContainer()
        read.append("\(try inner.decode(Int.self))")
        let object = try list.nestedContainer(keyedBy: AnyKey.self)
        read.append("\(try object.decode(Int.self, forKey: AnyKey("b")))")
        read.append(try container.superDecoder(forKey: AnyKey("single")).singleValueContainer().decode(String.self))
        read.append(try container.decodeNil(forKey: AnyKey("none")) ? "none" : "more")
        // An error that a type catches while decoding is no error.
        let number = try? container.decode(Int.self, forKey: AnyKey("text"))
        read.append(try number.map { "\($0)" } ?? container.decode(String.self, forKey: AnyKey("text")))
    }

    private struct Nothing: Encodable {
        func encode(to encoder: any Encoder) throws {}
    }
}

/// Observables whose values contain others.
private struct Nest: Codable {
    @Observable var twice = Observable(wrappedValue: 5)
    @Observable var inner: [Part] = [
        .number(Observable(wrappedValue: 1)), .list(Observable(wrappedValue: [Observable(wrappedValue: 2)])),
        .members(Observable(wrappedValue: ["a": Observable(wrappedValue: 3)])),
    ]
    @Observable var list: [Observable<[Observable<Int>]>] = [
        Observable(wrappedValue: []), Observable(wrappedValue: [Observable(wrappedValue: 4)]),
    ]
    var none = Observable<Observable<Int>?>(wrappedValue: nil)

    enum Part: Codable {
        case number(Observable<Int>)
        case list(Observable<[Observable<Int>]>)
        case members(Observable<[String: Observable<Int>]>)

        init(from decoder: any Decoder) throws { fatalError("not decoded") }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .number(let value): try value.encode(to: encoder)
            case .list(let value): try value.encode(to: encoder)
            case .members(let value): try value.encode(to: encoder)
            }
        }
    }
}

private final class Chain: Codable {
    @Observable var next: Chain?
    @Observable var value = 0.0

    init(next: Chain?) { _next = Observable(wrappedValue: next) }
}

/// A value of every kind that has its own form in JSON.
struct Everything: Codable, Equatable {
    enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case point
    }
    enum Size: String, Codable { case small, large }

    var isOn = true
    var small: Int8 = -5
    var large = UInt64.max
    var float: Float = 0.1
    var double = 1e300
    var someText = "é\n\"/"
    var missing: Int?
    var list: [Int?] = [1, nil, 3]
    var dictionary = ["someKey": 1, "other_key": 2]
    var byNumber = [3: "three"]
    var bySize = [[1]: Size.large]
    var shapes: [Shape] = [.circle(radius: 2.5), .point]
    var date = Date(timeIntervalSince1970: 1_000_000)
    var data = Data([1, 2, 255])
    var url = URL(string: "https://example.org/a?b=c")!
    var decimal = Decimal(string: "12345678901234567890.12345")!
    var pair = Pair(left: 1, right: 2)

    static let sample = Everything()

    struct Pair: Codable, Equatable {
        var left: Int
        var right: Int
        init(left: Int, right: Int) { (self.left, self.right) = (left, right) }
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            left = try container.decode(Int.self)
            right = try container.nestedContainer(keyedBy: AnyKey.self).decode(Int.self, forKey: AnyKey("right"))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(left)
            var nested = container.nestedContainer(keyedBy: AnyKey.self)
            try nested.encode(right, forKey: AnyKey("right"))
        }
    }
}

struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ string: String) { stringValue = string }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
