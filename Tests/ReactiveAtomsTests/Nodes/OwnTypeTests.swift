// Custom types of nodes.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

private struct Fahrenheit: SyncAtomNode {
    typealias T = Int
    func getValue() throws -> Int { 32 }
}

private struct Celsius: SyncSelectorNode, Writeable {
    typealias T = Int

    func getValue(_ accessor: StateGetter) throws -> Int {
        let fahrenheit = accessor.getUnsafe(Fahrenheit())
        return (fahrenheit - 32) * 5 / 9
    }

    func setValue(context: MutableContext, newValue: Int) {
        context.accessor.set(Fahrenheit(), (newValue * 9) / 5 + 32)
    }
}

private struct Remote: AsyncSelectorNode, Hashable {
    let id: Int
    var keepPrevious: Bool { true }
    var cache: CachePolicy { .all }
    func getValue(_ accessor: StateGetter) async throws -> String { "remote \(id) at \(try accessor.get(Celsius()))" }
}

private struct Profile: AsyncAtomNode {
    let name: String
    func getValue() async throws -> String { "profile of \(name)" }
}

/// Keeps only even numbers.
private struct Even: SyncAtomNode {
    func getValue() -> Int { 0 }
    func setValue(context: MutableContext, newValue: Int) { context.assign(newValue / 2 * 2, to: self) }
}

private struct Failing<Value: Sendable>: SyncAtomNode {
    let error: Refused
    func getValue() throws -> Value { throw error }
}

/// Records reads of its name.
private struct Named: SyncAtomNode, CustomStringConvertible {
    static let log = Log()
    let number: Int
    var description: String {
        Self.log("\(number)")
        return "number \(number)"
    }
    func getValue() -> Int { number }
}

@Suite(.ownGraph, .timeLimit) struct OwnTypeTests {
    let store = RecoilStore()

    @Test func theNameIsCreatedOnDemand() throws {
        let node = Named(number: 1)
        let both = waitForNone([node, Named(number: 2)])
        #expect("\(both.key)" == "waitForNone(number 1, number 2)")
        #expect("\(waitForNone(["a": node]).key)" == "waitForNone(a: number 1)")
        #expect("\(node.key), \(Fahrenheit().key)" == "number 1, Fahrenheit")
        _ = (try store.value(node), try store.value(both))
        _ = Named.log.take()
        for _ in 0..<3 { _ = (try store.value(node), try store.value(both), waitForNone([node])) }
        #expect(Named.log.take().isEmpty)
    }

    @Test func atomsAndSelectorsOfOwnTypesWork() throws {
        #expect(try store.value(Celsius()) == 0)
        store.set(Celsius(), 30)
        #expect(try store.value(Fahrenheit()) == 86)
        store.reset(Celsius())
        #expect(try store.value(Fahrenheit()) == 32)
    }

    @Test func asyncNodesOfOwnTypesWork() async throws {
        #expect(try await store.get(Remote(id: 3)) == "remote 3 at 0")
        store.set(Celsius(), 30)
        #expect(try await store.get(Remote(id: 3)) == "remote 3 at 30")
        #expect(try await store.get(Profile(name: "Ann")) == "profile of Ann")
        store.set(Profile(name: "Ann"), "changed")
        #expect(try await store.get(Profile(name: "Ann")) == "changed")
        #expect(try await store.get(Profile(name: "Bob")) == "profile of Bob")
    }

    @Test func anAtomMayChooseItsRetention() throws {
        store.set(Even(), 7)
        #expect(try store.value(Even()) == 6)
    }

    @Test func nodesMayBeGeneric() {
        #expect(throws: Refused.code(1)) { try store.value(Failing<Int>(error: .code(1))) }
        #expect(throws: Refused.code(2)) { try store.value(Failing<String>(error: .code(2))) }
    }
}
