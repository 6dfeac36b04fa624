// Programs in the style of RecoilSwift: the names that the documentation promises to keep.

import Reactive
import ReactiveAtomsTesting
import Testing

@testable import ReactiveAtoms
import TestSupport

private struct CartItem: Equatable {
    let name: String
    let count: Int
}

private struct CartState {
    static var allCartItem: Atom<[CartItem]> {
        atom { [CartItem]() }
    }

    static var numberOfProductBadge: ReactiveAtoms.Selector<String?> {
        selector { accessor -> String? in
            let items = try accessor.get(allCartItem)
            let count = items.reduce(into: 0) { result, item in
                result += item.count
            }
            return count < 10 ? "\(count)" : "9+"
        }
    }
}

private struct AllCartItem: SyncAtomNode, Hashable {
    func getValue() -> [CartItem] { [] }
}

private struct RemoteData: AsyncSelectorNode, Hashable {
    typealias T = String
    let id: Int
    func getValue(_ accessor: StateGetter) async throws -> String { "post \(id)" }
}

private struct TempFahrenheitState: SyncAtomNode, Hashable {
    typealias T = Int
    func getValue() throws -> Int { 32 }
}

private struct TempCelsiusSelector: SyncSelectorNode, Writeable, Hashable {
    typealias T = Int

    func getValue(_ accessor: StateGetter) throws -> Int {
        (accessor.getUnsafe(TempFahrenheitState()) - 32) * 5 / 9
    }

    func setValue(context: MutableContext, newValue: Int) {
        context.accessor.set(TempFahrenheitState(), newValue * 9 / 5 + 32)
    }
}

private struct BookList {
    static var allBooks: Atom<[String]> { atom(["Emma", "Ulysses"]) }

    // A synchronous closure in an API that takes an asynchronous one.
    static var currentValue: AsyncSelector<[String]> {
        selector { accessor -> [String] in
            let books = try accessor.get(allBooks)
            return books
        }
    }
}

private struct RemoteNames {
    static var names: AsyncSelector<[String]> {
        selector { _ in
            await Task.yield()
            return ["", "Ella", "Chris", "", "Paul"]
        }
    }

    static var filteredNames: AsyncSelector<[String]> {
        selector { context in
            let states = try await context.get(names)
            return states.filter { !$0.isEmpty }
        }
    }
}

private struct Families {
    static var myNumberState: Atom<Int> { atom { 2 } }
    static var threeTimesNumberState: AtomFamily<Int, Int> {
        atomFamily { (multiplier: Int) -> Int in 3 * multiplier }
    }
    static var myMultipliedState: SelectorFamily<Int, Int> {
        selectorFamily { (multiplier: Int, get: Getter) -> Int in try get(myNumberState) * multiplier }
    }
    static var fetchBookByCategory: AsyncSelectorFamily<String, [String]> {
        selectorFamily { (category: String, get: Getter) async -> [String] in
            await Task.yield()
            return ["\(category):Book1", "\(category):Book2"]
        }
    }
    static var remoteBooks: AsyncSelectorFamily<[String], [String]> {
        selectorFamily { books, context in
            await Task.yield()
            return books
        }
    }
}

private final class Screen {
    @RecoilScope var recoil
    @RecoilTestScope var tested
}

@MainActor private final class MainScreen {
    @RecoilScope var recoil
    @RecoilTestScope var tested
}

private struct CircleRef {
    static var stateA: ReactiveAtoms.Selector<String> {
        selector { context in try context.get(self.stateB) }
    }

    static var stateB: ReactiveAtoms.Selector<String> {
        selector { context in try context.get(self.stateA) }
    }
}

@Suite(.ownGraph, .timeLimit) final class RecoilSwiftTests {
    @Test func circles() {
        let info = RecoilError.CircularInfo(
            key: CircleRef.stateA.key, deps: [CircleRef.stateA.key, CircleRef.stateB.key])
        #expect(throws: RecoilError.circular(info)) { try accessor.get(CircleRef.stateA) }
        #expect(info.stackMessage == "stateA -> stateB -> stateA")
    }

    @Test func scopesAsPropertiesNeedNoArguments() {
        #expect(Screen().recoil.store === RecoilStore.shared)
        #expect(Screen().tested.useValue(Families.myNumberState) == 2)
    }

    @MainActor @Test(.inDefaultGraph) func scopesOfTheMainActorNeedNoArguments() {
        #expect(MainScreen().recoil.store === RecoilStore.shared)
        let screen = MainScreen()
        screen.tested.useBinding(Families.myNumberState).wrappedValue = 3
        #expect(screen.tested.useValue(Families.myNumberState) == 3)
    }

    @RecoilTestScope(isolation: nil) var recoil
    var accessor: StateAccessor { _recoil.accessor(deps: []) }

    @Test func theCartOfTheReadMe() {
        #expect(recoil.useValue(CartState.numberOfProductBadge) == "0")
        recoil.useBinding(CartState.allCartItem, default: []).wrappedValue = [
            CartItem(name: "book", count: 4), CartItem(name: "pen", count: 8),
        ]
        #expect(recoil.useValue(CartState.numberOfProductBadge) == "9+")
        #expect(recoil.useValue(AllCartItem()) == [])
    }

    @Test func loadablesOfTheReadMe() async throws {
        let loadable = recoil.useLoadable(RemoteData(id: 3))
        _ = try await accessor.get(RemoteData(id: 3))
        #expect(loadable.data == "post 3" && !loadable.isLoading && loadable.errors.first == nil)
        let onRetry = loadable.load
        onRetry()
        #expect(try await accessor.get(RemoteData(id: 3)) == "post 3")
    }

    @Test func valuesOfAsyncNodes() async throws {
        let values = try await accessor.get(RemoteNames.filteredNames)
        #expect(values == ["Ella", "Chris", "Paul"])
    }

    @Test func families() async throws {
        #expect(recoil.useValue(Families.threeTimesNumberState(10)) == 30)
        #expect(recoil.useValue(Families.myMultipliedState(100)) == 200)
        #expect(try await accessor.get(Families.fetchBookByCategory("a")) == ["a:Book1", "a:Book2"])
        #expect(try await accessor.get(Families.remoteBooks(["x"])) == ["x"])
    }

    @Test func temperatures() throws {
        let celsius = recoil.useBinding(TempCelsiusSelector())
        celsius.wrappedValue = 40
        #expect(recoil.useValue(TempFahrenheitState()) == 104)
        let throwing = recoil.useThrowingBinding(TempCelsiusSelector())
        throwing.value = 20
        #expect(try throwing.wrappedValue == 20)
        #expect(throwing.unsafeValue == 20)
    }

    @Test func synchronousClosuresInAsyncNodes() async throws {
        #expect(try await accessor.get(BookList.currentValue) == ["Emma", "Ulysses"])
    }

    @Test func testingAView() async throws {
        let view = ViewRenderHelper { recoil, sut in
            let value = recoil.useValue(Families.myNumberState)
            sut.expect(value).equalTo(2)
        }
        try await view.waitForRender()
    }
}
