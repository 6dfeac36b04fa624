// Compile-only: every spelling of state, derivations and reactions, so that no change of overloads loses one.
//
// The values are of all the kinds that overloads distinguish: equatable, floating-point, an object, an equatable
// object, and one that cannot be compared.

// One spelling per line: the formatter would break every second closure.
// swift-format-ignore-file

import Reactive

private final class Thing {}

private final class Word: Equatable {
    static func == (a: Word, b: Word) -> Bool { true }
}

private struct Incomparable { var id = 0 }

private struct Failure: Error {}

// MARK: - State

private struct SpelledState {
    @Observable var number = 1
    @Observable var fraction = 0.5
    @Observable var thing = Thing()
    @Observable var word = Word()
    @Observable var incomparable = Incomparable()
    @Observable var tuple = (1, "a")
    @Observable var closure: () -> Void = {}
    @Observable var optional: Incomparable?
    @Observable var optionalNumber: Int?
    @Observable(named: "named") var named = 1
    @Observable(named: "named") var namedIncomparable = Incomparable()
    @Observable(equals: .never) var never = 1
    @Observable(equals: .equatable) var equatable = 1
    @Observable(equals: .equatable) var floating = 0.5
    @Observable(equals: .identity) var identity = Word()
    @Observable(equals: { $0.id == $1.id }) var own = Incomparable()
    @Observable(equals: .never, named: "both") var neverNamed = 1
    @Observable(equals: { $0 == $1 }, named: "both") var ownNamed = 1
    @Observed var observed = 1
    @Reactive.Observable var qualified = 1
}

/// The memberwise initializer takes plain values.
private struct Memberwise {
    @Observable var number: Int
    @Observable var thing: Thing
    @Observable var incomparable: Incomparable
    @Observable var closure: () -> Void
}

private struct Generic<Value, Number: Equatable> {
    @Observable var value: Value
    @Observable var number: Number
}

private func spellState() {
    _ = Memberwise(number: 1, thing: Thing(), incomparable: Incomparable(), closure: {})
    _ = Generic(value: 1, number: 2)
    let _: [Observable<Int>] = [
        Observable(1), Observable(1, named: "n"), Observable(1, equals: .never), Observable(1, equals: .equatable),
        Observable(1, equals: { $0 == $1 }), Observable(1, equals: .never, named: "n"),
        Observable(1, equals: { $0 == $1 }, named: "n"), Observable(1, named: "n", fileID: #fileID, line: #line),
        Observable(wrappedValue: 1), Observable(wrappedValue: 1, named: "n"),
        Observable(wrappedValue: 1, equals: .never), Observable(wrappedValue: 1, equals: { $0 == $1 }, named: "n"),
        Observable(1, equals: Equality { $0 == $1 }),
    ]
    let _: Observable<Double> = Observable(1)
    let _: Observable<Int?> = Observable(nil)
    let _: Observable<Incomparable?> = Observable(nil)
    let _: Observable<(any Error)?> = Observable(nil, named: "error")
    let _: Observable<[Incomparable]> = Observable([], fileID: #fileID, line: #line)
    let _: Observable<Any> = Observable(1)
    _ = (Observable(Thing()), Observable(Word()), Observable(Word(), equals: .identity))
    _ = (Observable((1, 2)), Observable(Incomparable(), equals: .never), Observable([1]), Observable<() -> Void>({}))
    let make: (Int) -> Observable<Int> = { Observable($0) }
    _ = [1, 2].map(make)
}

private func spellGenericState<Value, Number: Equatable, Object: AnyObject>(
    _ value: Value, _ number: Number, _ object: Object
) {
    let _: (Observable<Value>, Observable<Value>) = (Observable(value), Observable(value, equals: .never))
    let _: (Observable<Number>, Observable<Object>) = (Observable(number), Observable(object, named: "object"))
    let _: (Computed<Value>, Computed<Value>) = (Computed { value }, computed { value })
    let _: (Computed<Number>, Computed<Object>) = (Computed { number }, computed { object })
}

// MARK: - Derivations

private func spellComputed(_ x: Observable<Int>, _ rule: Equality<Int>, _ optionalRule: Equality<Int>?) {
    let numbers: [Computed<Int>] = [
        Computed { x.value }, Computed(named: "n") { x.value }, Computed({ x.value }),
        Computed(equals: .never) { x.value }, Computed(equals: .equatable) { x.value },
        Computed(equals: rule) { x.value },
        Computed(equals: { $0 == $1 }) { x.value }, Computed(named: "n", equals: .never) { x.value },
        Computed(named: "n", equals: { $0 == $1 }, isolation: nil) { x.value },
        Computed(isolation: nil) { x.value }, Computed(named: "n", isolation: nil, fileID: #fileID, line: #line) { 1 },
        Computed(named: "n", equals: .never, isolation: nil, fileID: #fileID, line: #line) { x.value },
        Computed {
            let double = x.value * 2
            return double
        },
        computed { x.value }, computed(named: "n") { x.value }, computed({ x.value }),
        computed(equals: .never) { x.value }, computed(equals: .equatable) { x.value },
        computed(equals: rule) { x.value },
        computed(equals: { $0 == $1 }) { x.value }, computed(named: "n", equals: .never) { x.value },
        computed(named: "n", equals: { $0 == $1 }, isolation: nil) { x.value },
        computed(isolation: nil) { x.value }, computed(named: "n", isolation: nil, fileID: #fileID, line: #line) { 1 },
        computed(named: "n", equals: .never, isolation: nil, fileID: #fileID, line: #line) { x.value },
        computed {
            let double = x.value * 2
            return double
        },
    ]
    _ = numbers
    // Without annotations: the call alone selects the overload.
    let number = computed { x.value }
    let fraction = computed { Double(x.value) }
    let thing = Computed { Thing() }
    let word = computed { Word() }
    let tuple = Computed { (x.value, "a") }
    let void = computed {}
    let incomparable = computed { Incomparable(id: x.value) }
    let optional = computed { x.value > 1 ? Incomparable() : nil }
    let ruled = Computed(equals: { $0.id == $1.id }) { Incomparable(id: x.value) }
    let _: (Computed<Int>, Computed<Double>, Computed<Thing>, Computed<Word>) = (number, fraction, thing, word)
    let _: (Computed<(Int, String)>, Computed<Void>, Computed<Incomparable>) = (tuple, void, incomparable)
    let _: (Computed<Incomparable?>, Computed<Incomparable>) = (optional, ruled)
    let function: () -> Int = { x.value }
    let fromFunction = (Computed(function), computed(function), computed(named: "n", function))
    let _: (Computed<Int>, Computed<Int>, Computed<Int>) = fromFunction

    // With `throws`: a `ThrowingComputed`.
    let throwing: [ThrowingComputed<Int>] = [
        ThrowingComputed { x.value }, ThrowingComputed(named: "n") { throw Failure() },
        ThrowingComputed(equals: .never) { x.value }, ThrowingComputed(equals: optionalRule) { x.value },
        ThrowingComputed(equals: nil) { x.value },
        ThrowingComputed(named: "n", equals: rule, isolation: nil) { x.value },
        computed { throw Failure() }, computed(named: "n") { throw Failure() }, computed { x.value },
        computed(equals: .never) { throw Failure() }, computed(equals: optionalRule) { throw Failure() },
        computed(named: "n", equals: rule, isolation: nil) { throw Failure() },
    ]
    _ = throwing
    let thrower: () throws -> Int = { throw Failure() }
    let inferred = computed {
        guard x.value > 0 else { throw Failure() }
        return x.value
    }
    let _: (ThrowingComputed<Int>, ThrowingComputed<Int>, ThrowingComputed<Int>) = (
        inferred, computed(thrower), computed(equals: optionalRule) { x.value }
    )
}

// MARK: - Reactions

private func spellReaction(
    _ x: Observable<Int>, _ rule: Equality<Int>, _ same: @escaping @Sendable (Int, Int) -> Bool,
    _ schedule: Schedule
) -> [Reaction] {
    let track: () -> Int = { x.value }
    let one: (Int) -> Void = { _ in }
    let two: (Int, Int) -> Void = { _, _ in }
    let none: () -> Void = {}
    reaction { x.value } onChange: { _ = $0 + 1 }
    reaction { x.value } onChange: { _ = $0 + $1 }
    reaction { x.value } onChange: { x.value = 1 }
    reaction {
        x.value
    } onChange: {
    }
    reaction {
        let double = x.value * 2
        return double
    } onChange: { new in
        let double = new * 2
        x.value = double
    }
    reaction {
        (x.value, Incomparable())
    } onChange: { new, old in
        x.value = new.0 - old.0
    }
    reaction({ x.value }) { _ = $0 + 1 }
    reaction({ x.value }) { new, old in x.value = new - old }
    reaction({ x.value }) { x.value = 1 }
    reaction({ x.value }, onChange: { (_: Int) in })
    reaction({ x.value }, { _ = $0 + 1 })
    reaction({ x.value }, { _ = $0 + $1 })
    reaction({ x.value }, { x.value = 1 })
    reaction(track, one)
    reaction(track, two)
    reaction(track, none)
    reaction(track, onChange: one)
    reaction(track, onChange: two)
    reaction(track, onChange: none)
    reaction(named: "n", track) { new in x.value = new }
    reaction { Incomparable() } onChange: { _ = $0.id }
    reaction { Thing() } onChange: { _ = $0 === $1 }
    reaction(equals: .identity) { Thing() } onChange: { _ in }
    reaction(equals: .equatable) { 0.5 } onChange: { _ in }
    reaction(equals: { $0.id == $1.id }) { Incomparable() } onChange: { _ = $0.id }
    reaction(equals: .never, { x.value }, { _ = $0 + 1 })
    reaction(equals: .never, { x.value }, { _ = $0 + $1 })
    reaction(equals: .never, { x.value }, { x.value = 1 })
    reaction(equals: { $0 == $1 }, { x.value }, { _ = $0 + 1 })
    reaction(equals: { $0 == $1 }, { x.value }, { _ = $0 + $1 })
    reaction(equals: { $0 == $1 }, { x.value }, { x.value = 1 })
    return [
        reaction(named: "n") { x.value } onChange: { _ = $0 },
        reaction(fireImmediately: true) { x.value } onChange: { _ = $0 + $1 },
        reaction(schedule: .debounced(for: .seconds(1))) { x.value } onChange: { x.value = 1 },
        reaction(isolation: nil) { x.value } onChange: { _ = $0 },
        reaction(isolation: #isolation, track, one),
        reaction(equals: .never) { x.value } onChange: { _ = $0 },
        reaction(equals: .never) { x.value } onChange: { _ = $0 + $1 },
        reaction(equals: .never) { x.value } onChange: { x.value = 1 },
        reaction(equals: rule) { x.value } onChange: { _ = $0 },
        reaction(equals: { $0 == $1 }) { x.value } onChange: { _ = $0 },
        reaction(equals: { $0 == $1 }) { x.value } onChange: { _ = $0 + $1 },
        reaction(equals: { $0 == $1 }) { x.value } onChange: { x.value = 1 },
        reaction(equals: same) { x.value } onChange: { _ = $0 },
        reaction(
            named: "n", equals: .never, fireImmediately: true, schedule: schedule, isolation: nil, fileID: #fileID,
            line: #line, track, onChange: one),
        reaction(
            named: "n", equals: same, fireImmediately: true, schedule: schedule, isolation: nil, fileID: #fileID,
            line: #line, track, two),
        reaction(named: nil, fireImmediately: true, schedule: schedule, isolation: nil, track, none),
    ]
}

private func spellAutorunAndWhen(_ x: Observable<Int>, _ schedule: Schedule) async throws {
    autorun { _ = x.value }
    autorun(named: "n", schedule: schedule, isolation: nil) { _ = x.value }
    autorun(onError: { print($0) }) { if x.value > 1 { throw Failure() } }
    autorun(named: "n", schedule: .immediate, onError: { _ in }) { throw Failure() }
    when { x.value > 1 } effect: { x.value = 1 }
    when({ x.value > 1 }) { x.value = 1 }
    when({ x.value > 1 }, { x.value = 1 })
    when({ x.value > 1 }, effect: { x.value = 1 })
    when(named: "n", isolation: nil) { x.value > 1 } effect: { x.value = 1 }
    try await when { x.value > 1 }
    try await when(named: "n") { x.value > 1 }
    try await when(timeout: .seconds(1)) { x.value > 1 }
    try await when(timeout: .seconds(1), clock: SuspendingClock(), named: "n") { x.value > 1 }
    for await number in values(of: { x.value }) { _ = number + 1 }
    for await number in values(named: "n", isolation: nil, of: { x.value }) { _ = number + 1 }
    _ = ObserverScope { "\(x.value)" } onRender: { print($0) }
    _ = ObserverScope(named: "n", schedule: schedule, isolation: nil) { x.value }
}

// MARK: - Owners

private final class SpellingClass {
    @Observable var number = 1
    private(set) lazy var total = Computed(of: self) { $0.number * 2 }
    private(set) lazy var ruled = Computed(of: self, named: "n", equals: .never) { me in me.number * 2 }
    private(set) lazy var defaulted = Computed(of: self, equals: nil, isolation: nil) { $0.number }
    private(set) lazy var checked = ThrowingComputed(of: self) { me throws in me.number }
    private(set) lazy var checkedNever = ThrowingComputed(of: self, named: "n", equals: .never) { try $0.check() }

    func check() throws -> Int { number }

    func start(_ rule: Equality<Int>?, _ schedule: Schedule) -> [Reaction] {
        autorun(of: self) { $0.number = 1 }
        reaction(of: self) { $0.number } onChange: { $0.number = $1 }
        reaction(of: self) { $0.number } onChange: { $0.number = $1 - $2 }
        reaction(of: self) { $0.number } onChange: { $0.number = 1 }
        when(of: self) { $0.number == 1 } effect: { $0.number = 2 }
        return [
            autorun(of: self, named: "n", schedule: schedule, isolation: nil) { _ in },
            reaction(of: self, named: "n", equals: .never, fireImmediately: true) { $0.number } onChange: { _, _ in },
            reaction(of: self, equals: rule, schedule: schedule, isolation: nil) { $0.number } onChange: { _ in },
            reaction(of: self, equals: nil) { $0.number } onChange: { me, new, old in me.number = new - old },
            reaction(of: self, { $0.number }, onChange: { me, _ in me.number = 1 }),
            when(of: self, named: "n", isolation: nil) { $0.number == 1 } effect: { _ in },
        ]
    }

    func follow() async throws {
        try await when(of: self) { $0.number == 1 }
        try await when(of: self, timeout: .seconds(1), clock: SuspendingClock(), named: "n") { $0.number == 1 }
        for await number in values(of: self, { $0.number }) { _ = number }
        for await number in values(of: self, named: "n", isolation: nil, { $0.number }) { _ = number }
    }
}

@MainActor private final class SpellingMainActorClass {
    @Observable var number = 1
    private(set) lazy var total = Computed(of: self, isolation: MainActor.shared) { $0.number * 2 }
    private var seen = 0

    func start() -> [Reaction] {
        let double = computed { self.number * 2 }
        let throwing = computed { if self.number > 1 { throw Failure() } }
        let _: (Computed<Int>, ThrowingComputed<Void>) = (double, throwing)
        reaction { self.number } onChange: { self.seen = $0 }
        reaction({ self.number }, { self.seen = $0 - $1 })
        return [
            autorun { self.seen = self.number },
            autorun(of: self) { $0.seen = $0.number },
            reaction(equals: .never, fireImmediately: true) { self.number } onChange: { self.seen = 1 },
            reaction(equals: { $0 == $1 }) { self.number } onChange: { self.seen = $0 },
            reaction(of: self) { $0.number } onChange: { $0.seen = $1 },
            reaction(of: self, equals: .never) { $0.number } onChange: { $0.seen = $1 - $2 },
            when { self.number == 1 } effect: { self.seen = 1 },
            when(of: self) { $0.number == 1 } effect: { $0.seen = 1 },
        ]
    }
}

private actor SpellingActor {
    @Observable var number = 1
    private(set) lazy var total = Computed(of: self, equals: .never) { $0.number * 2 }
    private(set) lazy var checked = ThrowingComputed(of: self, named: "n") { me throws in me.number }
    private var seen = 0

    func start() -> [Reaction] {
        let double = computed { self.number * 2 }
        let throwing = computed { if self.number > 1 { throw Failure() } }
        let _: (Computed<Int>, ThrowingComputed<Void>) = (double, throwing)
        reaction { self.number } onChange: { self.seen = $0 }
        reaction({ self.number }, { self.seen = $0 - $1 })
        return [
            autorun { self.seen = self.number },
            autorun(of: self, named: "n") { $0.seen = $0.number },
            reaction(equals: .never, fireImmediately: true) { self.number } onChange: { self.seen = 1 },
            reaction(equals: { $0 == $1 }) { self.number } onChange: { self.seen = $0 },
            reaction(of: self) { $0.number } onChange: { $0.seen = $1 },
            reaction(of: self, equals: .never) { $0.number } onChange: { $0.seen = $1 - $2 },
            reaction(of: self, named: "n", fireImmediately: true) { $0.number } onChange: { $0.seen = 1 },
            when(of: self) { $0.number == 1 } effect: { $0.seen = 1 },
        ]
    }

    func follow() async throws {
        try await when(of: self) { $0.number == 1 }
        try await when(of: self, timeout: .seconds(1), clock: SuspendingClock(), named: "n") { $0.number == 1 }
        for await number in values(of: self, named: "n", { $0.number }) { _ = number }
    }
}
