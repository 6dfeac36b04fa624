// State: `Observable`, as a property and by itself.

import Reactive

extension Chapter {
    static let state = Chapter(
        "State",
        [
            Sample("A property that records who reads it") {
                struct Counter { @Observable var count = 0 }

                let counter = Counter()  // shared state: the struct needs no `var`
                let observer = autorun { print("count:", counter.count) }  // prints "count: 0"
                counter.count += 1  // prints "count: 1"
                observer.cancel()
            },
            Sample("State by itself") {
                let count = Observable(0)
                count.value += 1
                print(count.value)  // prints "1"
            },
            Sample("Copies share the state") {
                struct Person {
                    @Observable var name: String
                    @Observable var father: Person?
                }
                let ann = Person(name: "Ann", father: Person(name: "Bob", father: nil))
                let copy = ann
                copy.father?.name = "Rob"
                print(ann.father?.name ?? "nobody")  // prints "Rob"
            },
            Sample("An equal value is no change") {
                let celsius = Observable(20.0)
                let observer = autorun { print(celsius.value) }  // prints "20.0"
                celsius.value = 20
                celsius.value = .nan  // prints "nan"
                celsius.value = .nan
                observer.cancel()
            },
            Sample("A rule of your own says what is equal") {
                struct User {
                    var id = 1
                    var name = "Ann"
                }
                @Observable(equals: { $0.id == $1.id }) var user = User()
                let observer = autorun { print("user", user.id) }  // prints "user 1"
                user = User(id: 1, name: "Anne")
                user = User(id: 2, name: "Bob")  // prints "user 2"
                observer.cancel()
            },
            Sample("No two values are equal") {
                @Observable(equals: .never) var tick = 0
                let observer = autorun { print("tick", tick) }  // prints "tick 0"
                tick = 0  // prints "tick 0"
                observer.cancel()
            },
            Sample("A type with observable properties compares their values") {
                struct Person: Equatable {
                    @Observable var name: String

                    static func == (first: Person, second: Person) -> Bool { first.name == second.name }
                }
                let (ann, other) = (Person(name: "Ann"), Person(name: "Bob"))
                let observer = autorun { print(ann == other ? "equal" : "different") }  // prints "different"
                other.name = "Ann"  // prints "equal"
                observer.cancel()
            },
            Sample("Or it compares their identity, and may be in a set") {
                struct Item: Hashable {
                    @Observable var title: String

                    static func == (first: Item, second: Item) -> Bool { first._title === second._title }
                    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(_title)) }
                }
                let milk = Item(title: "Milk")
                let items: Set = [milk]
                milk.title = "Oat milk"
                print(items.contains(milk), items.contains(Item(title: "Oat milk")))  // prints "true false"
            },
            Sample("Mutating in place copies nothing and notifies once") {
                struct Word { @Observable var letters = ["a"] }
                let word = Word()
                let observer = autorun { print(word.letters.joined()) }  // prints "a"
                word.letters.append(contentsOf: ["b", "c"])  // prints "abc"
                observer.cancel()
            },
            Sample("A binding to a part of the value") {
                struct Person { var name: String }
                @Observable var person = Person(name: "Ann")
                let name: Binding<String> = $person.name
                name.wrappedValue = "Bob"
                print(person.name)  // prints "Bob"
            },
            Sample("Bindings from closures, and to constants") {
                let seconds = Observable(90)
                let minutes = Binding(get: { seconds.value / 60 }, set: { seconds.value = $0 * 60 })
                minutes.wrappedValue += 1
                print(seconds.value, minutes.wrappedValue)  // prints "120 2"
                let fixed = Binding.constant(1)
                fixed.wrappedValue = 2
                print(fixed.wrappedValue)  // prints "1"
            },
        ])
}
