// Bindings to the properties of models, tested with the stand-in.

import ReactiveCodable
import ReactiveCollections
import ReactiveSwiftUI
import SwiftUI
import Testing

private struct Address: Equatable {
    var city = "Oslo"
    var lines: [String] = ["Main Street"]
}

private struct Row: Identifiable, Equatable {
    let id: Int
    var name: String
}

private final class Contact: Identifiable {
    let id = 7
    @Observed var phone = "1"
}

@MainActor private final class Person: Identifiable {
    nonisolated let id = 1
    @Observed var name = "Ann"
    @Observed var isActive = false
    @Observed var address = Address()
    @Observed var nickname: String?
    @Observed var rows = [Row(id: 1, name: "a"), Row(id: 2, name: "b")]
    @Observed var contact = Contact()

    /// A property without a wrapper.
    var shouted: String {
        get { name.uppercased() }
        set { name = newValue.lowercased() }
    }
}

private struct PersonView: View {
    @ReactiveBindable var person: Person

    var body: some View {
        ObserverView {
            TextField("Name", text: $person.name)
            Toggle("Active", isOn: $person.isActive)
            TextField("City", text: $person.address.city)
            TextField("Line", text: $person.address.lines[0])
            TextField("Phone", text: $person.contact.phone)
            TextField("Shouted", text: $person.shouted)
            if let nickname = SwiftUI.Binding($person.nickname) { TextField("Nickname", text: nickname) }
        }
    }
}

private struct RowsView: View {
    let person: Person

    var body: some View {
        ObserverView {
            ForEach(ReactiveBindable(person).rows) { $row in TextField("Row \(row.id)", text: $row.name) }
        }
    }
}

extension StandInTests {
    @MainActor @Suite struct BindableTests {
        @Test func fieldsReadAndWriteThePropertiesOfAModel() async {
            let person = Person()
            let screen = Screen { PersonView(person: person) }
            #expect(
                screen.lines == [
                    "Name: Ann", "Active: off", "City: Oslo", "Line: Main Street", "Phone: 1", "Shouted: ANN",
                ])
            screen.type("Bob", into: "Name")
            #expect(person.name == "Bob")
            #expect(screen.lines.contains("Name: Bob"))
            #expect(screen.lines.contains("Shouted: BOB"))
            screen.type("on", into: "Active")
            #expect(person.isActive)
            screen.type("EVE", into: "Shouted")
            #expect(person.name == "eve")
            #expect(screen.faults.isEmpty)
        }

        @Test func partsOfPropertiesCanBeWritten() async {
            let person = Person()
            let screen = Screen { PersonView(person: person) }
            screen.type("Bergen", into: "City")
            screen.type("Side Street", into: "Line")
            #expect(person.address == Address(city: "Bergen", lines: ["Side Street"]))
            #expect(screen.lines.contains("City: Bergen"))
        }

        @Test func aNestedModelIsWrittenWithoutReplacingIt() async {
            let person = Person()
            let contact = person.contact
            var contacts = 0
            let reaction = autorun {
                _ = person.contact
                contacts += 1
            }
            let screen = Screen { PersonView(person: person) }
            screen.type("2", into: "Phone")
            #expect(contact.phone == "2")
            #expect(person.contact === contact)
            #expect(contacts == 1)
            #expect(screen.lines.contains("Phone: 2"))
            reaction.cancel()
        }

        @Test func anOptionalHasABindingWhileItHasAValue() async {
            let person = Person()
            let screen = Screen { PersonView(person: person) }
            #expect(!screen.lines.contains { $0.hasPrefix("Nickname") })
            person.nickname = "Annie"
            await screen.finishUpdates()
            screen.type("An", into: "Nickname")
            #expect(person.nickname == "An")
            #expect(screen.lines.contains("Nickname: An"))
        }

        @Test func theElementsOfACollectionHaveBindings() async {
            let person = Person()
            let screen = Screen { RowsView(person: person) }
            screen.type("B", into: "Row 2")
            #expect(person.rows == [Row(id: 1, name: "a"), Row(id: 2, name: "B")])
            #expect(screen.lines == ["Row 1: a", "Row 2: B"])
        }

        @Test func aWrapperInABodyHasTheSameBindings() {
            let person = Person()
            let name: SwiftUI.Binding<String> = ReactiveBindable(person).name
            name.wrappedValue = "Bob"
            #expect(person.name == "Bob")
            @ReactiveBindable var local = person
            $local.name.wrappedValue = "Cid"
            #expect(person.name == "Cid")
            #expect($local.id == person.id)
        }

        @Test func creatingABindingReadsTheProperty() async {
            let person = Person()
            var (bindings, wrappers) = (0, 0)
            let reactions = [
                autorun {
                    _ = ReactiveBindable(person).name
                    bindings += 1
                },
                autorun {
                    _ = ReactiveBindable(person)
                    wrappers += 1
                },
            ]
            person.name = "Bob"
            #expect(bindings == 2)
            #expect(wrappers == 1)
            for reaction in reactions { reaction.cancel() }
        }

        @Test func writesAreOrdinaryWrites() throws {
            let person = Person()
            var seen: [String] = []
            let reaction = autorun { seen.append("\(person.name) \(person.isActive)") }
            struct Refused: Error {}
            let wrapper = ReactiveBindable(person)
            inTransaction {
                wrapper.name.wrappedValue = "Bob"
                wrapper.isActive.wrappedValue = true
            }
            #expect(throws: Refused.self) {
                try inTransaction {
                    wrapper.name.wrappedValue = "Cid"
                    throw Refused()
                }
            }
            wrapper.name.wrappedValue = "Bob"
            #expect(seen == ["Ann false", "Bob true"])
            reaction.cancel()
        }

        @Test func historyRecordsWritesThroughBindings() throws {
            final class Note: Codable { @Observed var title = "draft" }
            let note = Note()
            let history = History(note)
            ReactiveBindable(note).title.wrappedValue = "done"
            #expect(history.undoCount == 1)
            try history.undo()
            #expect(note.title == "draft")
        }

        @Test func aBindingKeepsTheModelAndNothingKeepsTheBinding() {
            weak var gone: Contact?
            do {
                let contact = Contact()
                gone = contact
                let phone = ReactiveBindable(contact).phone
                phone.wrappedValue = "3"
                #expect(gone != nil)
            }
            #expect(gone == nil)
        }
    }
}
