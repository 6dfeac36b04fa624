// Runs the compile-only stores of this folder.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct StoreTests {
        @MainActor @Test(.inDefaultGraph) func aMainActorStoreAndItsScreen() async throws {
            let store = TodoStore()
            let screen = TodoScreen(store)
            store.add("write")
            store.add("test")
            #expect((screen.lines, screen.badge) == (["write", "test"], 2))
            store.finishAll()
            #expect(screen.badge == 0)
            try await screen.waitUntilDone(store)
            store.filter = "tes"
            #expect(store.visible.value.map(\.title) == ["test"])
        }

        @Test func anActorsAccount() async throws {
            let account = Savings()
            await account.start()
            await #expect(throws: CancellationError.self) { try await account.deposit(-5) }
            try await account.deposit(5)
            try await account.waitForMoney()
            #expect(await account.balance == 5)
        }

        @Test(.inDefaultGraph) func storesOfNoIsolation() async {
            let document = Document()
            let reactions = document.watch()
            document.text = "abc"
            document.words = ["a", "b"]
            #expect(document.changes == 5)
            reactions.forEach { $0.cancel() }
            #expect(LocalVariables.nonisolatedFunction() == 2)
            #expect(await LocalVariables.asynchronousFunction() == 1)
            #expect(await LocalVariables.mainActorFunction() == ["Ann", "Bob"])
            await LocalVariables.sharedBetweenTasks()
            let person = Relative(name: "Ann", father: Relative(name: "Bob", father: nil))
            person.father?.name = "Carl"
            #expect(person.father?.name == "Carl")
        }
    }
}
