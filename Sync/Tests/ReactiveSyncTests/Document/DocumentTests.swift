// Examples of edits, differences, translation and entries.

import Foundation
import ReactiveCodable
import Testing

@testable import ReactiveSync

private let board: JSONValue = [
    "title": "Board",
    "columns": [
        ["id": "todo", "title": "To do", "cards": [["id": 1, "note": "Buy milk"], ["id": 2, "note": "Bake"]]],
        ["id": "done", "title": "Done", "cards": [["id": 3, "note": "Clean"]]],
    ],
    "tags": ["a", "b", "a", "c"],
]

private let todo = DocumentPath([.member("columns"), .element("todo")])
private let done = DocumentPath([.member("columns"), .element("done")])
private let columns = DocumentPath([.member("columns")])
private let tags = DocumentPath([.member("tags")])
private let todoCards = todo.appending("cards")
private let doneCards = done.appending("cards")

extension Document {
    fileprivate mutating func apply(_ edits: Edit..., limits: DocumentLimits = .default) -> [String] {
        var footprint = Footprint()
        return apply(edits, limits: limits, touching: &footprint).map(\.reason)
    }

    fileprivate func applying(_ edits: Edit..., touching footprint: inout Footprint) -> Document {
        var copy = self
        _ = copy.apply(edits, touching: &footprint)
        return copy
    }
}

@Suite("Edits")
struct EditTests {
    @Test func editsNameTheirPathAndTheCauseIfTheyDoNotFit() {
        var document = Document(board)
        let missing = DocumentPath([.member("columns"), .element("x"), .member("title")])
        #expect(document.apply(.set(missing, "t")) == [#"set ["columns",{"id":"x"},"title"]: there is no element "x""#])
        #expect(
            document.apply(.set(DocumentPath([.member("title"), .member("x")]), 1))
                == [#"set ["title","x"]: the value is a string, not an object"#])
        #expect(
            document.apply(.text(todo.appending("title"), base: "Do", value: "To DO"))
                == [#"text ["columns",{"id":"todo"},"title"]: the same range of the text has changed"#])
        #expect(
            document.apply(.text(columns, base: "", value: "x"))
                == [#"text ["columns"]: the value is a list, not a string"#])
        #expect(document.apply(.remove(.root)) == ["remove []: a document cannot be removed"])
        #expect(
            document.apply(.insert(columns, ["id": "todo"], Anchor(index: 0)))
                == [#"insert ["columns"]: a different element has the identity "todo""#])
        #expect(
            document.apply(.insert(tags, "x", Anchor(index: 0)))
                == [#"insert ["tags"]: the element to insert has no identity"#])
        #expect(
            document.apply(.move(doneCards, 9, from: todoCards, Anchor(index: 0)))
                == [#"move ["columns",{"id":"done"},"cards"]: there is no element 9"#])
        #expect(
            document.apply(.splice(tags, index: 0, removed: ["z"], inserted: [], after: nil))
                == [#"splice ["tags"]: the elements to replace do not exist"#])
        #expect(document.json == board)
    }

    @Test func onlyEditsThatDoNotFitAreDropped() {
        var document = Document(board)
        var footprint = Footprint()
        let misfits = document.apply(
            [
                .set(DocumentPath([.member("title")]), "New"), .set(DocumentPath([.member("x"), .member("y")]), 1),
                .remove(done),
            ], touching: &footprint)
        #expect(misfits.map(\.index) == [1])
        #expect(document.json["title"] == "New")
        #expect(document.json["columns"]?[1] == nil)
    }

    @Test func removingAMissingElementFits() {
        var document = Document(board)
        let reasons = document.apply(
            .remove(DocumentPath([.member("x"), .member("y")])), .remove(columns.appending(element: "x")),
            .remove(DocumentPath([.member("title"), .element(1), .member("z")])))
        #expect(reasons.isEmpty)
        #expect(document.json == board)
    }

    @Test func anchorsPreferTheElementBefore() {
        func order(_ anchor: Anchor) -> [JSONValue?] {
            var document = Document(["l": [["id": 1], ["id": 2], ["id": 3]]])
            #expect(document.apply(.insert(DocumentPath([.member("l")]), ["id": 9], anchor)).isEmpty)
            return (0..<4).map { document.json["l"]?[$0]?["id"] }
        }
        #expect(order(Anchor(after: 2, before: 1, index: 0)) == [1, 2, 9, 3])
        #expect(order(Anchor(after: 7, before: 2, index: 0)) == [1, 9, 2, 3])
        #expect(order(Anchor(after: 7, before: 8, index: 1)) == [1, 9, 2, 3])
        #expect(order(Anchor(index: 99)) == [1, 2, 3, 9])
    }

    @Test func anEqualElementIsInsertedOnce() {
        var document = Document(board)
        let card: JSONValue = ["id": 4, "note": ""]
        let insert = Edit.insert(todoCards, card, Anchor(after: 1, index: 1))
        #expect(document.apply(insert).isEmpty)
        let once = document
        #expect(document.apply(insert).isEmpty)
        #expect(document == once)
    }

    @Test func movedElementsKeepEditsOfOthers() {
        var document = Document(board)
        #expect(
            document.apply(
                .set(todoCards.appending(element: 1).appending("note"), "Buy oat milk"),
                .move(doneCards, 1, from: todoCards, Anchor(before: 3, index: 0))
            ).isEmpty)
        #expect(document.json["columns"]?[1]?["cards"]?[0] == ["id": 1, "note": "Buy oat milk"])
        #expect(document.json["columns"]?[0]?["cards"]?[1] == nil)
    }

    @Test func elementsAreNotMovedIntoThemselves() {
        var document = Document(board)
        #expect(
            document.apply(.move(todoCards, "todo", from: columns, Anchor(index: 0)))
                == [#"move ["columns",{"id":"todo"},"cards"]: an element cannot be moved into itself"#])
    }

    @Test func identitiesChangeToUnusedOnesOnly() {
        var document = Document(board)
        #expect(
            document.apply(.set(todo.appending("id"), "done"))
                == [#"set ["columns",{"id":"todo"},"id"]: a different element has the identity "done""#])
        #expect(
            document.apply(.set(todo, ["id": "done"]))
                == [#"set ["columns",{"id":"todo"}]: a different element has the identity "done""#])
        #expect(document.apply(.set(todo.appending("id"), "next")).isEmpty)
        #expect(document.value(at: columns.appending(element: "next"))?["title"] == "To do")
        #expect(document.apply(.remove(done.appending("id"))).isEmpty)
        #expect(document.value(at: done) == nil)
    }

    @Test func repeatedIdentitiesAreAmbiguous() {
        var document = Document(["l": [["id": 1, "n": 1], ["id": 1.0, "n": 2], ["id": "1", "n": 3]]])
        let list = DocumentPath([.member("l")])
        #expect(
            document.apply(.remove(list.appending(element: 1)))
                == [#"remove ["l",{"id":1}]: 2 elements have the identity 1"#])
        #expect(document.value(at: list.appending(element: "1"))?["n"] == 3)
        #expect(
            document.apply(.splice(list, index: 0, removed: [["id": 1, "n": 1]], inserted: [], after: nil)).isEmpty)
        #expect(document.apply(.set(list.appending(element: 1).appending("n"), 4)).isEmpty)
        #expect(document.json == ["l": [["id": 1, "n": 4], ["id": "1", "n": 3]]])
    }

    @Test func splicesMatchAtTheNearestIndexAndTheLowerOfTwo() {
        func after(_ edit: Edit) -> JSONValue? {
            var document = Document(["tags": ["a", "b", "a", "c", "a"]])
            guard document.apply(edit).isEmpty else { return nil }
            return document.json["tags"]
        }
        func exchange(_ index: Int) -> JSONValue? {
            after(.splice(tags, index: index, removed: ["a"], inserted: ["x"], after: nil))
        }
        #expect(exchange(0) == ["x", "b", "a", "c", "a"])
        #expect(exchange(1) == ["x", "b", "a", "c", "a"])
        #expect(exchange(2) == ["a", "b", "x", "c", "a"])
        #expect(exchange(99) == ["a", "b", "a", "c", "x"])
        #expect(
            after(.splice(tags, index: 4, removed: [], inserted: ["x"], after: "b")) == ["a", "b", "x", "a", "c", "a"])
        #expect(
            after(.splice(tags, index: 3, removed: [], inserted: ["x"], after: nil)) == ["x", "a", "b", "a", "c", "a"])
        #expect(after(.splice(tags, index: 3, removed: [], inserted: ["x"], after: "z")) == nil)
        #expect(after(.splice(tags, index: 0, removed: ["a", "c"], inserted: [], after: nil)) == ["a", "b", "a"])
    }

    @Test func editsDoNotExceedLimits() {
        var document = Document(["a": [], "b": "text"])
        let path = DocumentPath([.member("a")])
        #expect(
            document.apply(.set(path, [[[]]]), limits: DocumentLimits(depth: 3))
                == [#"set ["a"]: the document would have more than 3 levels"#])
        #expect(document.apply(.set(path, [[]]), limits: DocumentLimits(depth: 3)).isEmpty)
        #expect(
            document.apply(.set(path, [1, 2, 3]), limits: DocumentLimits(valueCount: 5))
                == [#"set ["a"]: the document would have more than 5 values"#])
        #expect(
            document.apply(.set(path, "a text of more"), limits: DocumentLimits(byteCount: 20))
                == [#"set ["a"]: the document would have more than 20 bytes"#])
        // A document that is already too large can be made smaller.
        #expect(document.apply(.remove(path), limits: DocumentLimits(valueCount: 1, byteCount: 1)).isEmpty)
    }

    @Test func deepDocumentsAreChangedAndFreedOnASmallStack() async {
        let reasons = await withCheckedContinuation { continuation in
            let thread = Thread {
                var json: JSONValue = ["n": 0]
                for level in 0..<505 {
                    json =
                        level % 2 == 0
                        ? ["id": 1, "l": [json, 0]]
                        : ["id": 2, "o": json, "p": .array(JSONArray((0..<70).map { _ in 1 }))]
                    if json.depth > 508 { break }
                }
                var document = Document(json)
                var path: [DocumentPath.Token] = []
                var value = json
                while let next = value["o"] ?? value["l"]?[0] {
                    if value["o"] != nil {
                        path.append(.member("o"))
                    } else {
                        path += [.member("l"), .element(next["id"] ?? 0)]
                    }
                    guard next["id"] != nil else { break }
                    value = next
                }
                path.removeLast(2)
                let target = DocumentPath(path).appending("p")
                let reasons = document.apply(.set(target, 7), limits: .unlimited)
                let again = Document(document.json)
                let same = again == document && again.patch(to: document).operations.isEmpty
                continuation.resume(returning: reasons + (same ? [] : ["differs"]))
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(reasons == [])
    }

    @Test func veryDeepDocumentsAreKeptAndFreed() {
        var json: JSONValue = 0
        for _ in 0..<20_000 { json = [json, 1] }
        let document = Document(json)
        #expect(document.json == json)
        #expect(document.patch(to: Document([json])).operations.count > 0)
    }
}

@Suite("Difference")
struct DifferenceTests {
    private func patch(_ edits: Edit..., from start: Document = Document(board)) -> JSONPatch {
        var (footprint, new) = (Footprint(), start)
        _ = new.apply(edits, touching: &footprint)
        return start.patch(to: new, at: footprint)
    }

    @Test func oneLeafIsOneOperation() throws {
        let path = todoCards.appending(element: 2).appending("note")
        #expect(patch(.set(path, "B")).json == [["op": "replace", "path": "/columns/0/cards/1/note", "value": "B"]])
        #expect(patch(.set(path, "Bake")).operations.isEmpty)
    }

    @Test func movedElementsAreMoved() {
        #expect(
            patch(.move(todoCards, 2, from: nil, Anchor(index: 0))).json
                == [["op": "move", "from": "/columns/0/cards/1", "path": "/columns/0/cards/0"]])
        #expect(
            patch(.move(doneCards, 1, from: todoCards, Anchor(after: 3, index: 0))).json
                == [["op": "move", "from": "/columns/0/cards/0", "path": "/columns/1/cards/1"]])
    }

    @Test func relocatedElementsAreEditedToo() {
        let moved = doneCards.appending(element: 1)
        #expect(
            patch(.move(doneCards, 1, from: todoCards, Anchor(before: 3, index: 0)), .set(moved.appending("note"), "x"))
                .json == [
                    ["op": "move", "from": "/columns/0/cards/0", "path": "/columns/1/cards/0"],
                    ["op": "replace", "path": "/columns/1/cards/0/note", "value": "x"],
                ])
    }

    @Test func aMoveThatNoLongerFitsIsReverted() throws {
        let start = Document(board)
        var footprint = Footprint()
        let move = Edit.move(doneCards, 1, from: todoCards, Anchor(index: 0))
        let old = start.applying(move, touching: &footprint)
        let new = start.applying(
            .insert(doneCards, ["id": 1, "note": "other"], Anchor(index: 9)), move, touching: &footprint)
        let patch = old.patch(to: new, at: footprint)
        #expect(try patch.applying(to: old.json) == new.json)
    }

    @Test func onlyTouchedElementsAreMovedPastTheOthers() {
        let list = DocumentPath([.member("l")])
        let start = Document(["l": .array(JSONArray((0..<1_000).map { ["id": .number(JSONNumber($0))] }))])
        let patch = patch(
            .move(list, 900, from: nil, Anchor(after: 10, index: 0)), .move(list, 5, from: nil, Anchor(index: 999)),
            .remove(list.appending(element: 500)), .insert(list, ["id": "new"], Anchor(before: 700, index: 0)),
            from: start)
        #expect(patch.operations.count == 4)
    }
}

@Suite("Translation")
struct TranslationTests {
    private func edits(_ patch: JSONPatch.Operation..., texts: [String] = []) throws -> [Edit] {
        var document = Document(board)
        return try document.edits(applying: JSONPatch(patch), texts: TextPaths(texts))
    }

    private func pointer(_ text: String) throws -> JSONPointer { try JSONPointer(text) }

    @Test func elementsAreAddressedByIdentity() throws {
        #expect(
            try edits(.replace(path: pointer("/columns/0/cards/1/note"), value: "B"))
                == [.set(todoCards.appending(element: 2).appending("note"), "B")])
        #expect(
            try edits(.add(path: pointer("/columns/0/cards/1"), value: ["id": 9]))
                == [.insert(todoCards, ["id": 9], Anchor(after: 1, before: 2, index: 1))])
        #expect(try edits(.remove(path: pointer("/columns/1"))) == [.remove(done)])
        #expect(
            try edits(.move(from: pointer("/columns/0/cards/0"), path: pointer("/columns/1/cards/1")))
                == [.move(doneCards, 1, from: todoCards, .end)])
        #expect(
            try edits(.add(path: pointer("/columns/0/cards/0"), value: ["id": 9]))
                == [.insert(todoCards, ["id": 9], .start)])
        #expect(
            try edits(.replace(path: pointer("/tags/1"), value: "x"))
                == [.splice(tags, index: 1, removed: ["b"], inserted: ["x"], after: "a")])
    }

    @Test func textsAreMerged() throws {
        let path = todoCards.appending(element: 2).appending("note")
        let replace = JSONPatch.Operation.replace(path: try pointer("/columns/0/cards/1/note"), value: "Bake bread")
        #expect(
            try edits(replace, texts: ["/columns/*/cards/*/note"]) == [.text(path, base: "Bake", value: "Bake bread")])
        #expect(try edits(replace, texts: ["/columns/*/title", "/columns/*"]) == [.set(path, "Bake bread")])
    }

    @Test func anElementThatChangesItsListIsMoved() throws {
        let edits = try edits(
            .remove(path: pointer("/columns/0/cards/0")),
            .add(path: pointer("/columns/1/cards/0"), value: ["id": 1, "note": "Buy oat milk"]),
            texts: ["/columns/*/cards/*/note"])
        #expect(
            edits == [
                .move(doneCards, 1, from: todoCards, .start),
                .text(doneCards.appending(element: 1).appending("note"), base: "Buy milk", value: "Buy oat milk"),
            ])
    }

    @Test func aReplacedListIsComparedByIdentity() throws {
        let cards: JSONValue = [["id": 2, "note": "Bake"], ["id": 1, "note": "Buy milk"], ["id": 5]]
        let edits = try edits(.replace(path: pointer("/columns/0/cards"), value: cards))
        #expect(edits.count == 2)
        #expect(edits.contains { if case .move = $0 { true } else { false } })
        #expect(edits.contains { if case .insert = $0 { true } else { false } })
    }

    @Test func keysOfDifferentNormalFormsAreDifferentMembers() throws {
        let json: JSONValue = ["\u{e9}": 1]
        let patch = JSONPatch([.move(from: JSONPointer(tokens: ["\u{e9}"]), path: JSONPointer(tokens: ["e\u{301}"]))])
        var document = Document(json)
        let edits = try document.edits(applying: patch)
        #expect(edits.count == 2)
        #expect(document.json == ["e\u{301}": 1])
    }

    @Test func aPatchThatDoesNotFitChangesNothing() throws {
        var document = Document(board)
        let operations: [JSONPatch.Operation] = [
            .remove(path: try pointer("/title")), .remove(path: try pointer("/columns/7")),
        ]
        let error = #expect(throws: TranslationError.self) {
            try document.edits(applying: JSONPatch(operations))
        }
        #expect(error?.index == 1)
        #expect(error?.description.contains("/columns/7") == true)
        #expect(document.json == board)
    }
}

@Suite("Entries")
struct EntryContentTests {
    private func reason(_ text: String, limits: DocumentLimits = .default) -> String {
        do {
            _ = try EntryContent(parsing: text, limits: limits)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test func theFormIsCompact() throws {
        let edits: [Edit] = [
            .set(todo.appending("title"), "x"), .text(DocumentPath([.member("n")]), base: "a", value: "b"),
            .remove(todo), .insert(columns, ["id": 1], Anchor(after: "a", index: 1)),
            .move(todoCards, 7, from: doneCards, Anchor(before: 3, index: 0)),
            .splice(tags, index: 1, removed: ["x"], inserted: [], after: .null),
        ]
        let content = EntryContent(edits: edits)
        #expect(
            content.text == """
                {"edits":[{"set":["columns",{"id":"todo"},"title"],"value":"x"},{"base":"a","text":["n"],"value":"b"},\
                {"remove":["columns",{"id":"todo"}]},{"after":"a","index":1,"insert":["columns"],"value":{"id":1}},\
                {"before":3,"from":["columns",{"id":"done"},"cards"],"id":7,"index":0,\
                "move":["columns",{"id":"todo"},"cards"]},\
                {"after":null,"index":1,"inserted":[],"removed":["x"],"splice":["tags"]}]}
                """)
        #expect(try EntryContent(parsing: content.text) == content)
        let coded = try JSONDecoder().decode(EntryContent.self, from: JSONEncoder().encode(content))
        #expect(coded == content)
    }

    @Test func unknownMembersAreIgnored() throws {
        let content = try EntryContent(parsing: #"{"edits":[{"remove":["a"],"why":1}],"by":"Ann"}"#)
        #expect(content.edits == [.remove(DocumentPath([.member("a")]))])
    }

    @Test func hostileEntriesAreRefusedWithAReason() {
        #expect(reason("[]") == #"an entry must be an object with an array "edits", not an array of 0 elements"#)
        #expect(reason(#"{"edits":[1]}"#) == "edit 0: an edit must be an object, not 1")
        #expect(
            reason(#"{"edits":[{"remove":[]},{"fly":[]}]}"#)
                == #"edit 1: none of the members is an operation that this version supports: "fly""#)
        #expect(
            reason(#"{"edits":[{"set":[],"remove":[]}]}"#)
                == "edit 0: an edit must have one operation, not set and remove")
        #expect(reason(#"{"edits":[{"set":["a"]}]}"#) == #"edit 0: set: "value" is missing"#)
        #expect(
            reason(#"{"edits":[{"set":"/a","value":1}]}"#)
                == #"edit 0: set: in "set", a path must be an array of keys and identities, not "/a""#)
        #expect(
            reason(#"{"edits":[{"remove":[{"id":null}]}]}"#)
                == #"edit 0: remove: in "remove", a step of a path must be a key or {"id": a string or a number}, not "#
                + "an object of 1 members")
        #expect(
            reason(#"{"edits":[{"insert":[],"value":1,"index":-1}]}"#)
                == #"edit 0: insert: "index" must be an integer of at least 0, not -1"#)
        #expect(
            reason(#"{"edits":[{"insert":[],"value":1,"index":1e400}]}"#)
                == #"edit 0: insert: "index" must be an integer of at least 0, not 1e400"#)
        #expect(
            reason(#"{"edits":[{"text":[],"base":1,"value":""}]}"#)
                == #"edit 0: text: "base" must be a string, not 1"#)
        #expect(reason(#"{"edits":[{"move":[],"index":0}]}"#) == #"edit 0: move: "id" is missing"#)
        #expect(reason("{").hasPrefix("invalid JSON at line 1"))
    }

    @Test func entriesHaveLimits() {
        let limits = DocumentLimits(depth: 3, valueCount: 20, byteCount: 200)
        #expect(reason(#"{"edits":[{"set":[],"value":[[[1]]]}]}"#, limits: limits) == "none")
        let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        #expect(reason(#"{"edits":[{"set":[],"value":"# + deep + "}]}").contains("levels of nesting"))
        let many = "[" + String(repeating: "1,", count: 30) + "1]"
        #expect(reason(#"{"edits":[{"set":[],"value":"# + many + "}]}", limits: limits).contains("more than 20 values"))
        #expect(
            reason(#"{"edits":[],"x":""# + String(repeating: "x", count: 300) + "\"}", limits: limits)
                .contains("more than 200 bytes"))
    }

    @Test func longPathsDoNotFit() throws {
        let path = DocumentPath((0..<600).map { _ in .member("a") })
        let content = try EntryContent(parsing: EntryContent(edits: [.set(path, 1)]).text)
        var (document, footprint) = (Document([:]), Footprint())
        let misfits = document.apply(content.edits, limits: .unlimited, touching: &footprint)
        #expect(misfits.first?.reason.hasSuffix("the path has more than 512 steps") == true)
    }
}
