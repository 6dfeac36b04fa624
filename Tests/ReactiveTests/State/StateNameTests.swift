// Which keys are names of properties, and what a node is called that takes the name of a different one.

import Foundation
import Reactive
import Testing

extension ReactiveTests {
    @Suite struct StateNameTests {
        private enum Keys: String, CodingKey, CaseIterable {
            case password
            case underscore = "_"
            case underscored = "_a"
            case mixed = "_1a"
            case digits = "12"
            case first = "_0"
            case twelfth = "_12"
        }

        @Test func aCaseWithoutPayloadIsAProperty() {
            let properties = Keys.allCases.filter { StateName(property: $0) != nil }
            #expect(properties == [.password, .underscore, .underscored, .mixed, .digits])
        }

        /// A key that is data: it may be secret.
        private struct SmallKey: CodingKey {
            let number: UInt8
            init(_ number: UInt8) { self.number = number }
            init?(intValue: Int) { nil }
            init?(stringValue: String) { nil }
            var intValue: Int? { nil }
            var stringValue: String { "secret" }
        }

        private struct LargeKey: CodingKey {
            let intValue: Int?
            init?(intValue: Int) { self.intValue = intValue }
            init?(stringValue: String) { nil }
            var stringValue: String { "secret" }
        }

        @Test func aKeyThatIsDataIsNoProperty() throws {
            #expect(StateName(property: SmallKey(1)) == nil)
            #expect(StateName(property: try #require(LargeKey(intValue: 1))) == nil)
            #expect(StateName(property: AnyKey("secret")) == nil)
        }

        private struct AnyKey: CodingKey {
            let stringValue: String
            init(_ key: String) { stringValue = key }
            init?(intValue: Int) { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            var intValue: Int? { nil }
        }

        @Test func aNodeTakesTheNameOfADifferentOne() {
            let given = Observable(1, named: "given")
            let unnamed = Observable(2)
            let line = #line - 1
            let first = Observable(3)
            first.take(StateName(of: given))
            #expect(String(reflecting: first).contains("given"))
            let second = Observable(4, named: "second")
            second.take(StateName(of: unnamed))
            #expect(String(reflecting: second).contains("StateNameTests.swift:\(line)"))
            // What it compares by stays.
            let reader = autorun { _ = second.value }
            second.value = 4
            #expect(reader.runCount == 1)
            reader.cancel()
        }
    }
}
