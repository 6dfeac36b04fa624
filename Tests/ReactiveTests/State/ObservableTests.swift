// `Observable` as a property wrapper in all kinds of declarations, and by itself.

import Reactive
import Testing

private struct Counter {
    @Observable var count = 0
}

private struct Person {
    @Observable var name: String
    @Observable var father: Person?
}

private final class Player {
    @Observable var score = 0
    let bonus = Observable(0)
    lazy var total = Computed { [unowned self] in score + bonus.value }
}

private actor Account {
    @Observable var balance = 0
    func deposit(_ amount: Int) -> Int {
        balance += amount
        return balance
    }
}

extension ReactiveTests {
    @Suite struct ObservableTests {
        @Test func theSetterWorksOnALetStruct() {
            let counter = Counter()
            counter.count = 5
            counter.count += 1
            #expect(counter.count == 6)
        }

        @Test func copiesOfAStructShareTheState() {
            let counter = Counter()
            let copy = counter
            copy.count = 3
            #expect(counter.count == 3)
        }

        @Test func memberwiseAndRecursiveStructsWork() {
            let grandfather = Person(name: "Adam", father: nil)
            let father = Person(name: "Bert", father: grandfather)
            let child = Person(name: "Carl", father: father)
            var log: [String] = []
            let r = autorun { log.append(child.father?.father?.name ?? "nobody") }
            defer { r.cancel() }
            grandfather.name = "Anton"
            child.father = nil
            child.father = Person(name: "Dora", father: Person(name: "Emil", father: nil))
            father.name = "nobody's father any more"
            #expect(log == ["Adam", "Anton", "nobody", "Emil"])
        }

        @Test func classesAreObserved() {
            let player = Player()
            var log: [Int] = []
            let r = autorun { log.append(player.total.value) }
            defer { r.cancel() }
            player.score = 10
            player.bonus.value = 5
            #expect(log == [0, 10, 15])
        }

        @Test func actorsHoldObservables() async {
            let account = Account()
            #expect(await account.deposit(20) == 20)
            #expect(await account.deposit(5) == 25)
        }

        @Test func localsAreObserved() {
            @Observable var count = 1
            var log: [Int] = []
            let r = autorun { log.append(count) }
            defer { r.cancel() }
            count += 1
            #expect(log == [1, 2])
        }

        @Test func observedIsTheSameUnderAnotherName() {
            @Observed var count = 1
            let other: Observed<Int> = Observable(2)
            var log: [Int] = []
            let r = autorun { log.append(count + other.value) }
            defer { r.cancel() }
            count = 10
            other.value = 20
            #expect(log == [3, 12, 30])
        }

        @Test func aWriteNotifiesOnce() {
            let x = Observable(0)
            var runs = 0
            let r = autorun {
                _ = x.value
                runs += 1
            }
            defer { r.cancel() }
            x.value = 1
            #expect(runs == 2)
            x.value += 1
            #expect(runs == 3)
        }

        @Test func everyReaderOfAValueIsNotifiedInOrderOfCreation() {
            let x = Observable(0)
            var log: [String] = []
            let reactions = ["a", "b", "c"].map { name in autorun { log.append("\(name)\(x.value)") } }
            defer { reactions.forEach { $0.cancel() } }
            x.value = 1
            #expect(log == ["a0", "b0", "c0", "a1", "b1", "c1"])
        }

        @Test func aReadOutsideObserversSubscribesNobody() {
            let x = Observable(0, named: "bystander.x")
            #expect(x.value == 0)
            #expect(!Diagnostics.graph().nodes.contains { $0.name == "bystander.x" })
        }

        @Test func observablesOfObservablesAreIndependent() {
            let inner = Observable(1)
            let outer = Observable(inner)
            var log: [Int] = []
            let r = autorun { log.append(outer.value.value) }
            defer { r.cancel() }
            inner.value = 2
            let replacement = Observable(10)
            outer.value = replacement
            inner.value = 3
            replacement.value = 11
            #expect(log == [1, 2, 10, 11])
        }
    }
}
