// `deepObserve(_:of:)`: the closure gets the owner, which is not kept alive, even if it is the root.

import Reactive
import ReactiveCodable
import Testing
import TestSupport

private struct Notes: Codable {
    @Observable var texts = ["milk"]
}

private final class Notebook: Codable {
    @Observable var title = "shopping"
    let notes = Notes()
    var log: [String] = []

    private enum CodingKeys: CodingKey { case title, notes }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(_title, forKey: .title)
        try container.encode(notes, forKey: .notes)
    }
}

private actor Clerk {
    private(set) var log: [String] = []

    func follow(_ notes: Notes) {
        deepObserve(notes, of: self) { me in me.log.append("changed") }
        deepObserve(notes, of: self) { me, changes in
            me.assertIsolated()
            me.log += changes.map { "\($0.pointer)" }
        }
    }
}

extension ReactiveCodableTests {
    @Suite(.inDefaultGraph) struct DeepObserveOwnerTests {
        @Test func theClosureGetsTheOwner() {
            let notes = Notes()
            let notebook = Notebook()
            let reactions = [
                deepObserve(notes, of: notebook) { $0.log.append("changed") },
                deepObserve(notes, of: notebook) { me, changes in me.log += changes.map { "\($0.pointer)" } },
            ]
            notes.texts.append("bread")
            #expect(notebook.log == ["changed", "/texts/1"] || notebook.log == ["changed", "/texts"])
            reactions.forEach { $0.cancel() }
        }

        @Test func theOwnerIsNotKeptAliveAndTheReactionEndsWithIt() {
            let notes = Notes()
            let reaction: Reaction
            weak var gone: Notebook?
            do {
                let notebook = Notebook()
                gone = notebook
                reaction = deepObserve(notes, of: notebook) { _ in Issue.record("called without its owner") }
            }
            #expect(gone == nil)
            notes.texts = []
            #expect(reaction.isCancelled)
        }

        @Test func theOwnerMayBeTheRoot() {
            let reaction: Reaction
            let notes: Notes
            weak var gone: Notebook?
            do {
                let notebook = Notebook()
                (gone, notes) = (notebook, notebook.notes)
                reaction = deepObserve(notebook, of: notebook) { me, changes in
                    me.log += changes.map { "\($0.pointer)" }
                }
                notebook.title = "travel"
                notes.texts = ["tickets"]
                #expect(notebook.log == ["/title", "/notes/texts"])
            }
            #expect(gone == nil)
            notes.texts = []
            #expect(reaction.isCancelled)
        }

        @Test func anActorGetsItselfIsolated() async {
            let notes = Notes()
            let clerk = Clerk()
            await clerk.follow(notes)
            notes.texts = ["tea"]
            await eventually { await clerk.log.count == 2 }
            #expect(await clerk.log.sorted() == ["/texts", "changed"])
        }
    }
}
