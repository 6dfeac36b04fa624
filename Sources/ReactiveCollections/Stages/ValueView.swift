// Views that reduce to a value: they keep a contribution for each row, and the result of all of them.
//
//     LiveArray ── View<State> ── Computed
//
// The computed reads the state of the view. It compares results, so that an equal one stops propagating.

import Reactive

/// The state of a view that reduces to a value.
@usableFromInline
protocol RowSummary {
    /// The result of the closure for an element.
    associatedtype Contribution
    /// The collector of all contributions while the state is built.
    associatedtype Filler
    /// A mark of the value's inputs: while it stays equal, the computed does not run.
    associatedtype Mark: Equatable

    init()

    var mark: Mark { get }

    /// Returns a filler without contributions.
    static func makeFiller() -> Filler

    /// Adds the contribution of a row while the state is built.
    mutating func add(_ contribution: Contribution, at row: Row, to filler: inout Filler)

    /// Completes building.
    mutating func finish(_ filler: inout Filler)

    /// Sets the contribution of a row that may have one.
    mutating func set(_ contribution: Contribution, at row: Row)

    /// Removes the contribution of a row that may have one.
    mutating func remove(_ row: Row)
}

extension LiveArray {
    /// Creates a view that keeps a contribution for each element.
    ///
    /// - Parameters:
    ///   - type: The type of its state.
    ///   - name: The name in diagnostics.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - contribution: Returns the contribution of an element. Runs tracked, for each element.
    @inlinable @inline(__always)
    func summarized<State: RowSummary>(
        as type: State.Type, named name: String?, fileID: StaticString, line: UInt,
        _ contribution: @escaping (Element) -> State.Contribution
    ) -> View<State> {
        // No test sees this: an order of its own would stay empty.
        View(beside: stage.node, hasOwnOrder: false, named: name, fileID: fileID, line: line, state: State()) {
            [self] view in
            view.follow(stage, log) {
                view.discard(view.state)
                var state = State()
                var filler = State.makeFiller()
                forEachRow { row, element in
                    state.add(view.evaluateFirst(row) { contribution(element) }, at: row, to: &filler)
                    return true
                }
                state.finish(&filler)
                view.state = state
            } update: { changes in
                let mark = view.state.mark
                // Contributions with references are released after the graph is unlocked.
                // No test sees this always hold: it only keeps storage for longer.
                if !_isPOD(State.Contribution.self) { view.discard(view.state) }
                for change in changes {
                    let row = change.row
                    guard ordering.contains(row) else {
                        view.forget(row)
                        view.state.remove(row)
                        continue
                    }
                    if change.reasons == .moved { continue }
                    // No test sees this: the next run of the closure replaces what the last one has read.
                    if change.reasons.contains(.renewed) { view.forget(row) }
                    let new = view.evaluate(row) { contribution(element(row)) }
                    view.state.set(new, at: row)
                }
                // Marks of trivial types are compared here. For other types, the computed compares the result.
                // No test sees this always hold: the computed compares the result.
                // No test sees this never hold: both comparisons agree.
                if !_isPOD(State.Mark.self) || view.state.mark != mark { view.hasChanged = true }
            }
        }
    }
}
