// An explorer of small concurrent programs. It tries every interleaving, and every value that weak memory allows each
// load to read.
//
// Memory is a list of messages for each location, in the order of modification. A thread has a *view*: for each
// location the oldest message that it may still read. A load reads any message from there on; a store goes anywhere
// after it. Acquiring joins the view that a message carries to the thread's own, releasing attaches the thread's view
// to the message, and a sequentially consistent fence joins the thread's view and a global one with each other. This is
// the operational form of C's memory model (Kang et al., "A Promising Semantics for Relaxed-Memory Concurrency", 2017)
// without promises. It covers all effects of store buffers, reordered loads and reordered stores. It does not cover a
// load that sees an effect of a later store of its own thread.
//
// A program is a function that is started at a *point* and returns the next point, or nothing at its end. Between two
// points it runs again from the start for each operation, with the earlier results repeated. So its only memory is the
// point.

/// A location in memory.
struct Location: CustomStringConvertible {
    let index: Int
    let description: String

    init(_ index: Int, _ name: String) {
        self.index = index
        description = name
    }
}

enum Order {
    case relaxed, acquire, release, sequential
}

/// For each location an index into its messages.
typealias View = SIMD16<UInt8>

extension View {
    mutating func join(_ other: View) { self = pointwiseMax(self, other) }
}

/// An operation of a program on memory or on the kernel. Each is indivisible.
enum Operation: Error {
    case load(Location, Order)
    case store(Location, Int, Order)
    /// Replaces the newest value if it is the expected one; the result is whether it was.
    case exchange(Location, expected: Int, new: Int, Order)
    /// Replaces the newest value by a function of it; the result is the earlier one.
    case update(Location, Order, (Int) -> Int)
    case fence(Order)
    /// One of these threads (a set of bits) passes a full fence; the result is its index. `membarrier` does this for
    /// each thread.
    case fenceOther(Int)
    /// A load or store of the plain data that the lock guards: the thread must know the newest value.
    case guardedLoad(Location)
    case guardedStore(Location, Int)
    /// `FUTEX_WAIT`: sleeps if the location has that value.
    case sleep(Location, Int)
    /// `FUTEX_WAKE`: wakes a thread; the result is the number of woken threads.
    case wake
    /// A claim that is false here.
    case failure(String)
}

struct Message {
    var value: Int
    var view: View
    /// No message may come between this one and the previous one, which it has replaced.
    var isUpdate: Bool
}

/// The point where a program continues. The program defines the meaning of the numbers.
struct Point {
    var label: UInt8
    var round: UInt8 = 0
    var isWaiter = false
    var word = 0
}

struct ThreadState {
    var point: Point
    var results: [Int] = []
    var view = View()
    var acquirable = View()
    var released = View()
    var isAsleep = false
    var hasEnded = false
}

/// A run of a program from its point: repeats the earlier results, then stops at the next operation.
struct Run {
    let thread: Int
    let threadCount: Int
    fileprivate let results: [Int]
    fileprivate var next = 0

    fileprivate init(_ thread: Int, of threadCount: Int, results: [Int]) {
        self.thread = thread
        self.threadCount = threadCount
        self.results = results
    }

    @discardableResult
    mutating func perform(_ operation: Operation) throws(Operation) -> Int {
        guard next < results.count else { throw operation }
        defer { next += 1 }
        return results[next]
    }

    mutating func load(_ location: Location, _ order: Order) throws(Operation) -> Int {
        try perform(.load(location, order))
    }
    mutating func store(_ location: Location, _ value: Int, _ order: Order) throws(Operation) {
        try perform(.store(location, value, order))
    }
    mutating func exchange(_ location: Location, _ old: Int, _ new: Int, _ order: Order) throws(Operation) -> Bool {
        try perform(.exchange(location, expected: old, new: new, order)) == 1
    }
    @discardableResult
    mutating func update(_ location: Location, _ body: @escaping (Int) -> Int) throws(Operation) -> Int {
        try perform(.update(location, .sequential, body))
    }
    mutating func fence(_ order: Order) throws(Operation) { try perform(.fence(order)) }
    func check(_ holds: Bool, _ claim: @autoclosure () -> String) throws(Operation) {
        if !holds { throw .failure(claim()) }
    }
}

/// Programs that run at the same time.
protocol Programs {
    var initialValues: [Int] { get }

    /// Runs a thread from one point to the next; returns `nil` at its end.
    func advance(_ run: inout Run, from point: Point) throws(Operation) -> Point?

    /// The violation, given the newest values, once all threads have ended; `nil` if there is none.
    func flaw(in values: [Int]) -> String?
}

struct State {
    var threads: [ThreadState]
    var memory: [[Message]]
    /// The view of all sequentially consistent fences and accesses.
    var fenced = View()
    var sequential = View()
}

/// The result of an exploration.
struct Exploration {
    var states = 0
    /// The violation, with the operations before it, oldest first.
    var failure: (claim: String, steps: [String])?
}

struct Explorer<Explored: Programs> {
    let programs: Explored
    /// Whether each thread sees at any moment the writes of all: only interleavings, which is sufficient for many
    /// threads.
    let isStrong: Bool

    /// An operation, and those before it.
    private final class Trace {
        let thread: Int
        /// `nil` where the thread ends.
        let operation: Operation?
        let result: Int?
        let earlier: Trace?

        init(_ thread: Int, _ operation: Operation?, _ result: Int?, after earlier: Trace?) {
            self.thread = thread
            self.operation = operation
            self.result = result
            self.earlier = earlier
        }

        var steps: [String] {
            var steps: [String] = []
            var next: Trace? = self
            while let trace = next {
                let operation = trace.operation.map { "\($0)" } ?? "ends"
                steps.append("thread \(trace.thread): \(operation)\(trace.result.map { " = \($0)" } ?? "")")
                next = trace.earlier
            }
            return steps.reversed()
        }
    }

    /// Two hashes of a state. Two states with equal hashes are as unlikely as a flipped bit.
    private struct Fingerprint: Hashable {
        private var first: UInt64 = 0x9E37_79B9_7F4A_7C15
        private var second: UInt64 = 0xC2B2_AE3D_27D4_EB4F

        private mutating func mix(_ word: UInt64) {
            first = (first ^ word) &* 0x0000_0100_0000_01B3
            first ^= first >> 29
            second = (second &+ word) &* 0xFF51_AFD7_ED55_8CCD
            second ^= second >> 33
        }

        private mutating func mix(_ view: View) {
            let words = unsafeBitCast(view, to: SIMD2<UInt64>.self)
            mix(words[0])
            mix(words[1])
        }

        init(_ state: State) {
            for thread in state.threads {
                let point = thread.point
                mix(UInt64(point.label) &+ UInt64(point.round) << 8)
                mix((point.isWaiter ? 1 : 0) &+ (thread.isAsleep ? 2 : 0) &+ (thread.hasEnded ? 4 : 0) as UInt64)
                mix(UInt64(point.word))
                for result in thread.results { mix(UInt64(result)) }
                mix(.max)
                mix(thread.view)
                mix(thread.acquirable)
                mix(thread.released)
            }
            for messages in state.memory {
                for message in messages {
                    mix(UInt64(message.value) << 1 | (message.isUpdate ? 1 : 0))
                    mix(message.view)
                }
                mix(.max)
            }
            mix(state.fenced)
            mix(state.sequential)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(first) }
    }

    /// Visits every state that can be reached, or stops at the first failure.
    func explore(from points: [Point]) -> Exploration {
        var result = Exploration()
        let memory = programs.initialValues.map { [Message(value: $0, view: View(), isUpdate: false)] }
        let initial = State(threads: points.map { ThreadState(point: $0) }, memory: memory)
        var visited: Set<Fingerprint> = [Fingerprint(initial)]
        var pending: [(State, Trace?)] = [(initial, nil)]
        while let (state, trace) = pending.popLast() {
            result.states += 1
            var isStuck = true
            for index in state.threads.indices where !state.threads[index].hasEnded && !state.threads[index].isAsleep {
                isStuck = false
                let (operation, advanced) = advance(index, in: state)
                guard let operation else {
                    let next = isStrong ? advanced.withNewestMessages() : advanced.withoutOldMessages()
                    if visited.insert(Fingerprint(next)).inserted {
                        pending.append((next, Trace(index, nil, nil, after: trace)))
                    }
                    continue
                }
                var failure: String?
                advanced.outcomes(of: operation, by: index, failure: &failure) { next, result in
                    let next = isStrong ? next.withNewestMessages() : next.withoutOldMessages()
                    if visited.insert(Fingerprint(next)).inserted {
                        pending.append((next, Trace(index, operation, result, after: trace)))
                    }
                }
                if let failure {
                    result.failure = (failure, Trace(index, operation, nil, after: trace).steps)
                    return result
                }
            }
            if isStuck {
                let claim =
                    state.threads.contains { !$0.hasEnded }
                    ? "a thread sleeps forever" : programs.flaw(in: state.memory.map { $0.last!.value })
                if let claim {
                    result.failure = (claim, trace?.steps ?? [])
                    return result
                }
            }
        }
        return result
    }

    /// Runs a thread up to its next operation; `nil` at its end.
    private func advance(_ index: Int, in state: State) -> (Operation?, State) {
        var state = state
        while true {
            let thread = state.threads[index]
            var run = Run(index, of: state.threads.count, results: thread.results)
            do throws(Operation) {
                guard let point = try programs.advance(&run, from: thread.point) else {
                    // The kernel's part of the end of a wait passes a full fence.
                    state.fence(index, .sequential)
                    state.threads[index] = ThreadState(point: thread.point, hasEnded: true)
                    return (nil, state)
                }
                state.threads[index].point = point
                state.threads[index].results = []
            } catch {
                // These concern only the thread, so the order with other threads' operations makes no difference.
                guard case .fence(let order) = error, order != .sequential else { return (error, state) }
                state.fence(index, order)
                state.threads[index].results.append(0)
            }
        }
    }
}

extension State {
    /// Calls `body` with each possible state after the operation, and its result.
    fileprivate func outcomes(
        of operation: Operation, by index: Int, failure: inout String?, _ body: (State, Int) -> Void
    ) {
        func finish(_ state: State, _ result: Int) {
            var state = state
            state.threads[index].results.append(result)
            body(state, result)
        }
        switch operation {
        case .failure(let claim):
            failure = claim
        case .load(let location, let order):
            let l = location.index
            var oldest = Int(threads[index].view[l])
            if order == .sequential { oldest = max(oldest, Int(sequential[l])) }
            for time in oldest..<memory[l].count {
                var next = self
                next.read(l, at: time, by: index, order)
                finish(next, memory[l][time].value)
            }
        case .store(let location, let value, let order):
            let l = location.index
            for time in Int(threads[index].view[l]) + 1...memory[l].count {
                if time < memory[l].count, memory[l][time].isUpdate { continue }
                var next = self
                next.insert(value, into: l, at: time, by: index, order, carrying: View(), isUpdate: false)
                finish(next, 0)
            }
        case .exchange(let location, let expected, let new, let order):
            let l = location.index
            let newest = memory[l].count - 1
            var next = self
            next.read(l, at: newest, by: index, order)
            if memory[l][newest].value == expected {
                let carried = memory[l][newest].view
                next.insert(new, into: l, at: newest + 1, by: index, order, carrying: carried, isUpdate: true)
                finish(next, 1)
            } else {
                finish(next, 0)
            }
        case .update(let location, let order, let change):
            let l = location.index
            let newest = memory[l].count - 1
            let old = memory[l][newest]
            var next = self
            next.read(l, at: newest, by: index, order)
            next.insert(
                change(old.value), into: l, at: newest + 1, by: index, order, carrying: old.view, isUpdate: true)
            finish(next, old.value)
        case .fence(let order):
            var next = self
            next.fence(index, order)
            finish(next, 0)
        case .fenceOther(let others):
            for other in threads.indices where others & (1 << other) != 0 {
                var next = self
                next.fence(other, .sequential)
                finish(next, other)
            }
        case .guardedLoad(let location):
            let newest = memory[location.index].count - 1
            if Int(threads[index].view[location.index]) != newest { failure = "a holder sees an old value" }
            finish(self, memory[location.index][newest].value)
        case .guardedStore(let location, let value):
            let l = location.index
            if Int(threads[index].view[l]) != memory[l].count - 1 { failure = "two threads hold the lock" }
            var next = self
            next.insert(value, into: l, at: memory[l].count, by: index, .relaxed, carrying: View(), isUpdate: false)
            finish(next, 0)
        case .sleep(let location, let value):
            let l = location.index
            var fenced = self
            fenced.fence(index, .sequential)
            for time in Int(fenced.threads[index].view[l])..<memory[l].count {
                var next = fenced
                next.read(l, at: time, by: index, .relaxed)
                next.threads[index].isAsleep = memory[l][time].value == value
                finish(next, 0)
            }
        case .wake:
            var fenced = self
            fenced.fence(index, .sequential)
            let sleepers = threads.indices.filter { threads[$0].isAsleep }
            for sleeper in sleepers {
                var next = fenced
                next.threads[sleeper].isAsleep = false
                next.fence(sleeper, .sequential)
                finish(next, 1)
            }
            if sleepers.isEmpty { finish(fenced, 0) }
        }
    }

    private mutating func read(_ l: Int, at time: Int, by index: Int, _ order: Order) {
        var message = memory[l][time].view
        message[l] = UInt8(time)
        threads[index].view[l] = max(threads[index].view[l], UInt8(time))
        threads[index].acquirable.join(message)
        if order == .acquire || order == .sequential { threads[index].view.join(message) }
        threads[index].acquirable.join(threads[index].view)
        if order == .sequential { sequential[l] = max(sequential[l], UInt8(time)) }
    }

    private mutating func insert(
        _ value: Int, into l: Int, at time: Int, by index: Int, _ order: Order, carrying carried: View, isUpdate: Bool
    ) {
        if time < memory[l].count {
            func shift(_ view: inout View) { if Int(view[l]) >= time { view[l] += 1 } }
            for other in threads.indices {
                shift(&threads[other].view)
                shift(&threads[other].acquirable)
                shift(&threads[other].released)
            }
            shift(&fenced)
            shift(&sequential)
            for location in memory.indices {
                for message in memory[location].indices { shift(&memory[location][message].view) }
            }
        }
        threads[index].view[l] = UInt8(time)
        threads[index].acquirable[l] = max(threads[index].acquirable[l], UInt8(time))
        let releases = order == .release || order == .sequential
        var view = releases ? threads[index].view : threads[index].released
        view.join(carried)
        view[l] = UInt8(time)
        memory[l].insert(Message(value: value, view: view, isUpdate: isUpdate), at: time)
        if order == .sequential { sequential[l] = max(sequential[l], UInt8(time)) }
    }

    fileprivate mutating func fence(_ index: Int, _ order: Order) {
        if threads[index].hasEnded { return }
        if order != .release { threads[index].view.join(threads[index].acquirable) }
        if order == .sequential {
            fenced.join(threads[index].view)
            threads[index].view = fenced
            threads[index].acquirable.join(fenced)
        }
        if order != .acquire { threads[index].released = threads[index].view }
    }

    /// The same state as all threads see it in strong memory.
    fileprivate func withNewestMessages() -> State {
        var state = self
        for index in threads.indices {
            state.threads[index].view = View()
            state.threads[index].acquirable = View()
            state.threads[index].released = View()
        }
        for l in memory.indices {
            state.memory[l] = [Message(value: memory[l].last!.value, view: View(), isUpdate: false)]
        }
        state.fenced = View()
        state.sequential = View()
        return state
    }

    /// The same state without messages that no thread can read any more.
    fileprivate func withoutOldMessages() -> State {
        var oldest = View(repeating: .max)
        for thread in threads where !thread.hasEnded { oldest = pointwiseMin(oldest, thread.view) }
        for l in memory.indices { oldest[l] = min(oldest[l], UInt8(memory[l].count - 1)) }
        for l in memory.count..<View.scalarCount { oldest[l] = 0 }
        guard oldest != View() else { return self }
        func renumber(_ view: inout View) { view = pointwiseMax(view, oldest) &- oldest }
        var state = self
        for index in threads.indices where !threads[index].hasEnded {
            renumber(&state.threads[index].view)
            renumber(&state.threads[index].acquirable)
            renumber(&state.threads[index].released)
        }
        renumber(&state.fenced)
        renumber(&state.sequential)
        for l in memory.indices {
            state.memory[l].removeFirst(Int(oldest[l]))
            for message in state.memory[l].indices { renumber(&state.memory[l][message].view) }
            state.memory[l][0].isUpdate = false
        }
        return state
    }
}
