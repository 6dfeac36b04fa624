// A session with an outline: it reads commands and prints lines of text. A person, a pipe and a test use the same type.
//
// The commands only write to the state. `deepObserve` reports the changes of each transaction, which are printed.
// `History` can undo them. `autosave` writes the file. No edit calls any of these, and none of them depends on the
// command.

import Conversation
import Foundation
import Reactive
import ReactiveCodable
import ReactiveInspector

/// A session with an outline.
@MainActor
package final class Session {
    private let outline: Outline
    private let file: OutlineFile?
    private let history: History<Outline>
    private let nextLine: () -> String?
    private let print: (String) -> Void

    private var page: Page
    private var showsPatches = false
    /// Whether the outline has changed since the current command began.
    private var hasChanged = false

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - outline: The outline.
    ///   - file: The file of the outline, if it has one.
    ///   - nextLine: Returns the next line of input; `nil` ends the session.
    ///   - print: Called with each line of output, including errors of commands.
    package init(
        outline: Outline, file: OutlineFile? = nil, reading nextLine: @escaping () -> String?,
        writing print: @escaping (String) -> Void
    ) {
        self.outline = outline
        self.file = file
        self.nextLine = nextLine
        self.print = print
        history = History(outline, limit: HistoryLimit(entries: .max))
        page = Page(showing: outline)
    }

    /// An inspector of the state, which also undoes and redoes changes.
    package var inspector: Inspector { Diagnostics.inspector(titled: "Outline", history: history) }

    /// Runs commands until the input ends or a command is `quit`.
    ///
    /// - Parameter isShared: Whether others use the main actor while the session waits for a command, as the inspector
    ///   does to undo a change.
    package func run(isShared: Bool = false) async {
        let observation = deepObserve(outline, named: "page") { [unowned self] changes in tell(changes) }
        defer { observation.cancel() }
        // Reactions run in the order of their creation: a change is printed before it is saved.
        file?.follow()
        while let line = isShared ? await nextLineElsewhere() : nextLine() {
            if let command = command(line) {
                if command == .quit { return }
                hasChanged = false
                perform(command)
                if case .edit = command, !hasChanged { print("nothing has changed") }
            }
            if let problem = file?.newProblem() { print(problem) }
        }
    }

    /// Waits for the next line on a thread of its own.
    private func nextLineElsewhere() async -> String? {
        // Used by one thread at a time: nothing else reads lines until this returns.
        nonisolated(unsafe) let nextLine = nextLine
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: nextLine()) }
        }
    }

    /// Prints the changes of a transaction: an edit, `begin` … `commit`, an `undo`, or a step of the inspector.
    private func tell(_ changes: DeepChanges) {
        hasChanged = true
        do {
            let patch = try changes.jsonPatch()
            page.update(to: outline, after: patch).forEach(print)
            if showsPatches { print("\(patch)") }
        } catch {
            print("the change cannot be shown: \(error)")
        }
    }

    /// Parses a command. Prints an error if the line is not a command.
    private func command(_ line: String) -> Command? {
        do throws(CommandError) {
            return try Command.read(line)
        } catch {
            print(error.description)
            return nil
        }
    }

    private func perform(_ command: Command) {
        switch command {
        case .edit(let edit): perform(edit)
        case .undo: travel(history.canUndo, "undo", history.undo)
        case .redo: travel(history.canRedo, "redo", history.redo)
        case .begin: transaction()
        case .commit, .rollback: print("no transaction is open; begin opens one")
        case .show(let number): show(number)
        case .patch(let isOn): showsPatches = isOn
        case .save: save()
        case .help: print(Command.summary)
        case .quit: break
        }
    }

    private func perform(_ edit: Command.Edit) {
        do throws(EditError) {
            switch edit {
            case .add(let title, let parent): try outline.add(title, to: parent)
            case .rename(let number, let title): try outline.rename(number, to: title)
            case .mark(let number, let isDone): try outline.mark(number, isDone: isDone)
            case .move(let number, let destination): try outline.move(number, destination)
            case .delete(let number): try outline.delete(number)
            }
        } catch {
            hasChanged = true
            print(error.description)
        }
    }

    private func travel(_ canTravel: Bool, _ verb: String, _ travel: () throws -> Void) {
        guard canTravel else { return print("there is nothing to \(verb)") }
        do {
            try travel()
        } catch {
            print("cannot \(verb): \(error)")
        }
    }

    private func show(_ number: ItemNumber?) {
        do throws(EditError) {
            if let number {
                Page.lines(of: try outline.item(at: number), number).forEach(print)
            } else if outline.items.isEmpty {
                print("the outline is empty; add TITLE adds an item")
            } else {
                Page.lines(of: outline.items, below: .top).forEach(print)
            }
        } catch {
            print(error.description)
        }
    }

    private func save() {
        guard let file else { return print("there is no file; start with Outline FILE.json to save the outline") }
        do throws(FileError) {
            try file.save()
            print("saved \(file.path)")
        } catch {
            print(error.description)
        }
    }

    /// Saves unsaved changes.
    private func saveChanges() {
        do throws(FileError) {
            try file?.saveChanges()
        } catch {
            print(error.description)
        }
    }

    // MARK: - Transactions

    /// The reason why a transaction is rolled back.
    private enum Rollback: Error {
        case asked
        case inputEnded
    }

    /// Runs commands as one transaction, up to `commit` or `rollback`.
    ///
    /// The transaction is a call of `inTransaction` whose closure reads the lines. `commit` returns from the closure;
    /// everything else throws.
    private func transaction() {
        // Saving must not read the state during the transaction. So earlier changes are saved first.
        saveChanges()
        do throws(Rollback) {
            try inTransaction { () throws(Rollback) in try performUntilCommit() }
        } catch {
            switch error {
            case .asked: print("rolled back")
            case .inputEnded: print("rolled back: the input ended without commit")
            }
        }
    }

    private func performUntilCommit() throws(Rollback) {
        while let line = nextLine() {
            guard let command = command(line) else { continue }
            switch command {
            case .commit: return
            case .rollback: throw .asked
            case .begin: print("a transaction is open already; commit or rollback ends it")
            case .undo, .redo, .save, .quit: print("a transaction is open; commit or rollback ends it")
            case .edit, .show, .patch, .help: perform(command)
            }
        }
        throw .inputEnded
    }
}
