// A conformance to `Equatable` may belong to an actor; writes on other threads still use it.

import Reactive

@MainActor final class Person {
    var name = ""
}

extension Person: @MainActor Equatable {
    static func == (a: Person, b: Person) -> Bool { a.name == b.name }
}

@MainActor func compareElsewhere(_ person: Person) {
    let chosen = Observable(person)
    Task.detached { chosen.value = person }
    person.name = "Ann"
}
