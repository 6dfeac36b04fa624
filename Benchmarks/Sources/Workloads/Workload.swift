// Operations of the modules above the core, each with a version by hand that uses only the core.
//
// `above` times both. `hot-path` counts the instructions and allocations of the module's version.

import Harness
import Reactive

/// An operation in two versions: with a module above the core, and by hand with the core.
package struct Workload {
    /// Performs the operation a number of times, and checks the result.
    package typealias Program = (Int) -> Void

    /// The costs of an operation that are the same in each run and so can have a budget.
    package enum Budget {
        case instructionsAndAllocations
        /// Several threads perform the operation, and the instructions of their waiting differ.
        case allocations
        /// A run loop performs the operation, and allocates now and then.
        case none
    }

    package let name: String
    package let unit: Unit
    package let time: TimeSource
    package let budget: Budget
    /// The number of operations in a sample, and in the shorter of two counted runs.
    package let repetitions: Int
    /// Sets up the core.
    package let byHand: () -> Program
    /// Sets up the module above the core.
    package let ours: () -> Program

    init(
        _ name: String, unit: Unit = .nanosecondsPerOperation, time: TimeSource = .processor,
        budget: Budget = .instructionsAndAllocations, repetitions: Int,
        _ byHand: @escaping () -> Program, ours: @escaping () -> Program
    ) {
        self.name = name
        self.unit = unit
        self.time = time
        self.budget = budget
        self.repetitions = repetitions
        self.byHand = byHand
        self.ours = ours
    }

    /// All workloads, in the order of the table.
    package static var all: [Workload] {
        reactions + hooks + atoms + asynchronousAtoms + sessions + streams + deep + bridges
    }

    /// The row of one side.
    func row(_ setUp: @escaping () -> Program) -> Row {
        Row.repeating(name, unit: unit, time: time, repetitions, setUp)
    }
}

extension Side {
    /// The side with the core alone.
    package static var byHand: Side {
        Side(name: "by hand", rows: Workload.all.map { $0.row($0.byHand) } + [Workload.sessionMemory.byHand])
    }

    /// The side with the modules above the core. Its rows are the rows of the table.
    package static var ours: Side { Side(name: "ours", rows: Row.above) }
}

extension Row {
    /// All rows, in the order of the table.
    package static var above: [Row] { Workload.all.map { $0.row($0.ours) } + [Workload.sessionMemory.ours] }
}

/// Returns a program that keeps an object alive as long as the program exists.
func keeping<Kept>(_ kept: Kept, _ program: @escaping Workload.Program) -> Workload.Program {
    { count in withExtendedLifetime(kept) { program(count) } }
}

/// Returns a program that keeps a reaction running as long as the program exists.
func keeping(_ reaction: Reaction, _ program: @escaping Workload.Program) -> Workload.Program {
    keeping(AnyCancellable(reaction), program)
}
