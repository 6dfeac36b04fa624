// One cell: an `Observable` with the entered text, a `Computed` if the text is a formula, and an `autorun` that notices
// changes of the value.

import Conversation
import Reactive

/// A cell of a sheet.
final class Cell {
    /// The position of the cell.
    let position: Position
    /// The entered text and its content.
    ///
    /// Entering the same text again, or restoring it within a transaction, is not a change.
    let input: Observable<Input>
    /// The reaction that notices changes of the value; none until the cell is first filled.
    private(set) var watcher: Reaction?
    /// The value at the last run of the watcher.
    private(set) var seen = CellValue.empty
    /// The value that was last reported to the user.
    private(set) var reported = CellValue.empty
    /// The last reported change and the number of its step.
    private(set) var lastChange: (change: Change, step: Int)?
    /// The previous text while an edit of this cell waits for the end of the transaction.
    var sourceBeforeEdit: String?

    /// Creates an empty cell.
    init(_ position: Position) {
        self.position = position
        input = Observable(.empty, equals: { $0.source == $1.source }, named: position.description)
    }

    deinit { watcher?.cancel() }

    /// The value.
    ///
    /// A formula that reads its own value, directly or indirectly, gets an error. So all cells in the cycle and all
    /// that depend on them have errors.
    var value: CellValue {
        switch input.value.content {
        case .value(let value): return value
        case .formula(_, let computed):
            do {
                return try computed.value
            } catch let cycle as CycleError {
                return .error(CellError(cycle))
            } catch {
                preconditionFailure("internal inconsistency: \(position) threw \(error), which is no cycle")
            }
        }
    }

    /// Whether the value is computed.
    var hasFormula: Bool {
        if case .formula = input.value.content { true } else { false }
    }

    /// Starts to watch the value, and calls `onChange` when it differs from the last reported one.
    func watch(onChange: @escaping (Cell) -> Void) {
        // The cell owns the reaction and cancels it in `deinit`, so the reaction must not own the cell.
        watcher = autorun(named: "\(position) on display") { [unowned self] in
            let value = value
            guard value != seen else { return }
            if seen == reported { onChange(self) }
            seen = value
        }
    }

    /// Marks the watched value as reported, and returns the change if there is one.
    func report(step: Int) -> Change? {
        defer { reported = seen }
        guard !seen.isShown(like: reported) else { return nil }
        let change = Change(position: position, old: reported, new: seen)
        lastChange = (change, step)
        return change
    }

    /// Marks the current value as reported without a change.
    func acknowledge() {
        reported = seen
    }

    /// Returns the edit that waited for the end of the transaction, if the text has changed.
    func takeEdit() -> Edit? {
        guard let old = sourceBeforeEdit else { return nil }
        sourceBeforeEdit = nil
        let new = untracked { input.value.source }
        return new == old ? nil : Edit(position: position, old: old, new: new)
    }
}

/// A change of a value.
package struct Change: Equatable, CustomStringConvertible {
    package let position: Position
    package let old: CellValue
    package let new: CellValue

    /// The change on one line, such as `B2: 20 → 40`.
    ///
    /// Only the new value's error is explained.
    package var description: String {
        let before = if case .error(let error) = old { error.kind.rawValue } else { old.description }
        return "\(position): \(before) → \(new.description)"
    }
}

/// A replacement of an entered text.
struct Edit: CustomStringConvertible {
    let position: Position
    let old: String
    let new: String

    /// The edit on one line, such as `B2 = 40 (was 20)`.
    var description: String {
        "\(position) = \(new.onOneLine) (was \(old.isEmpty ? "empty" : old.onOneLine))"
    }
}
