// Travel in time: the position of a history, and steps to a different one, on the actor that the history is used on.

import Reactive
import ReactiveCodable
import ReactiveJSON

/// A history that a page steps through.
struct TimeTravel: @unchecked Sendable {
    // Sendable because the closures, which use the history, are called only on the actor.
    /// A position in a history.
    struct Position: Sendable, Equatable {
        /// The number of steps that are done.
        var done: Int
        /// The number of steps, done or undone.
        var count: Int
        /// A number that grows with each change of the steps.
        var version: Int
        /// What each step changed.
        var titles: [String] = []
    }

    private let isolation: (any Actor)?
    private let counts: () -> Position
    private let titles: () -> [String]
    private let step: (_ redoing: Bool) throws -> Void

    init<Root>(in history: History<Root>, on isolation: (any Actor)?) {
        self.isolation = isolation
        counts = {
            Position(
                done: history.undoCount, count: history.undoCount + history.redoCount, version: history.version)
        }
        titles = {
            let log = history.log
            return (log.done + log.undone).map { TimeTravel.title(of: $0.patch) }
        }
        step = { redoing in if redoing { try history.redo() } else { try history.undo() } }
    }

    /// Returns the position, with titles; `nil` if it still is the given one.
    func position(ifNot known: Position?) async -> Position? {
        await TimeTravel.run(on: isolation) {
            var position = counts()
            position.titles = known?.titles ?? []
            if position == known { return nil }
            position.titles = titles()
            return position
        }
    }

    /// Undoes or redoes until so many steps are done. Returns the reason if it is not possible.
    func go(to done: Int) async -> String? {
        await TimeTravel.run(on: isolation) {
            do {
                while counts().done > max(done, 0) { try step(false) }
                while counts().done < min(done, counts().count) { try step(true) }
                return nil
            } catch let error as HistoryError {
                return "\(error)"
            } catch {
                // The error of a patch has paths and values.
                return "The step does not apply, because something that is not recorded has changed the document."
            }
        }
    }

    private static func run<Result: Sendable>(
        on isolation: isolated (any Actor)?, _ body: @Sendable () -> Result
    ) async -> Result { body() }

    /// Returns what a step changed, as in "replace /rows/3/price, and 2 more".
    private static func title(of patch: JSONPatch) -> String {
        guard let first = patch.operations.first else { return "no change" }
        let verb =
            switch first {
            case .add: "add"
            case .remove: "remove"
            case .replace: "replace"
            case .move: "move"
            case .copy: "copy"
            case .test: "test"
            }
        let path = shown(first.path)
        let rest = patch.operations.count - 1
        return "\(verb) \(path.isEmpty ? "the root" : path)" + (rest > 0 ? ", and \(rest) more" : "")
    }

    /// Returns a path as `Diagnostics.describe` shows its components.
    ///
    /// A component may be the key of a dictionary, which is data: a patch does not say. So each component is described
    /// under the name of each component around it. The first description that differs is shown.
    private static func shown(_ path: JSONPointer) -> String {
        let describe = Diagnostics.describe
        let tokens = path.tokens.indices.map { index in
            let token = path.tokens[index]
            let names = index == 0 ? [""] : path.tokens[..<index].reversed()
            return names.lazy.map { describe(token, $0) }.first { $0 != token } ?? token
        }
        return JSONPointer(tokens: tokens).description
    }
}
