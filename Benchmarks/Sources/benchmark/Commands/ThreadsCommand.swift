// `benchmark threads`: the costs of two threads for each other, and their fairness.

import ArgumentParser
import CLimit
import Foundation
import Reactive

struct ThreadsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "threads",
        abstract:
            "Prints what two threads with state of their own lose to each other, and how contended transactions share.",
        discussion: """
            Losses compare processor time for each operation, on two threads at once and on one alone. Waiting \
            compares real time, which also contains what other programs do to the machine.
            """)

    @Option(help: "Samples; the least counts.")
    var samples = 25

    @Option(help: "How long threads contend for transactions, in milliseconds.")
    var milliseconds = 1000

    func validate() throws {
        if samples < 1 { throw ValidationError("--samples must be at least 1, not \(samples).") }
        if milliseconds < 1 { throw ValidationError("--milliseconds must be at least 1, not \(milliseconds).") }
    }

    func run() {
        print("reads of disjoint state: processor time for each, and what the second thread adds")
        for read in DisjointRead.all {
            let (alone, together) = read.measure(samples: samples)
            print(
                String(
                    format: "%@  1 thread %.2f ns  2 threads %.2f ns  loss %+.0f %%",
                    read.name.padding(toLength: 28, withPad: " ", startingAt: 0), alone, together,
                    (together / alone - 1) * 100))
        }
        print("\nwrites that run a computed and an autorun, each thread with state of its own, for \(milliseconds) ms")
        for hasOwnGraphs in [false, true] {
            let alone = throughput(threads: 1, hasOwnGraphs: hasOwnGraphs, milliseconds: milliseconds)
            let both = throughput(threads: 2, hasOwnGraphs: hasOwnGraphs, milliseconds: milliseconds)
            print(
                String(
                    format: "%@  1 thread %.0f a millisecond  2 threads %.0f  ratio %.2f",
                    (hasOwnGraphs ? "a graph for each thread" : "one graph").padding(
                        toLength: 24, withPad: " ", startingAt: 0), alone, both, both / alone))
        }
        let alone = contend(threads: 1, milliseconds: milliseconds)
        let both = contend(threads: 2, milliseconds: milliseconds)
        print("\ntransactions of two writes to the same state, for \(milliseconds) ms")
        for (name, result) in [("1 thread", alone), ("2 threads", both)] { print("\(name)  \(result)") }
    }
}

// MARK: - Disjoint reads

/// A kind of read of state that no other thread uses.
private struct DisjointRead: Sendable {
    static let count = 2_000_000
    static let all = [
        // The slowdown of two threads by the machine itself: its processors may share more than memory.
        DisjointRead(name: "for comparison: a property") {
            let state = Plain()
            return { for _ in 0..<count { measure_sink(Int64(state.number)) } }
        },
        DisjointRead(name: "untracked read") {
            let state = Observable(1)
            return { for _ in 0..<count { measure_sink(Int64(state.value)) } }
        },
        DisjointRead(name: "untracked read of a String") {
            let state = Observable("text")
            return { for _ in 0..<count { measure_sink(Int64(state.value.utf8.count)) } }
        },
        DisjointRead(name: "untracked computed read") {
            let state = Observable(1)
            let copy = Computed { state.value }
            _ = copy.value
            return { for _ in 0..<count { measure_sink(Int64(copy.value)) } }
        },
    ]

    let name: String
    /// Creates state for a thread. Returns a closure with `count` reads of it.
    let make: @Sendable () -> () -> Void

    /// Returns the nanoseconds of processor time of a read, on one thread alone and on the slower of two concurrent
    /// threads.
    func measure(samples: Int) -> (alone: Double, together: Double) {
        let pairs = (0..<samples).map { _ in (sample(threads: 1), sample(threads: 2)) }
        return (pairs.map(\.0).min() ?? 0, pairs.map(\.1).min() ?? 0)
    }

    private func sample(threads: Int) -> Double {
        let make = make
        let start = Barrier(threads)
        let times = inParallel(threads) { _ in
            let read = make()
            read()
            start.wait()
            let begin = measure_now()
            read()
            return (measure_now() - begin) * 1e6 / Double(DisjointRead.count)
        }
        return times.max() ?? 0
    }
}

/// A number that is not observable.
private final class Plain {
    var number = 1
}

// MARK: - Disjoint writes

/// Returns the writes of all threads per millisecond of real time. Each write runs a computed and an autorun.
private func throughput(threads: Int, hasOwnGraphs: Bool, milliseconds: Int) -> Double {
    let start = Barrier(threads)
    let counts = inParallel(threads) { _ in
        let graph = hasOwnGraphs ? IndependentGraph() : nil
        let make = { () -> (Observable<Int>, Reaction) in
            let state = Observable(0)
            let next = Computed { state.value + 1 }
            return (state, autorun { measure_sink(Int64(next.value)) })
        }
        let (state, reaction) = graph?.run(make) ?? make()
        start.wait()
        let end = DispatchTime.now().uptimeNanoseconds + UInt64(milliseconds) * 1_000_000
        var count = 0
        while DispatchTime.now().uptimeNanoseconds < end {
            for _ in 0..<100 {
                count += 1
                state.value = count
            }
        }
        reaction.cancel()
        return count
    }
    return Double(counts.reduce(0, +)) / Double(milliseconds)
}

// MARK: - Contended transactions

/// The shares of threads that wrote the same state at the same time.
private struct Contention: CustomStringConvertible {
    /// The transactions of each thread.
    let counts: [Int]
    /// The longest wait of each thread for the start of a transaction, in milliseconds.
    let longestWaits: [Double]
    let milliseconds: Int

    var description: String {
        let total = counts.reduce(0, +)
        let shares = counts.map { String(format: "%.1f %%", Double($0) * 100 / Double(max(1, total))) }
        let waits = longestWaits.map { String(format: "%.3f ms", $0) }
        return "\(total / milliseconds) transactions a millisecond, shares \(shares.joined(separator: " and ")), "
            + "longest wait \(waits.joined(separator: " and "))"
    }
}

private func contend(threads: Int, milliseconds: Int) -> Contention {
    let first = Observable(0)
    let second = Observable(0)
    let start = Barrier(threads)
    let results = inParallel(threads) { _ -> (count: Int, longest: UInt64) in
        start.wait()
        let end = DispatchTime.now().uptimeNanoseconds + UInt64(milliseconds) * 1_000_000
        var (count, longest, now) = (0, UInt64(0), DispatchTime.now().uptimeNanoseconds)
        while now < end {
            inTransaction {
                longest = max(longest, DispatchTime.now().uptimeNanoseconds - now)
                first.value += 1
                second.value += 1
            }
            count += 1
            now = DispatchTime.now().uptimeNanoseconds
        }
        return (count, longest)
    }
    precondition(first.value == results.reduce(0) { $0 + $1.count }, "a transaction was lost")
    return Contention(
        counts: results.map(\.count), longestWaits: results.map { Double($0.longest) / 1e6 },
        milliseconds: milliseconds)
}

// MARK: - Threads

/// Runs `body` concurrently on a number of threads. Returns the results in the order of the threads' numbers.
private func inParallel<Result: Sendable>(_ threads: Int, _ body: @escaping @Sendable (Int) -> Result) -> [Result] {
    let results = Results<Result>(threads)
    let group = DispatchGroup()
    for index in 0..<threads {
        group.enter()
        Thread {
            results.set(index, body(index))
            group.leave()
        }.start()
    }
    group.wait()
    return results.all
}

/// The results of threads. Unchecked `Sendable`, because the lock guards them.
private final class Results<Element>: @unchecked Sendable {
    private let lock = NSLock()
    private var elements: [Element?]

    init(_ count: Int) { elements = Array(repeating: nil, count: count) }

    func set(_ index: Int, _ element: Element) { lock.withLock { elements[index] = element } }

    var all: [Element] { lock.withLock { elements.compactMap { $0 } } }
}

/// Blocks threads until a number of them have arrived. Unchecked `Sendable`, because the condition guards it.
private final class Barrier: @unchecked Sendable {
    private let condition = NSCondition()
    private var missing: Int

    init(_ threads: Int) { missing = threads }

    func wait() {
        condition.lock()
        defer { condition.unlock() }
        missing -= 1
        if missing == 0 { condition.broadcast() }
        while missing > 0 { condition.wait() }
    }
}
