// A minimal reaction that consists of parts, for their tests: each of its rows follows a number.

import Reactive
import TestSupport

/// Follows a number for each row, and records what it does.
final class ToyFollower: PartsDelegate, @unchecked Sendable {
    // Sendable because tests use it under the graph's lock, or on one thread at a time.

    /// The part of a row.
    final class Row: _ReactionPart {
        let number: Int
        /// A number that no other row of the follower has had.
        var serial: Int { token.number }
        private let token: LifetimeTracker.Token

        fileprivate init(_ number: Int, of reaction: Reaction, _ token: LifetimeTracker.Token) {
            (self.number, self.token) = (number, token)
            super.init(of: reaction)
        }
    }

    /// The reaction, until it is cancelled.
    private(set) var reaction: Reaction?
    private(set) var rows: [Int: Row] = [:]
    private(set) var values: [Int: Int] = [:]
    /// The rows that were updated, and those whose updates were delivered.
    var updated: [Int] = []
    var delivered: [Int] = []
    /// The rows whose updates have not been delivered yet.
    private(set) var undelivered: [Int] = []
    /// The numbers of updates that were finished, and of those that were discarded.
    private(set) var finishes = 0
    private(set) var discards = 0
    private(set) var deliveries = 0
    /// Called before a row is updated.
    var onUpdate: (Int) -> Void = { _ in }
    /// Whether a row reads the same sources each time, so that an update need not find out.
    var isPlain: (Int) -> Bool = { _ in false }
    /// Counts the rows that are not freed.
    let tracker = LifetimeTracker()
    private let firstRows: [Int]
    private let read: (Int) -> Int

    private init(_ rows: [Int], _ read: @escaping (Int) -> Int) { (firstRows, self.read) = (rows, read) }

    /// Creates a reaction with a row for each number, which `read` maps to the row's value.
    static func start(
        _ rows: some Sequence<Int>, for owner: OwnerReference? = nil, named name: String? = nil,
        schedule: Schedule = .immediate, isolation: (any Actor)? = nil, line: UInt = #line,
        _ read: @escaping (Int) -> Int
    ) -> ToyFollower {
        let follower = ToyFollower(Array(rows), read)
        _ = Reaction.started(
            of: follower, for: owner, named: name, schedule: schedule, isolation: isolation, fileID: #fileID, line: line
        )
        return follower
    }

    /// The number of rows that are not freed.
    var alive: Int { tracker.alive }

    func cancel() { reaction?.cancel() }

    /// Adds a row. Under the lock.
    func add(_ number: Int) {
        guard let reaction else { return }
        let row = Row(number, of: reaction, tracker.token())
        rows[number] = row
        evaluate(row)
    }

    /// Ends a row. Under the lock.
    func remove(_ number: Int) { rows.removeValue(forKey: number)?.end() }

    /// Evaluates a row. Under the lock.
    func evaluate(_ row: Row) { row.evaluate { values[row.number] = read(row.number) } }

    // MARK: - The delegate

    func begin(in reaction: Reaction) {
        self.reaction = reaction
        firstRows.forEach(add)
    }

    func update(_ part: _ReactionPart) {
        precondition(!part.hasEnded, "A part that has ended is updated.")
        let row = unsafeDowncast(part, to: Row.self)
        updated.append(row.number)
        onUpdate(row.number)
        guard !row.hasEnded else { return }
        if isPlain(row.number) {
            row.skipEvaluation()
            untracked { values[row.number] = read(row.number) }
        } else {
            evaluate(row)
        }
        undelivered.append(row.number)
    }

    func finishUpdate() -> Bool {
        finishes += 1
        return !undelivered.isEmpty
    }

    func discardUpdate() {
        discards += 1
        undelivered = []
    }

    func deliver() {
        deliveries += 1
        delivered += undelivered
        undelivered = []
    }

    func end() {
        rows.values.forEach { $0.end() }
        rows = [:]
        reaction = nil
    }

    func forEachPart(_ body: (_ReactionPart) -> Void) { rows.values.forEach(body) }
}
