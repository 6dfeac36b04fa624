// One cell: an `Observable` that holds what was entered, a `Computed` in it if that is a formula, and an `autorun` that
// notices when the value becomes another.

import Conversation
import Reactive

/// A cell of a sheet.
final class Cell {
    /// Where the cell is.
    let position: Position
    /// What was entered.
    ///
    /// The same text again, or put back before a transaction ends, is no change.
    let input: Observable<Input>
    /// The reaction that notices changes of the value; none until the cell is first filled.
    private(set) var watcher: Reaction?
    /// The value that the watcher saw last.
    private(set) var seen = CellValue.empty
    /// The value that was last reported to the user.
    private(set) var reported = CellValue.empty
    /// The change that was last reported, if any was, and the number of the step that made it.
    private(set) var lastChange: (change: Change, step: Int)?
    /// While an edit of this cell waits for the end of the transaction: what the cell held before.
    var sourceBeforeEdit: String?

    /// Creates an empty cell.
    init(_ position: Position) {
        self.position = position
        input = Observable(.empty, equals: { $0.source == $1.source }, named: position.description)
    }

    deinit { watcher?.cancel() }

    /// The value.
    ///
    /// A formula that reads its own value, through others or not, finds an error there, which makes an error of all on the
    /// loop and behind it.
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

    /// Starts to watch the value, and calls `onChange` whenever a value differs from the one reported last.
    func watch(onChange: @escaping (Cell) -> Void) {
        // The cell owns the reaction and cancels it in `deinit`, so the reaction must not own the cell.
        watcher = autorun(named: "\(position) on display") { [unowned self] in
            let value = value
            guard value != seen else { return }
            if seen == reported { onChange(self) }
            seen = value
        }
    }

    /// Takes what the watcher saw last as known to the user, and returns the change if there is one.
    func report(step: Int) -> Change? {
        defer { reported = seen }
        guard !seen.isShown(like: reported) else { return nil }
        let change = Change(position: position, old: reported, new: seen)
        lastChange = (change, step)
        return change
    }

    /// Takes the current value as the one that the user has known all along.
    func acknowledge() {
        reported = seen
    }

    /// Returns the edit that waited for the end of the transaction, unless it came to nothing.
    func takeEdit() -> Edit? {
        guard let old = sourceBeforeEdit else { return nil }
        sourceBeforeEdit = nil
        let new = untracked { input.value.source }
        return new == old ? nil : Edit(position: position, old: old, new: new)
    }
}

/// A value that became another.
package struct Change: Equatable, CustomStringConvertible {
    package let position: Position
    package let old: CellValue
    package let new: CellValue

    /// The change on one line, such as `B2: 20 → 40`.
    ///
    /// Of errors, only the new one is explained.
    package var description: String {
        let before = if case .error(let error) = old { error.kind.rawValue } else { old.description }
        return "\(position): \(before) → \(new.description)"
    }
}

/// A text that was entered in the place of another.
struct Edit: CustomStringConvertible {
    let position: Position
    let old: String
    let new: String

    /// The edit on one line, such as `B2 = 40 (was 20)`.
    var description: String {
        "\(position) = \(new.onOneLine) (was \(old.isEmpty ? "empty" : old.onOneLine))"
    }
}
