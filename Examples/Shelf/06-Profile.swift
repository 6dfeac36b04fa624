// Atoms and selectors: state in small pieces, one of which loads.
//
//     swift run --package-path Examples Profile

import Reactive
import ReactiveAtoms

/// A stand-in for a server. It is on the main actor, so it does not answer before the code below waits.
@MainActor final class Server {
    private let names = [1: "Ann", 2: "Bob"]

    func name(of id: Int) async throws -> String { names[id] ?? "nobody" }
}

/// The definitions. They have no values: the store has them.
enum Profile {
    static let server = Server()

    static var userID: Atom<Int> { atom(1) }

    static var name: AsyncSelector<String> {
        selector { accessor in
            let id = try accessor.get(userID)
            return try await server.name(of: id)
        }
    }
}

let store = RecoilStore()
let name = store.loadable(Profile.name)
let view = autorun { print(name.isLoading ? "loading" : name.data ?? "failed") }  // prints "loading"
try await when { name.data == "Ann" }  // prints "Ann"

// The selector has read the atom, so it loads again. A running load would be cancelled.
store.set(Profile.userID, 2)  // prints "loading"
try await when { name.data == "Bob" }  // prints "Bob"

// A loaded value is not loaded again.
print("again:", try await store.get(Profile.name))  // prints "again: Bob"
view.cancel()
