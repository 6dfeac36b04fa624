// Compile-only: each capture that the documentation recommends, in a struct, a class, a `@MainActor` class and an
// actor.

import Reactive

struct CapturingStruct {
    @Observable var price = 5
    @Observable var count = 2
    var total: Int { price * count }
    var cached: Computed<Int> { Computed { price * count } }

    func start() -> [Reaction] {
        [
            autorun { print(price) },
            reaction {
                total
            } onChange: {
                print($0)
            },
            when {
                count == 0
            } effect: {
                print("none")
            },
        ]
    }

    func follow() async throws {
        try await when { count == 0 }
        for await price in values(of: { price }) where price == 0 { break }
    }
}

final class CapturingClass {
    @Observable var price = 5
    @Observable var count = 2
    private(set) lazy var total = Computed(of: self) { $0.price * $0.count }
    private(set) lazy var checked = ThrowingComputed(of: self) { me throws in
        guard me.price > 0 else { throw CancellationError() }
        return me.price
    }
    private(set) lazy var captured = Computed { [unowned self] in price * count }
    private(set) lazy var lines = ObserverScope(of: self) {
        "\($0.total.value)"
    } onRender: {
        $0.show($1)
    }
    private var bag: Set<AnyCancellable> = []
    private var seen = 0

    func show(_ line: String) { seen = line.count }

    func start() {
        autorun(of: self) { $0.seen = $0.total.value }
        reaction(of: self) {
            $0.price
        } onChange: {
            $0.seen += 1
        }
        reaction(of: self) {
            $0.price
        } onChange: { me, price in
            me.seen = price
        }
        reaction(of: self) {
            $0.price
        } onChange: { me, new, old in
            me.seen = new - old
        }
        when(of: self) {
            $0.count == 0
        } effect: {
            $0.seen = 0
        }
        autorun { [weak self] in self?.seen = 1 }.store(in: &bag)
        autorun { [unowned self] in seen = price }.store(in: &bag)
    }

    func follow() async throws {
        try await when(of: self) { $0.count == 0 }
        for await price in values(of: self, { $0.price }) where price == 0 { break }
    }
}

@MainActor final class CapturingMainActorClass {
    @Observable var price = 5
    @Observable var count = 2
    private(set) lazy var total = Computed(of: self, isolation: MainActor.shared) { $0.price * $0.count }
    private(set) lazy var checked = ThrowingComputed(of: self, isolation: MainActor.shared) { me throws in
        guard me.price > 0 else { throw CancellationError() }
        return me.price
    }
    private(set) lazy var captured = Computed(isolation: MainActor.shared) { [unowned self] in price * count }
    private(set) lazy var lines = ObserverScope(of: self, isolation: MainActor.shared) {
        "\($0.total.value)"
    } onRender: {
        $0.show($1)
    }
    private var bag: Set<AnyCancellable> = []
    private var seen = 0

    func show(_ line: String) { seen = line.count }

    func start() {
        autorun(of: self) { $0.seen = $0.total.value }
        reaction(of: self) {
            $0.price
        } onChange: {
            $0.seen += 1
        }
        reaction(of: self) {
            $0.price
        } onChange: { me, price in
            me.seen = price
        }
        reaction(of: self) {
            $0.price
        } onChange: { me, new, old in
            me.seen = new - old
        }
        when(of: self) {
            $0.count == 0
        } effect: {
            $0.seen = 0
        }
        autorun { [weak self] in self?.seen = 1 }.store(in: &bag)
        autorun { [unowned self] in seen = price }.store(in: &bag)
        AnyCancellable { [weak self] in self?.seen = 0 }.store(in: &bag)
    }

    func follow() async throws {
        try await when(of: self) { $0.count == 0 }
        for await price in values(of: self, { $0.price }) where price == 0 { break }
    }
}

actor CapturingActor {
    @Observable var price = 5
    @Observable var count = 2
    private(set) lazy var total = Computed(of: self) { $0.price * $0.count }
    private(set) lazy var checked = ThrowingComputed(of: self) { me throws in
        guard me.price > 0 else { throw CancellationError() }
        return me.price
    }
    private(set) lazy var lines = ObserverScope(of: self) {
        "\($0.total.value)"
    } onRender: {
        $0.show($1)
    }
    private var seen = 0

    func show(_ line: String) { seen = line.count }

    func start() {
        autorun(of: self) { $0.seen = $0.total.value }
        reaction(of: self) {
            $0.price
        } onChange: {
            $0.seen += 1
        }
        reaction(of: self) {
            $0.price
        } onChange: { me, price in
            me.seen = price
        }
        reaction(of: self) {
            $0.price
        } onChange: { me, new, old in
            me.seen = new - old
        }
        when(of: self) {
            $0.count == 0
        } effect: {
            $0.seen = 0
        }
    }

    func follow() async throws {
        try await when(of: self) { $0.count == 0 }
        for await price in values(of: self, { $0.price }) where price == 0 { break }
    }
}
