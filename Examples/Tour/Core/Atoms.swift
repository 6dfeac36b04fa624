// The module ReactiveAtoms, part one: atoms, selectors, families and stores.
//
// The formatter would spread short closures over several lines; in a tour they read better on one line.
// swift-format-ignore-file

import Foundation
import Reactive
import ReactiveAtoms

extension Chapter {
    static let atoms = Chapter(
        "Atoms and selectors",
        [
            Sample("Definitions, and a store that has the values") {
                enum Cart {
                    static var prices: Atom<[Int]> { atom([5, 10]) }
                    static var total: Selector<Int> { selector { accessor in try accessor.get(prices).reduce(0, +) } }
                }

                let store = RecoilStore()
                let report = autorun { print("total:", store.getOrNil(Cart.total) ?? 0) }  // prints "total: 15"
                store.update(Cart.prices) { $0.append(20) }  // prints "total: 35"
                store.transaction {
                    store.update(Cart.prices) { $0.append(1) }
                    store.update(Cart.prices) { $0.append(2) }
                }  // prints "total: 38"
                report.cancel()
            },
            Sample("Reading subscribes") {
                let count = atom(1)
                let double = selector { accessor in try accessor.get(count) * 2 }
                let store = RecoilStore()
                let shown = autorun { print(store.getOrNil(double) ?? 0) }  // prints "2"
                store.set(count, 4)  // prints "8"
                let observer = store.observe(double) { print("now", $0) }
                store.reset(count)  // prints "2", "now 2"
                observer.cancel()
                shown.cancel()
            },
            Sample("Two stores share nothing") {
                typealias Item = String
                let book = "A book"
                enum Cart {
                    static var items: Atom<[Item]> { atom { [] } }
                }
                let store = RecoilStore()
                store.update(Cart.items) { $0.append(book) }
                let other = RecoilStore { accessor in accessor.set(Cart.items, ["A pen", "A cup"]) }

                enum Badges {
                    static var badge: Selector<String> {
                        selector { accessor in "\(try accessor.get(Cart.items).count)" }
                    }
                }
                print(try store.value(Badges.badge), try other.value(Badges.badge))  // prints "1 2"
            },
            Sample("All kinds of nodes") {
                struct Server { func profile() async throws -> String { "Ann" } }
                struct Clock { var now: Date { Date() } }
                struct Todo { let id: Int; var title: String { "to do \(id)" } }
                let (server, clock) = (Server(), Clock())
                let fahrenheit = atom(32)

                let count = atom(0)  // a value
                let started = atom { clock.now }  // a default that is computed on first use
                let profile = atom { try await server.profile() }  // a default that takes its time
                let double = selector { accessor in try accessor.get(count) * 2 }
                let celsius = selector(
                    get: { accessor in (try accessor.get(fahrenheit) - 32) * 5 / 9 },
                    set: { context, newValue in context.set(fahrenheit, newValue * 9 / 5 + 32) })
                let todo = atomFamily { (id: Int) in Todo(id: id) }  // todo(7) is an atom
                let title = selectorFamily { (id: Int, accessor: StateGetter) in try accessor.get(todo(id)).title }

                let store = RecoilStore()
                store.set(celsius, 100)
                print(store.getUnsafe(fahrenheit), store.getUnsafe(title(7)))  // prints "212 to do 7"
                print(try store.get(started) <= clock.now, try store.get(double))  // prints "true 0"
                print(store.loadable(profile).isAsynchronous)  // prints "true"
            },
            Sample("Nodes of objects, and nodes for parameters") {
                final class Form {
                    let text = atom("")
                    let price = 5
                    var total: Selector<Int> {
                        selector(of: self) { form, accessor in try accessor.get(form.text).count * form.price }
                    }
                }
                let (first, second) = (Form(), Form())
                let store = RecoilStore()
                store.set(first.text, "hello")
                print(try store.get(first.text).count, try store.get(second.text).count)  // prints "5 0"
                print(try store.get(first.total))  // prints "25"

                // Reported as an issue: one node for every n.
                func doubled(_ n: Int) -> Selector<Int> { selector { _ in n * 2 } }
                let doubles = selectorFamily { (n: Int, _: StateGetter) in n * 2 }  // doubles(1), doubles(5)
                Diagnostics.onIssue = { issue in print(issue.message.contains("one node per parameter")) }
                print(try store.get(doubled(1)), try store.get(doubles(5)))  // prints "2 10"
                print(try store.get(doubled(5)))  // prints "true", "2"
                Diagnostics.onIssue = nil
            },
            Sample("A selector that can be written through") {
                let fahrenheit = atom(32)
                let celsius = selector(
                    get: { accessor in (try accessor.get(fahrenheit) - 32) * 5 / 9 },
                    set: { context, newValue in context.set(fahrenheit, newValue * 9 / 5 + 32) })
                let store = RecoilStore()
                store.set(celsius, 20)
                print(try store.get(fahrenheit))  // prints "68"
                store.reset(celsius)
                print(try store.get(fahrenheit))  // prints "32"
            },
            Sample("Errors are kept until an input changes") {
                struct NoPrice: Error {}
                let price = atom(0)
                let checked = selector { accessor in
                    let price = try accessor.get(price)
                    if price == 0 { throw NoPrice() }
                    return price
                }
                let text = selector { accessor in
                    do { return "\(try accessor.get(checked)) euros" } catch { return "\(error)" }
                }
                let store = RecoilStore()
                print(try store.get(text))  // prints "NoPrice()"
                store.set(price, 5)
                print(try store.get(text))  // prints "5 euros"
            },
            Sample("A node that needs itself") {
                enum Circle {
                    static var a: Selector<Int> { selector { accessor in try accessor.get(b) } }
                    static var b: Selector<Int> { selector { accessor in try accessor.get(a) } }
                }
                do {
                    _ = try RecoilStore().get(Circle.a)
                } catch RecoilError.circular(let info) {
                    print(info.stackMessage)  // prints "a -> b -> a"
                }
            },
            Sample("Nodes of your own types") {
                struct Greetings: SyncAtomNode {
                    func getValue() -> [String: String] { ["en": "Hello", "de": "Hallo"] }
                }

                struct Greeting: SyncSelectorNode {
                    let language: String
                    func getValue(_ accessor: StateGetter) throws -> String {
                        try accessor.get(Greetings())[language] ?? "?"
                    }
                }

                let store = RecoilStore()
                print(try store.get(Greeting(language: "de")))  // prints "Hallo"
                store.update(Greetings()) { $0["de"] = "Moin" }
                print(try store.get(Greeting(language: "de")))  // prints "Moin"
            },
            Sample("Back to what was") {
                let count = atom(1)
                let store = RecoilStore()
                let before = store.snapshot()
                store.set(count, 5)
                store.restore(before)  // `count` is what it was
                print(store.getUnsafe(count))  // prints "1"
            },
            Sample("Another definition in one store") {
                let price = atom(3)
                let total = selector { accessor in try accessor.get(price) * 2 }
                let store = RecoilStore()
                store.override(price, value: 5)
                print(store.getUnsafe(total))  // prints "10"
                store.removeOverride(of: price)
                print(store.getUnsafe(total))  // prints "6"
            },
            Sample("How long values are kept") {
                let log = atom([String](), retention: .whileObserved)
                let store = RecoilStore()
                store.set(log, ["begun"])
                let reader = autorun { print(store.getUnsafe(log)) }
                // prints:
                // ["begun"]
                reader.cancel()
                print(store.getUnsafe(log))
                // prints:
                // []
                store.release(log)
                store.purge()
            },
            Sample("Effects of an atom") {
                final class Settings { var volume = 7 }
                let settings = Settings()
                let volume = atom(5, effects: [
                    AtomEffect { context in
                        context.setSelf(settings.volume)
                        context.onSet { new, old, isReset in settings.volume = new }
                    }
                ])
                let store = RecoilStore()
                print(store.getUnsafe(volume))  // prints "7"
                store.set(volume, 8)
                print(settings.volume)  // prints "8"
            },
            Sample("An atom in a file") {
                let url = FileManager.default.temporaryDirectory
                    .appendingPathComponent("tour-\(UUID().uuidString).json")
                defer { try? FileManager.default.removeItem(at: url) }
                let theme = atom("light", effects: [.persist(to: url)])
                let store = RecoilStore()
                store.set(theme, "dark")
                store.release(theme)
                print(RecoilStore().getUnsafe(theme))  // prints "dark"
            },
            Sample("Several effects") {
                final class Player { var volume = 0; func stop() { print("stop") } }
                let player = Player()
                let url = FileManager.default.temporaryDirectory
                    .appendingPathComponent("tour-\(UUID().uuidString).json")
                defer { try? FileManager.default.removeItem(at: url) }

                let volume = atom(5, effects: [
                    .persist(to: url),
                    AtomEffect { context in
                        context.onSet { new, old, isReset in player.volume = new }
                        return { player.stop() }
                    },
                ])

                let store = RecoilStore()
                store.set(volume, 8)
                print(player.volume)  // prints "8"
                store.release(volume)  // prints "stop"
                print(RecoilStore().getUnsafe(volume))  // prints "stop", "8"
            },
            Sample("The graph as a picture") {
                let count = atom(1, named: "count")
                let double = selector(named: "double") { accessor in try accessor.get(count) * 2 }
                let store = RecoilStore()
                _ = store.getUnsafe(double)
                print(store.snapshot().generateDotGraph(isSortNodeByName: true).contains("count"))  // prints "true"
            },
            Sample("A store in a graph of its own") {
                let visits = atom(0, named: "visits")
                let session = IndependentGraph(named: "session 7")
                let store = session.run { RecoilStore() }
                // Nodes that are first used elsewhere belong to the session, too.
                store.update(visits) { $0 += 1 }
                session.run { autorun { print("visits:", store.getUnsafe(visits)) } }  // prints "visits: 1"
                store.set(visits, 2)  // prints "visits: 2"
                session.cancelReactions()
            },
        ])
}
