// Families: a node for each parameter.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct FamilyTests {
    let store = RecoilStore()

    @Test func membersOfAnAtomFamilyAreAtoms() throws {
        let tripled = atomFamily { (number: Int) in number * 3 }
        #expect(try store.value(tripled(2)) == 6)
        store.set(tripled(2), 7)
        #expect(try store.value(tripled(2)) == 7)
        #expect(try store.value(tripled(3)) == 9)
        #expect(tripled(2) == tripled(2) && tripled(2) != tripled(3))
    }

    @Test func membersOfASelectorFamilyDependOnTheirReads() throws {
        let number = atom(2)
        let multiplied = selectorFamily { (factor: Int, accessor: StateGetter) in try accessor.get(number) * factor }
        #expect(try store.value(multiplied(100)) == 200)
        store.set(number, 3)
        #expect(try store.value(multiplied(100)) == 300)
        let sum = selector { accessor in try (1...3).map { try accessor.get(multiplied($0)) }.reduce(0, +) }
        #expect(try store.value(sum) == 18)
    }

    @Test func membersOfAWritableFamilyWriteThrough() throws {
        let values = atom([1, 2, 3])
        let element = selectorFamily(
            get: { (index: Int, accessor: StateGetter) in try accessor.get(values)[index] },
            set: { index, context, newValue in context.accessor.update(values) { $0[index] = newValue } })
        store.set(element(1), 20)
        #expect(try store.value(values) == [1, 20, 3])
        #expect(try store.value(element(1)) == 20)
    }

    @Test func membersMayBeAsynchronous() async throws {
        let book = atomFamily { (id: Int) async in "book \(id)" }
        let title = selectorFamily { (id: Int, accessor: StateGetter) async throws in
            try await accessor.get(book(id)).uppercased()
        }
        #expect(try await store.get(title(3)) == "BOOK 3")
        store.set(book(3), "moby dick")
        #expect(try await store.get(title(3)) == "MOBY DICK")
        #expect(try await store.get(title(4)) == "BOOK 4")
    }

    @Test func parametersMayBeAnyHashableValue() throws {
        struct Page: Hashable {
            let section: String
            let number: Int
        }
        let page = atomFamily { (page: Page) in "\(page.section) \(page.number)" }
        #expect(try store.value(page(Page(section: "a", number: 1))) == "a 1")
    }
}
