// What all programs for the engine share.
//
// A program is a class: an object of it is created for each execution, in the explored graph, and released afterwards.
// Its threads use the library as any code would. The graph stays the same, and its lock is set back, so that each
// execution begins alike.

import CExplorer
import CReactive
import Reactive

/// A small program with threads.
class Program {
    required init() {}
    /// The body of a thread.
    func run(_ thread: Int) {}
    /// Checks the state after all threads have ended.
    func check() {}
}

/// Ends the process with the schedule that led here, unless a claim is true.
func expect(_ condition: Bool, _ claim: StaticString) {
    guard !condition else { return }
    claim.withUTF8Buffer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { explorer_fail($0.baseAddress!) }
    }
}

/// Takes its time: other threads may run here.
func pause(_ points: Int = 1) {
    for _ in 0..<points { explored_pass() }
}

// MARK: - Objects that must be freed

private struct Weak {
    weak var object: AnyObject?
}

// Explored threads run one at a time, and what one has written is visible to the next. This holds for all variables of
// programs.
nonisolated(unsafe) private var tracked: [Weak] = []

/// Checks at the end of the execution that an object has been freed.
func tracked<Object: AnyObject>(_ object: Object) -> Object {
    tracked.append(Weak(object: object))
    return object
}

// MARK: - Communication between threads

/// A number that threads wait for.
struct Counter {
    /// Never freed: the explorer knows locations by their address.
    nonisolated(unsafe) private static let storage = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)

    init() {
        Counter.storage.pointee = 0
        explorer_name(Counter.storage, "counter")
    }

    var value: UInt64 { explored_load(Counter.storage, 8) }
    func increment() { _ = explored_change(Counter.storage, 8, EXPLORED_ADD, 1, 0) }
}

/// Closures that threads leave for another one. There is one queue in a program.
final class Queue: @unchecked Sendable {
    private var closures: [@Sendable () -> Void] = []
    private var writers: Int
    private let changes = Counter()

    /// - Parameter writers: The number of threads that leave closures.
    init(writers: Int) { self.writers = writers }

    func append(_ closure: @escaping @Sendable () -> Void) {
        closures.append(closure)
        changes.increment()
    }

    /// Called by each writer at its end.
    func close() {
        writers -= 1
        changes.increment()
    }

    /// Makes the jobs of the concurrency runtime closures of this queue.
    func receiveJobs() {
        jobs = self
        explorer_receive_jobs { job in
            nonisolated(unsafe) let job = job
            jobs?.append { explorer_run_job(job) }
        }
    }

    /// Runs the closures that are there, on a thread that prepares or checks.
    func runAll() {
        while !closures.isEmpty { closures.removeFirst()() }
    }

    /// Runs closures until all writers have ended.
    func run() {
        while true {
            _ = changes.value
            if !closures.isEmpty {
                closures.removeFirst()()
            } else if writers == 0 {
                return
            } else {
                explored_wait_for_change()
            }
        }
    }
}

nonisolated(unsafe) private weak var jobs: Queue?

// MARK: - The explored graph

let graph = IndependentGraph(named: "explored")
let otherGraph = IndependentGraph(named: "other")
private let handles = [graph, otherGraph].map { $0.run { GraphHandle.current } }
/// The lock's word before the first execution.
private let firstWord = handles[0].pointer.pointee.lock

nonisolated(unsafe) private var programType: Program.Type = Program.self
nonisolated(unsafe) private var program: Program!

private func prepare() {
    for (handle, name) in zip(handles, ["", "other "]) {
        let state = handle.pointer
        state.pointee.lock = firstWord
        // The explorer keeps the names.
        withUnsafeMutablePointer(to: &state.pointee.lock) { explorer_name($0, strdup(name + "lock")) }
        withUnsafeMutablePointer(to: &state.pointee.waiters) { explorer_name($0, strdup(name + "waiters")) }
    }
    explored_name_variables()
    program = graph.run { programType.init() }
}

private func check() {
    program.check()
    graph.cancelReactions()
    otherGraph.cancelReactions()
    program = nil
    for handle in handles { handle.checkInvariants() }
    expect(tracked.allSatisfy { $0.object == nil }, "an object is not freed")
    tracked = []
}

func explore(
    _ type: Program.Type, named name: String, threads: Int32, _ options: explorer_options
) -> explorer_result {
    programType = type
    // Kept for the rest of the process, as the explorer keeps it.
    let explored = UnsafeMutablePointer<explorer_program>.allocate(capacity: 1)
    explored.initialize(
        to: explorer_program(
            name: strdup(name), threads: threads, prepare: { prepare() }, run: { program.run(Int($0)) },
            check: { check() }))
    return explorer_run(explored, options)
}
