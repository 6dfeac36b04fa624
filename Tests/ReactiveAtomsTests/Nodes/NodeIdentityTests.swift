// Which properties identify a node.

import Testing

@testable import ReactiveAtoms
import TestSupport

private enum Cart {
    static var items: Atom<[String]> { atom([]) }
    static let stored = atom(1)
    static var total: Selector<Int> { selector { accessor in try accessor.get(items).count } }
    static func made() -> Atom<Int> { atom(7) }
}

private struct Celsius: SyncAtomNode {
    let city: String
    func getValue() -> Int { city.count }
}

private struct Kelvin: SyncAtomNode {
    let city: String
    func getValue() -> Int { city.count + 273 }
}

@Suite(.ownGraph, .timeLimit) struct NodeIdentityTests {
    @Test func aPropertyThatCreatesItsAtomOnEachAccessIsOneNode() throws {
        let store = RecoilStore()
        store.set(Cart.items, ["book"])
        #expect(try store.value(Cart.items) == ["book"])
        #expect(Cart.items == Cart.items)
        #expect(Cart.items.key.hashValue == Cart.items.key.hashValue)
    }

    @Test func twoNodesOnOneLineAreDistinct() throws {
        let (a, b) = (atom(1), atom(1))
        let store = RecoilStore()
        store.set(a, 5)
        #expect(a != b)
        #expect(try store.value(b) == 1)
    }

    @Test func aCallThatRunsAgainCreatesTheSameNode() throws {
        let nodes = (0..<3).map { atom($0) }
        #expect(Set(nodes).count == 1)
    }

    @Test func theTypeIsPartOfTheIdentity() throws {
        func nothing<T: Sendable>(_: T.Type) -> Atom<T?> { atom(nil) }
        let store = RecoilStore()
        store.set(nothing(Int.self), 3)
        #expect(try store.value(nothing(Int.self)) == 3)
        #expect(try store.value(nothing(String.self)) == nil)
    }

    @Test func equalValuesOfOneTypeOfOwnNodesAreTheSame() throws {
        let store = RecoilStore()
        store.set(Celsius(city: "Oslo"), -5)
        #expect(try store.value(Celsius(city: "Oslo")) == -5)
        #expect(try store.value(Celsius(city: "Rome")) == 4)
    }

    @Test func equalValuesOfTwoTypesAreDistinct() throws {
        let store = RecoilStore()
        store.set(Celsius(city: "Oslo"), -5)
        #expect(try store.value(Kelvin(city: "Oslo")) == 277)
    }

    @Test func numbersOfTwoTypesAreDistinctParameters() throws {
        let family = atomFamily { (parameter: AnyNumber) in parameter.text }
        let store = RecoilStore()
        store.set(family(.int(1)), "one")
        #expect(try store.value(family(.double(1))) == "1.0")
    }

    private enum AnyNumber: Hashable {
        case int(Int), double(Double)
        var text: String {
            switch self {
            case .int(let value): "\(value)"
            case .double(let value): "\(value)"
            }
        }
    }

    @Test func aNameIsTheGivenOneOrThePropertyOrTheSourceLocation() {
        #expect(atom(1, named: "count").key.name == "count")
        #expect(Cart.items.key.name == "items")
        #expect(Cart.total.key.name == "total")
        #expect(Cart.made().key.name.hasPrefix("NodeIdentityTests.swift:"))
        #expect(Cart.stored.key.name.hasPrefix("NodeIdentityTests.swift:"))
        #expect(atomFamily(named: "todo") { (id: Int) in id }(3).key.name == "todo(3)")
        #expect(Celsius(city: "Oslo").key.name == "Celsius(city: \"Oslo\")")
    }

    @Test func twoStoresShareNothing() throws {
        let (a, b) = (RecoilStore(), RecoilStore())
        a.set(Cart.items, ["book"])
        #expect(try a.value(Cart.total) == 1)
        #expect(try b.value(Cart.total) == 0)
    }

    @Test func aStoreCanBeInitialised() throws {
        let store = RecoilStore { $0.set(Cart.items, ["a", "b"]) }
        #expect(try store.value(Cart.total) == 2)
    }
}
