// The module ReactiveCodable, part two: undo, and saving to a file.

import Foundation
import Reactive
import ReactiveCodable

extension Chapter {
    static let historyAndSaving = Chapter(
        "History and saving",
        [
            Sample("Undo and redo") {
                struct Document: Codable { @Observable var title = "Draft" }

                let document = Document()
                let history = History(document)
                document.title = "Essay"
                try history.undo()
                print(document.title, history.canRedo)  // prints "Draft true"
                try history.redo()
                print(document.title, history.canRedo)  // prints "Essay false"
            },
            Sample("A button that knows when it can be pressed") {
                struct Document: Codable { @Observable var title = "Draft" }
                let document = Document()

                let history = History(document)
                let button = autorun { print("undo:", history.canUndo ? "on" : "off") }  // prints "undo: off"
                document.title = "Essay"  // prints "undo: on"
                document.title = "Novel"
                try history.undo()
                try history.undo()  // prints "undo: off"
                button.cancel()
            },
            Sample("A transaction is one step") {
                struct Account: Codable {
                    @Observable var balance = 100
                    @Observable var savings = 0
                }
                let account = Account()
                let history = History(account)
                inTransaction {
                    account.balance -= 20
                    account.savings += 20
                }
                print(history.undoCount)  // prints "1"
                try history.undo()
                print(account.balance, account.savings)  // prints "100 0"
            },
            Sample("Titles for a menu") {
                struct Command: Codable, Equatable {
                    var name = ""
                    var number = 0
                }
                struct Drawing: Codable {
                    @Observable var shapes: [String] = []
                    @Observable var command = Command()
                }
                final class Editor {
                    let drawing = Drawing()
                    let history: History<Drawing>
                    @Observable private var redoNames: [String] = []
                    init() { history = History(drawing) }

                    var undoTitle: String { history.canUndo ? "Undo \(drawing.command.name)" : "Undo" }
                    var redoTitle: String {
                        history.canRedo ? "Redo \(redoNames.dropFirst(history.redoCount - 1).first ?? "")" : "Redo"
                    }
                    func perform(_ name: String, _ change: (Drawing) -> Void) {
                        inTransaction {
                            change(drawing)
                            drawing.command = Command(name: name, number: drawing.command.number + 1)
                        }
                    }
                    func undo() throws {
                        redoNames = redoNames.prefix(history.redoCount) + [drawing.command.name]
                        try history.undo()
                    }
                }
                let editor = Editor()
                let menu = reaction {
                    "\(editor.undoTitle), \(editor.redoTitle)"
                } onChange: {
                    print($0)
                }
                editor.perform("Add Circle") { $0.shapes.append("circle") }  // prints "Undo Add Circle, Redo"
                editor.perform("Add Square") { $0.shapes.append("square") }  // prints "Undo Add Square, Redo"
                try editor.undo()  // prints "Undo Add Circle, Redo Add Square"
                try editor.undo()  // prints "Undo, Redo Add Circle"
                try editor.history.redo()  // prints "Undo Add Circle, Redo Add Square"
                menu.cancel()
            },
            Sample("Typing is one step as well") {
                struct Document: Codable { @Observable var title = "" }
                let document = Document()
                let clock = HandClock()

                let history = History(document, mergeWindow: .seconds(1), clock: clock)
                document.title = "E"
                document.title = "Es"
                history.seal()  // the user has left the field
                document.title = "Essay"
                try history.undo()
                print(document.title)  // prints "Es"
                try history.undo()
                print(document.title.isEmpty)  // prints "true"
            },
            Sample("Loading is no step") {
                struct Document: Codable { @Observable var comments: [String] = [] }
                let document = Document()
                let history = History(document)
                let loaded = ["Well said."]

                history.untracked { document.comments = loaded }
                print(document.comments.count, history.canUndo)  // prints "1 false"
            },
            Sample("Steps as they happen") {
                struct Document: Codable { @Observable var title = "Draft" }
                let document = Document()
                let history = History(document)

                let listener = history.onStep { step in print(step.kind, step.patch) }
                document.title = "Essay"
                // prints:
                // done [{"op":"replace","path":"/title","value":"Essay"}]
                try history.undo()
                // prints:
                // undone [{"op":"replace","path":"/title","value":"Draft"}]
                listener.cancel()
            },
            Sample("In another process") {
                struct Document: Codable { @Observable var title = "Draft" }
                let document = Document()
                let history = History(document)
                document.title = "Essay"

                let data = try JSONEncoder().encode(history.log)
                let log = try JSONDecoder().decode(HistoryLog.self, from: data)
                let copy = Document()
                try log.replay(onto: copy)
                print(copy.title)  // prints "Essay"
                let continued = try History(copy, log: log)
                try continued.undo()
                print(copy.title)  // prints "Draft"
            },
            Sample("A file that follows") {
                let url = temporaryFile()
                defer { try? FileManager.default.removeItem(at: url) }
                struct Document: Codable { @Observable var title = "Draft" }
                let document = Document()

                let saving = autosave(document, to: url)
                document.title = "Essay"  // saved a moment later
                try saving.flush()  // saved now, for instance before the program ends
                print(try String(contentsOf: url, encoding: .utf8))
                // prints:
                // {"title":"Essay"}
                saving.cancel()
            },
            Sample("What is wrong with a file") {
                let url = temporaryFile()
                defer { try? FileManager.default.removeItem(at: url) }
                struct Document: Codable { @Observable var title = "Draft" }

                for text in ["{\"title\": \"Essay\"", "{\"name\": \"Essay\"}"] {
                    try Data(text.utf8).write(to: url)
                    do throws(LoadingError) {
                        print(try load(Document.self, from: url).title)
                    } catch {
                        print(error.description.replacingOccurrences(of: url.path, with: "FILE"))
                    }
                }
                // prints:
                // FILE could not be loaded: invalid JSON at line 1, column 18: expected , or }, found the end.
                // FILE could not be loaded: at the root: the member "title" is missing.
            },
            Sample("A file that people read") {
                let url = temporaryFile()
                defer { try? FileManager.default.removeItem(at: url) }
                struct Document: Codable { @Observable var title = "Draft" }
                let document = Document()

                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                let saving = autosave(document, to: url, encoder: encoder)
                try saving.flush()
                print(try String(contentsOf: url, encoding: .utf8))
                // prints:
                // {
                //   "title" : "Draft"
                // }
                saving.cancel()
            },
            Sample("The first start") {
                let url = temporaryFile()
                defer { try? FileManager.default.removeItem(at: url) }
                struct Document: Codable { @Observable var title = "Draft" }

                func loadedDocument(from url: URL) throws -> Document {
                    do {
                        return try load(Document.self, from: url)
                    } catch {
                        guard error.kind == .noFile else { throw error }
                        return Document()
                    }
                }
                print(try loadedDocument(from: url).title)  // prints "Draft"
                try Data("damaged".utf8).write(to: url)
                do {
                    print(try loadedDocument(from: url).title)
                } catch {
                    print("damaged")  // prints "damaged"
                }
            },
            Sample("An object that owns its autosave") {
                let url = temporaryFile()
                defer { try? FileManager.default.removeItem(at: url) }
                struct Document: Codable { @Observable var title = "Draft" }
                final class Editor {
                    let document = Document()
                    private let saving: Autosave
                    init(savingTo url: URL) { saving = autosave(document, to: url) }
                    deinit {
                        try? saving.flush()
                        saving.cancel()
                    }
                }
                var editor: Editor? = Editor(savingTo: url)
                editor?.document.title = "Essay"
                editor = nil
                print(try load(Document.self, from: url).title)  // prints "Essay"
            },
            Sample("A journal of changes") {
                let url = temporaryFile()
                defer { try? FileManager.default.removeItem(at: url) }
                defer { try? FileManager.default.removeItem(at: url.appendingPathExtension("journal")) }
                struct Document: Codable { @Observable var title = "Draft" }
                let document = Document()

                let saving = autosave(document, to: url, as: .journal)
                try saving.flush()
                document.title = "Essay"
                try saving.flush()
                print(try String(contentsOf: url, encoding: .utf8))
                print(try load(Document.self, from: url).title)
                // prints:
                // {"title":"Draft"}
                // Essay
                saving.cancel()
            },
            Sample("A file that does not load is kept") {
                let url = temporaryFile()
                let aside = URL(fileURLWithPath: url.path + ".damaged-1")
                defer { for file in [url, aside] { try? FileManager.default.removeItem(at: file) } }
                try Data("damaged".utf8).write(to: url)
                struct Document: Codable { @Observable var title = "Draft" }

                let document = (try? load(Document.self, from: url)) ?? Document()
                let saving = autosave(document, to: url) { error in print((error as? SavingError)?.movedAside != nil) }
                try saving.flush()  // prints "true"
                print(try String(contentsOf: aside, encoding: .utf8))  // prints "damaged"
                saving.cancel()
            },
            Sample("Documents of older versions") {
                let url = temporaryFile()
                defer { try? FileManager.default.removeItem(at: url) }
                struct Document: Codable {
                    @Observable var title = "Draft"
                    @Observable var words = 0
                }
                try Data(#"{"name": "Essay"}"#.utf8).write(to: url)

                let migrations: Migrations = [
                    // From version 0 to 1: "name" became "title".
                    { json in
                        let (name, title) = (try JSONPointer("/name"), try JSONPointer("/title"))
                        return try JSONPatch([.move(from: name, path: title)]).applying(to: json)
                    }
                ]
                let document = try load(Document.self, from: url, migrating: migrations)
                let saving = autosave(document, to: url, version: migrations.version)
                print(document.title, document.words)  // prints "Essay 0"
                saving.cancel()
            },
            Sample("Each state as data") {
                struct Document: Codable { @Observable var title = "Draft" }
                let document = Document()

                let observer = encodeOnChange(document, encoder: JSONEncoder()) { result in
                    if case .success(let data) = result { print(String(decoding: data, as: UTF8.self)) }
                }
                document.title = "Essay"
                // prints:
                // {"title":"Essay"}
                observer.cancel()
            },
        ])
}
