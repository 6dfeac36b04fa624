// Encoding and decoding of observables.

import Foundation
import Reactive
import ReactiveCodable
import Testing

private struct Person: Codable {
    @Observable var firstName = "Bob"
    @Observable var nickname: String?
    @Observable var born = Date(timeIntervalSince1970: 0)
    @Observable var tags: [String: [Int]] = [:]
    @Observable var father: Person?
}

private struct Renamed: Codable {
    @Observable var count = 1
    @Observable(equals: { abs($0 - $1) < 0.5 }) var level = 2.0

    enum CodingKeys: String, CodingKey { case count = "n", level }
}

private final class Plain: Codable {
    var number = 1
}

private struct Holder: Codable {
    @Observable var object = Plain()
    @Observable var level = 1.0
    @Observable var many: [Plain] = []
}

private class Animal: Codable {
    @Observable var name = "Rex"
    init() {}
}

private final class Dog: Animal {
    @Observable var tricks = ["sit"]

    override init() { super.init() }

    enum CodingKeys: CodingKey { case tricks }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        _tricks = try container.decode(Observable<[String]>.self, forKey: .tricks)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(_tricks, forKey: .tricks)
        try super.encode(to: container.superEncoder())
    }
}

private enum Shape: Codable, Equatable {
    case empty
    case circle(radius: Double)
    case named(String, sides: Int)
}

private struct Drawing: Codable {
    @Observable var shapes: [Shape] = [.empty, .circle(radius: 1), .named("box", sides: 4)]
    @Observable var byNumber: [Int: Shape] = [2: .empty]
    @Observable var byShape: [Bool: Int] = [true: 1]
}

private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

private func decoded<Value: Decodable>(_ json: String, as: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
}

extension ReactiveCodableTests {
    @Suite struct ObservableCodingTests {
        @Test func anObservableIsEncodedAsItsValue() throws {
            #expect(try json(Person()) == #"{"born":-978307200,"firstName":"Bob","tags":{}}"#)
            #expect(try json(Observable([1, 2])) == "[1,2]")
        }

        @Test func decodingReversesEncoding() throws {
            let person = Person()
            person.nickname = "Bobby"
            person.tags = ["a": [1]]
            person.father = Person(firstName: "Jim")
            let text = try json(person)
            let copy: Person = try decoded(text)
            #expect(try json(copy) == text)
            #expect(copy.father?.firstName == "Jim")
            let list = try PropertyListEncoder().encode(person)
            #expect(try json(try PropertyListDecoder().decode(Person.self, from: list)) == text)
        }

        @Test func anAbsentKeyIsNilForAnOptional() throws {
            let person: Person = try decoded(#"{"born":0,"firstName":"Ann","tags":{},"nickname":null}"#)
            #expect(person.nickname == nil)
            #expect(person.father == nil)
            #expect(throws: DecodingError.self) { try decoded(#"{"born":0,"tags":{}}"#, as: Person.self) }
        }

        @Test func codersOfFoundationApplyTheirStrategies() throws {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = .sortedKeys
            let text = String(decoding: try encoder.encode(Person()), as: UTF8.self)
            #expect(text == #"{"born":"1970-01-01T00:00:00Z","first_name":"Bob","tags":{}}"#)
        }

        @Test func codingKeysRename() throws {
            #expect(try json(Renamed()) == #"{"level":2,"n":1}"#)
            let copy: Renamed = try decoded(#"{"level":3,"n":4}"#)
            #expect(copy.count == 4)
        }

        /// Returns the number of runs of an autorun that reads it, without its first run, for `writes`.
        private func runs(_ read: @escaping () -> Void, for writes: () -> Void) -> Int {
            let r = autorun { read() }
            defer { r.cancel() }
            writes()
            return r.runCount - 1
        }

        @Test func equalitySuppressionSurvivesDecoding() throws {
            let person: Person = try decoded(#"{"born":0,"firstName":"Ann","tags":{}}"#)
            let count = runs({ _ = (person.firstName, person.nickname, person.tags) }) {
                person.firstName = "Ann"
                person.nickname = nil
                person.tags = [:]
                person.nickname = "A"
                person.nickname = "A"
            }
            #expect(count == 1)
        }

        @Test func decodedObjectsCompareByIdentityAndNotANumberEqualsItself() throws {
            let holder: Holder = try decoded(#"{"object":{"number":1},"level":1,"many":[]}"#)
            #expect(runs({ _ = holder.object }) { holder.object = holder.object } == 0)
            #expect(runs({ _ = holder.level }) { (holder.level, holder.level) = (.nan, .nan) } == 1)
            #expect(runs({ _ = holder.many }) { holder.many = holder.many } == 1)
        }

        @Test func encodingInAReactionSubscribesToEverythingEncoded() throws {
            let person = Person()
            person.father = Person(firstName: "Jim")
            var texts: [String] = []
            let r = autorun { texts.append((try? json(person)) ?? "failed") }
            defer { r.cancel() }
            person.father?.firstName = "Joe"
            person.nickname = "B"
            #expect(texts.count == 3)
            #expect(texts[1].contains("Joe"))
            #expect(texts[2].contains(#""nickname":"B""#))
        }

        @Test func classHierarchiesUseSuperEncoders() throws {
            let dog = Dog()
            dog.tricks.append("roll")
            dog.name = "Fido"
            let text = try json(dog)
            #expect(text == #"{"super":{"name":"Fido"},"tricks":["sit","roll"]}"#)
            let copy: Dog = try decoded(text)
            #expect(copy.name == "Fido")
            #expect(copy.tricks == ["sit", "roll"])
        }

        @Test func enumsWithPayloadsAndOddDictionariesWork() throws {
            let drawing = Drawing()
            let copy: Drawing = try decoded(try json(drawing))
            #expect(copy.shapes == drawing.shapes)
            #expect(copy.byNumber == drawing.byNumber)
            #expect(copy.byShape == drawing.byShape)
        }
    }
}
