// `$name`: a binding to an observable.

import Reactive
import Testing
import TestSupport

private struct Address: Equatable {
    var city = "Ulm"
    var zip = 89073
}

private struct Form {
    @Observable var address = Address()
    @Observable var name = "Ann"
}

extension ReactiveTests {
    @Suite struct BindingTests {
        @Test func aBindingToASendableValueCanGoToAnotherThread() {
            let count = Observable(1)
            let binding = count.projectedValue
            onThreads(1) { _ in binding.wrappedValue = 2 }
            #expect(count.value == 2)
        }

        @Test func readsAndWritesTheObservable() {
            let form = Form()
            let name: Binding<String> = form.$name
            name.wrappedValue = "Bob"
            #expect(form.name == "Bob")
            form.name = "Cleo"
            #expect(name.wrappedValue == "Cleo")
        }

        @Test func aBindingOfAPartReadsAndWritesThePart() {
            let form = Form()
            let city = form.$address.city
            city.wrappedValue = "Bonn"
            #expect(form.address == Address(city: "Bonn", zip: 89073))
        }

        @Test func readingInAnObserverSubscribes() {
            let form = Form()
            let city = form.$address.city
            var log: [String] = []
            let r = autorun { log.append(city.wrappedValue) }
            defer { r.cancel() }
            form.address.city = "Köln"
            city.wrappedValue = "Kiel"
            #expect(log == ["Ulm", "Köln", "Kiel"])
        }

        @Test func aWriteThroughABindingNotifiesOnce() {
            let form = Form()
            let r = autorun { _ = form.address }
            defer { r.cancel() }
            form.$address.zip.wrappedValue += 1
            #expect(r.runCount == 2)
            form.$address.zip.wrappedValue += 0
            #expect(r.runCount == 2)
        }

        @Test func bindingsCanBeCreatedFromClosures() {
            let stored = Shared(1)
            let binding = Binding(get: { stored.value }, set: { stored.value = $0 })
            binding.wrappedValue += 1
            #expect(stored.value == 2)
            #expect(binding.projectedValue.wrappedValue == 2)
        }

        @Test func constantBindingsIgnoreWrites() {
            let constant = Binding.constant(5)
            constant.wrappedValue = 6
            #expect(constant.wrappedValue == 5)
        }

        @Test func aBindingIsAPropertyWrapperItself() {
            struct Row {
                @Binding var name: String
            }
            let form = Form()
            let row = Row(name: form.$name)
            row.name = "Dan"
            #expect(form.name == "Dan")
            row.$name.wrappedValue = "Eve"
            #expect(form.name == "Eve")
        }
    }
}
