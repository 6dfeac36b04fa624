// Compile-only: state in actors, in classes of no isolation, in structs, and in local variables, in Swift 6 mode.

import Reactive

actor Savings {
    @Observable var balance = 0
    @Observable private var history: [Int] = []
    private var reactions: [Reaction] = []
    private var warnings = 0

    func start() {
        reactions.append(autorun { if self.balance < 0 { self.warnings += 1 } })
        reactions.append(
            reaction {
                self.balance
            } onChange: {
                self.history.append($0)
            })
    }

    func deposit(_ amount: Int) throws {
        try inTransaction {
            balance += amount
            if balance < 0 { throw CancellationError() }
        }
    }

    func waitForMoney() async throws { try await when { self.balance > 0 } }
}

/// A class without isolation can be shared because observables of sendable values are sendable. (The compiler makes the
/// storage of a wrapped property a `var`, which a `Sendable` class may not have, so these are globals.)
final class Settings: Sendable {
    let name = Observable("")
    let volume = Observable(0.5)
    let limit = Observable<Int?>(nil)
}

/// No isolation, and not sendable.
final class Document {
    @Observable var text = ""
    @Observable(equals: { $0.count == $1.count }) var words: [String] = []
    var changes = 0
    private(set) lazy var length = Computed { [unowned self] in text.count }

    func watch() -> [Reaction] {
        [
            autorun { self.changes += self.length.value },
            reaction {
                self.words
            } onChange: { new, old in
                self.changes += new.count - old.count
            },
        ]
    }
}

struct Relative {
    @Observable var name: String
    @Observable var father: Relative?
}

enum LocalVariables {
    static func nonisolatedFunction() -> Int {
        @Observable var count = 0
        var log: [Int] = []
        let double = computed { count * 2 }
        let reaction = autorun { log.append(double.value) }
        count += 1
        reaction.cancel()
        return log.count
    }

    static func asynchronousFunction() async -> Int {
        let count = Observable(0)
        let reaction = autorun { _ = count.value }
        defer { reaction.cancel() }
        async let other: Void = { count.value += 1 }()
        await other
        return count.value
    }

    @MainActor static func mainActorFunction() -> [String] {
        @Observable var name = "Ann"
        var log: [String] = []
        let reaction = reaction(fireImmediately: true) {
            name
        } onChange: {
            log.append($0)
        }
        Task.detached { [count = Observable(0)] in inTransaction { count.value += 1 } }
        name = "Bob"
        reaction.cancel()
        return log
    }

    static func sharedBetweenTasks() async {
        let settings = Settings()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 { group.addTask { inTransaction { settings.limit.value = number } } }
        }
    }

    static func sendableParts(_ count: Observable<Int>, _ double: Computed<Int>, _ reaction: Reaction) -> [any Sendable]
    {
        [count, double, reaction, AnyCancellable(reaction)] as [any Sendable]
    }
}
