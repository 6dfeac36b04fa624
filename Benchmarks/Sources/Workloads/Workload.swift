// Operations above the core, each beside the core that does the same by hand.
//
// `above` times both. `hot-path` counts instructions and allocations of ours.

import Harness
import Reactive

/// An operation, as a module above the core performs it, and as the core performs it by hand.
package struct Workload {
    /// Performs the operation a number of times, and checks the result.
    package typealias Program = (Int) -> Void

    /// The costs of an operation that are the same in each run, so that they can have a budget.
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

    /// All of them, in the order of the table.
    package static var all: [Workload] {
        reactions + hooks + atoms + asynchronousAtoms + sessions + streams + deep + bridges
    }

    /// The row of one side.
    func row(_ setUp: @escaping () -> Program) -> Row {
        Row.repeating(name, unit: unit, time: time, repetitions, setUp)
    }
}

extension Side {
    /// The core alone.
    package static var byHand: Side {
        Side(name: "by hand", rows: Workload.all.map { $0.row($0.byHand) } + [Workload.sessionMemory.byHand])
    }

    /// The modules above the core. Its rows are the rows of the table.
    package static var ours: Side { Side(name: "ours", rows: Row.above) }
}

extension Row {
    /// Every row, in the order of the table.
    package static var above: [Row] { Workload.all.map { $0.row($0.ours) } + [Workload.sessionMemory.ours] }
}

/// A program that keeps something alive as long as it exists.
func keeping<Kept>(_ kept: Kept, _ program: @escaping Workload.Program) -> Workload.Program {
    { count in withExtendedLifetime(kept) { program(count) } }
}

/// A program that keeps a reaction running as long as it exists.
func keeping(_ reaction: Reaction, _ program: @escaping Workload.Program) -> Workload.Program {
    keeping(AnyCancellable(reaction), program)
}
