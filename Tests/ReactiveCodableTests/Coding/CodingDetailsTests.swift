// Details of coding: decoders that are passed on, and values beside others of their type.

import Foundation
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct CodingDetailsTests {
        // MARK: - Decoders

        /// Reads arrays in arrays, each by the decoder of its element: none of them is decoded as a value.
        private struct Arrays: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                if !container.isAtEnd { _ = try Arrays(from: container.superDecoder()) }
            }
        }

        /// Reads objects in objects, each by the decoder of its member.
        private struct Objects: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                let key = AnyKey("next")
                if container.contains(key) { _ = try Objects(from: container.superDecoder(forKey: key)) }
            }
        }

        @Test func arraysDeeperThanTheStackAreRefusedIfNoneIsDecodedAsAValue() {
            var value: JSONValue = []
            for _ in 1..<deep { value = [value] }
            let nested = value
            onOtherThread(stackSize: 512 * 1024) {
                #expect(throws: DecodingError.self) { try nested.decoded(as: Arrays.self) }
            }
        }

        @Test func objectsDeeperThanTheStackAreRefusedIfNoneIsDecodedAsAValue() {
            var value: JSONValue = [:]
            for _ in 1..<deep { value = ["next": value] }
            let nested = value
            onOtherThread(stackSize: 512 * 1024) {
                #expect(throws: DecodingError.self) { try nested.decoded(as: Objects.self) }
            }
        }

        /// Has a member for a part that encodes nothing.
        private struct Whole: Codable {
            var number = 1

            init() {}

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                number = try container.decode(Int.self, forKey: AnyKey("number"))
                let rest = try container.superDecoder(forKey: AnyKey("rest"))
                _ = try rest.container(keyedBy: AnyKey.self)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(number, forKey: AnyKey("number"))
                _ = container.superEncoder(forKey: AnyKey("rest"))
            }
        }

        @Test func aPartThatEncodesNothingIsDecodedAsAnObject() throws {
            struct Root: Codable { @Observable var whole = Whole() }
            let root = Root()
            #expect(try JSONValue(encoding: root) == ["whole": ["number": 1, "rest": [:]]])
            try apply([.replace(path: JSONPointer("/whole/number"), value: 2)], to: root)
            #expect(root.whole.number == 2)
        }

        // MARK: - Values around an observable

        private class Base: Codable {
            var number = 1
            init() {}
        }

        /// Is encoded as the value of its observable, which may be of its own class.
        private final class Wrapper: Base {
            let content: Observable<Base>

            override init() {
                content = Observable(Base())
                super.init()
            }

            required init(from decoder: any Decoder) throws {
                content = try Observable(from: decoder)
                super.init()
            }

            override func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
        }

        @Test func theNewValueOfAnObservableIsNotTheObjectAroundIt() throws {
            struct Root: Codable { let wrapper: Wrapper }
            let root = Root(wrapper: Wrapper())
            try apply([.replace(path: JSONPointer("/wrapper/number"), value: 2)], to: root)
            #expect(root.wrapper.content.value !== root.wrapper)
            #expect(root.wrapper.content.value.number == 2)
            #expect(root.wrapper.number == 1)
        }
    }
}
