// Derivations: `Computed`, `ThrowingComputed` and `computed`.

import Reactive

extension Chapter {
    static let derivations = Chapter(
        "Derivations",
        [
            Sample("Lazy and cached, also while nobody observes") {
                let prices = Observable([5, 10])
                let total = Computed {
                    print("adding")
                    return prices.value.reduce(0, +)
                }
                print(total.value)  // prints "adding", "15"
                print(total.value)  // prints "15"
                prices.value.append(20)
                print(total.value)  // prints "adding", "35"
            },
            Sample("An equal result goes no further") {
                let count = Observable(1)
                let isMany = Computed { count.value > 2 }
                let observer = autorun { print(isMany.value ? "many" : "few") }  // prints "few"
                count.value = 2
                count.value = 3  // prints "many"
                observer.cancel()
            },
            Sample("Never a mix of old and new values") {
                let width = Observable(2)
                let double = Computed { width.value * 2 }
                let triple = Computed { width.value * 3 }
                let observer = autorun { print(double.value, triple.value) }  // prints "4 6"
                width.value = 10  // prints "20 30"
                observer.cancel()
            },
            Sample("The function spelling, and a rule for what is equal") {
                let seconds = Observable(59.2)
                let clock = computed(equals: { Int($0) == Int($1) }) { seconds.value }
                let observer = autorun { print(clock.value) }  // prints "59.2"
                seconds.value = 59.9
                seconds.value = 60.1  // prints "60.1"
                observer.cancel()
            },
            Sample("A closure that throws: the error is kept, until a source changes") {
                struct BadPort: Error {}
                let text = Observable("http")
                let port = ThrowingComputed {
                    guard let number = Int(text.value) else { throw BadPort() }
                    return number
                }
                do { print(try port.value) } catch { print("bad port:", error) }  // prints "bad port: BadPort()"
                text.value = "80"
                print(try port.value)  // prints "80"
            },
            Sample("A cycle is an error with a path") {
                final class Cells {
                    lazy var a: ThrowingComputed<Int> = computed(named: "A1") { [unowned self] in try b.value + 1 }
                    lazy var b: ThrowingComputed<Int> = computed(named: "B1") { [unowned self] in try a.value + 1 }
                }
                let cells = Cells()
                do { print(try cells.a.value) } catch { print(error) }  // prints "cycle: A1 → B1 → A1"
            },
        ])
}
