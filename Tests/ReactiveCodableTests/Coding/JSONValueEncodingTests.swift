// Values as JSON values and back, without a detour through text.

import Foundation
import ReactiveCodable
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
    }
}

/// A bit of everything that has a form of its own in JSON.
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
