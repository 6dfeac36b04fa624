// Cached properties that are compiled with the macro and run with the library.

import ReactiveMacros
import Testing

@Model final class Order {
    var price = 5
    var count = 2
    @Unobserved var runs = 0
    static let lineOfTotal = #line + 1
    @Cached var total: Int { counted(price * count) }
    @Cached fileprivate var isLarge: Bool { total > 100 }
    @Cached var note: String? { isLarge ? .some("large") : nil }
    @Cached var ratio: Double { 1 }
    @Cached var lines: [String] {
        get {
            // The comment is kept.
            {
                let line = "\(count) × \(price)"; return [line]
            }()
        }
    }
    func counted<Value>(_ value: Value) -> Value {
        runs += 1
        return value
    }
}

@Model open class Shape {
    var side = 2
    /// Creates a square.
    public init() {}
    /// The area.
    @Cached open var area: Int { side * side }
    var outline: Int { side * 4 }
}

@Model final class Cube: Shape {
    @Cached override var area: Int { super.area * 6 }
    @Cached override var outline: Int { super.outline * 3 }
}

@Model final class Box<Value: Equatable> {
    var values: [Value]
    /// The first value.
    @Cached public var first: Value? { values.first }
    init(_ values: [Value]) { self.values = values }
}

@Model @MainActor final class Words {
    var text = "one two"
    let limit = 3
    @Cached var words: [Substring] { text.split(separator: " ") }
    @Cached nonisolated var half: Int { limit / 2 }
}

@Model actor Account {
    var payments = [5]
    private(set) var shown = 0
    @Cached var balance: Int { payments.reduce(0, +) }
    func start() { autorun(of: self) { $0.shown = $0.balance } }
    func pay(_ amount: Int) { payments.append(amount) }
}

@Model final class Shared: Sendable {
    let source = Observable(1)
    @Cached var twice: Int { source.value * 2 }
}

typealias Action = () -> Int

/// Types that the generated code must spell correctly.
@Model final class Kinds {
    var `default` = 1
    @Cached var `class`: Int { `default` }
    @Cached var action: () -> Int { { 2 } }
    @Cached var other: Action { action }
    @Cached var optional: Int! { `default` }
    @Cached var pair: (Int, any CustomStringConvertible) { (`default`, "a") }
    @Cached var wait: Duration { .seconds(`default`) }
}

@Model final class Quote {
    let price: Observable<Int>
    @Cached var twice: Int { price.value * 2 }
    init(_ price: Observable<Int>) { self.price = price }
}

@Model final class Cycle {
    @Cached var first: Int { second + 1 }
    @Cached var second: Int { first + 1 }
}

extension MacroTests {
    @Suite struct CachedTests {
        @Test func theGetterRunsOnlyAfterAChange() {
            let order = Order()
            #expect(order.total == 10)
            #expect(order.total == 10)
            #expect(order.runs == 1)
            order.count = 3
            #expect(order.total == 15)
            #expect(order.runs == 2)
            #expect(order.lines == ["3 × 5"])
            #expect(order.ratio == 1)
        }

        @Test func readersRunOnlyIfTheResultDiffers() {
            let order = Order()
            var seen: [String?] = []
            let reaction = autorun { seen.append(order.note) }
            order.count = 3
            order.count = 4
            #expect(seen == [nil])
            order.count = 40
            #expect(seen == [nil, "large"])
            #expect(order.runs == 4)
            reaction.cancel()
        }

        @Test func aCachedPropertyDoesNotKeepItsOwnerAlive() {
            var order: Order? = Order()
            weak let observed = order
            let reaction = autorun { [weak order] in _ = order?.note }
            #expect(order?.total == 10)
            order = nil
            #expect(observed == nil)
            reaction.cancel()
        }

        @Test func aReaderThatOutlivesTheOwnerKeepsTheLastValue() {
            let price = Observable(5)
            var quote: Quote? = Quote(price)
            let reader = Computed { [weak quote] in quote?.twice ?? 0 }
            #expect(reader.value == 10)
            quote = nil
            price.value = 6
            // The cached property keeps its last value, so the reader is not evaluated.
            #expect(reader.value == 10)
        }

        @Test func overridingPropertiesAreCachedByThemselves() {
            let cube = Cube()
            #expect(cube.area == 24)
            #expect(cube.outline == 24)
            #expect((cube as Shape).area == 24)
            cube.side = 3
            #expect(cube.area == 54)
            #expect(Shape().area == 4)
        }

        @Test func everyTypeCanBeCached() {
            let kinds = Kinds()
            kinds.default = 2
            #expect(kinds.class == 2)
            #expect(kinds.other() == 2)
            #expect(kinds.optional == 2)
            #expect(kinds.pair.0 == 2)
            #expect(kinds.wait == .seconds(2))
        }

        @Test func genericOwnersCache() {
            let box = Box(["a", "b"])
            #expect(box.first == "a")
            box.values = []
            #expect(box.first == nil)
        }

        @Test @MainActor func propertiesOnTheMainActorAreCached() {
            let words = Words()
            #expect(words.words.count == 2)
            words.text += " three"
            #expect(words.words.count == 3)
            #expect(words.half == 1)
        }

        @Test func propertiesOfAnActorAreCached() async {
            let account = Account()
            #expect(await account.balance == 5)
            await account.start()
            await account.pay(3)
            #expect(await account.shown == 8)
            #expect(await account.balance == 8)
        }

        @Test func theComputedBelongsToTheGraphOfItsOwner() {
            let graph = IndependentGraph(named: "session")
            let order = graph.run { Order() }
            #expect(order.total == 10)
            #expect(IndependentGraph().run { order.lines } == ["2 × 5"])
            graph.run { inTransaction { order.count = 4 } }
            #expect(order.total == 20)
        }

        @Test func severalThreadsReadOneProperty() async {
            for _ in 0..<20 {
                let shared = Shared()
                await withTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 { group.addTask { shared.twice } }
                    for await value in group { #expect(value == 2) }
                }
                shared.source.value = 2
                #expect(shared.twice == 4)
            }
        }

        @Test func diagnosticsNameTheLineOfTheProperty() {
            let order = Order()
            let reaction = autorun(named: "reader") { _ = order.total }
            let names = Set(Diagnostics.graph().nodes.map(\.name))
            #expect(names.contains("CachedTests.swift:\(Order.lineOfTotal)"))
            reaction.cancel()
        }

        @Test func aCycleStopsTheProgramWithItsPath() async {
            await #expect(processExitsWith: .failure) { _ = Cycle().first }
        }
    }
}
