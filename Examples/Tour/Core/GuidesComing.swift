// The samples of the guides for users of other libraries: code of SwiftX, and what MobX, Observation and Combine do
// differently.
//
// The formatter would spread `reaction { … } onChange: { … }` over five lines; in a tour it reads better as one.
// swift-format-ignore-file

import Foundation
import Reactive
import ReactiveCodable

extension Chapter {
    static let comingFromSwiftX = Chapter(
        "Coming from SwiftX",
        [
            Sample("The same calls") {
                struct Address: Codable { @Observable var city = "Ulm" }
                struct Person: Codable {
                    @Observable var name = "Ann"
                    @Observable var address = Address()
                }
                let person = Person()
                let label = computed { "\(person.name), \(person.address.city)" }
                let report = autorun { print("label:", label.value) }  // prints "label: Ann, Ulm"
                let names = reaction({ person.name }, { name in print("name:", name) })
                let saving = deepObserve(person, { print("saved") })
                person.address.city = "Bonn"  // prints "label: Ann, Bonn", "saved"
                inTransaction {
                    person.name = "Bob"
                    person.address.city = "Köln"
                }  // prints "label: Bob, Köln", "name: Bob", "saved"
                for reaction in [report, names, saving] { reaction.cancel() }
            },
            Sample("Each write runs its reactions") {
                let count = Observable(0)
                let observer = autorun { print("count:", count.value) }  // prints "count: 0"
                count.value = 1  // prints "count: 1"
                count.value = 2  // prints "count: 2"
                print("written")  // prints "written"
                observer.cancel()
            },
            Sample("Effects are not tracked") {
                let name = Observable("Ann")
                let visits = Observable(1)
                let effect = reaction({ name.value }, { name in print("effect:", name, visits.value) })
                let tracked = reaction({ (name.value, visits.value) }, { print("tracked:", $0.0, $0.1) })
                visits.value = 2  // prints "tracked: Ann 2"
                effect.cancel()
                tracked.cancel()
            },
            Sample("A document in the form of SwiftX") {
                let url = temporaryFile()
                defer { try? FileManager.default.removeItem(at: url) }
                struct Todo: Codable { @Observable var title = "" }
                struct Document: Codable { @Observable var todos: [Todo] = [] }
                try Data(#"{"todos": {"wrappedValue": [{"title": {"wrappedValue": "Buy milk"}}]}}"#.utf8).write(to: url)

                @Sendable func unwrapped(_ json: JSONValue) -> JSONValue {
                    switch json {
                    case .object(let object):
                        if object.count == 1, let value = object["wrappedValue"] { return unwrapped(value) }
                        return .object(JSONObject(object.map { ($0.key, unwrapped($0.value)) }))
                    case .array(let array): return .array(JSONArray(array.map(unwrapped)))
                    default: return json
                    }
                }
                let migrations: Migrations = [{ json in unwrapped(json) }]  // from 0 to 1
                let document = try load(Document.self, from: url, migrating: migrations)
                print(document.todos[0].title)  // prints "Buy milk"
            },
        ])

    static let comingFromOthers = Chapter(
        "Coming from MobX, Observation or Combine",
        [
            Sample("A published value, a pipeline and a subscriber") {
                struct Form {
                    @Observable var name = ""
                    @Observable var hasAccepted = false
                }
                let form = Form()
                let canSend = Computed { !form.name.isEmpty && form.hasAccepted }
                let button = autorun { print(canSend.value ? "enabled" : "disabled") }  // prints "disabled"
                form.name = "Ann"
                form.hasAccepted = true  // prints "enabled"
                form.name = "Bob"
                button.cancel()
            },
            Sample("An optional object, with and without a rule") {
                final class Card {}
                struct Board {
                    @Observable var opened: Card?
                    @Observable(equals: { $0 === $1 }) var selected: Card? = nil
                }
                let (board, card) = (Board(), Card())
                let openings = autorun { print("opened:", board.opened != nil) }  // prints "opened: false"
                let selections = autorun { print("selected:", board.selected != nil) }  // prints "selected: false"
                for _ in 1...2 { board.opened = card }  // prints "opened: true", "opened: true"
                for _ in 1...2 { board.selected = card }  // prints "selected: true"
                openings.cancel()
                selections.cancel()
            },
            Sample("A setter that refuses a value, and `didSet`, which is too late for that") {
                struct Volume {
                    @Observable private var stored = 5
                    var level: Int {
                        get { stored }
                        nonmutating set { if newValue <= 10 { stored = newValue } }
                    }
                    @Observable var unchecked = 5 {
                        didSet { if unchecked > 10 { unchecked = oldValue } }
                    }
                }
                var volume = Volume()
                let level = volume
                let checked = autorun { print("level:", level.level) }  // prints "level: 5"
                let unchecked = autorun { print("unchecked:", level.unchecked) }  // prints "unchecked: 5"
                volume.level = 11
                volume.unchecked = 11  // prints "unchecked: 11", "unchecked: 5"
                checked.cancel()
                unchecked.cancel()
            },
            Sample("An action of a store") {
                final class Counter {
                    @Observable private(set) var count = 0
                    @Observable private(set) var facts: [String] = []
                    func increment() {
                        inTransaction {
                            count += 1
                            facts.append("\(count) is a number")
                        }
                    }
                }
                let counter = Counter()
                let screen = autorun { print(counter.count, counter.facts.last ?? "none") }  // prints "0 none"
                counter.increment()  // prints "1 1 is a number"
                screen.cancel()
            },
        ])
}
