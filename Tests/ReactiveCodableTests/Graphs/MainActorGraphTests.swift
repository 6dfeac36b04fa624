// Graphs of objects that belong to the main actor, with isolated conformances to `Codable`.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

@MainActor private final class Leaf: @MainActor Codable {
    @Observable var title = "x"
    init() {}
}

@MainActor private final class Branch: @MainActor Codable {
    @Observable var leaves: [Leaf] = []
    @Observable var byName: [String: Leaf] = [:]
    @Observable var byNumber: [Int: Leaf] = [:]
    @Observable var one = Leaf()
    @Observable var maybe: Leaf? = nil
    var plain: [Leaf] = []
    @Observable var pairs: [[Leaf]] = []
    var rows: ObservableArray<Leaf> = []
    var keyed: ObservableDictionary<String, Leaf> = [:]
    init() {}
}

private struct PlainLeaf: Codable { var title = "x" }
private struct PlainBranch: Codable {
    var leaves: [PlainLeaf] = []
    var byName: [String: PlainLeaf] = [:]
    var byNumber: [Int: PlainLeaf] = [:]
    var one = PlainLeaf()
    var maybe: PlainLeaf?
    var plain: [PlainLeaf] = []
    var pairs: [[PlainLeaf]] = []
    var rows: [PlainLeaf] = []
    var keyed: [String: PlainLeaf] = [:]
}

@Suite(.inDefaultGraph, .timeLimit) @MainActor struct MainActorGraphTests {
    private func filled() -> Branch {
        let branch = Branch()
        branch.leaves = [Leaf(), Leaf()]
        branch.byName = ["a": Leaf()]
        branch.byNumber = [1: Leaf()]
        branch.maybe = Leaf()
        branch.plain = [Leaf()]
        branch.pairs = [[Leaf()], []]
        branch.rows.append(Leaf())
        branch.keyed["k"] = Leaf()
        return branch
    }

    private var expected: PlainBranch {
        let leaf = PlainLeaf()
        return PlainBranch(
            leaves: [leaf, leaf], byName: ["a": leaf], byNumber: [1: leaf], one: leaf, maybe: leaf, plain: [leaf],
            pairs: [[leaf], []], rows: [leaf], keyed: ["k": leaf])
    }

    private func plain(_ value: some Encodable) throws -> JSONValue {
        try JSONValue(parsing: JSONEncoder().encode(value))
    }

    @Test func theyAreEncodedCompletely() throws {
        let (json, wanted) = try (JSONValue(encoding: filled()), plain(expected))
        #expect(json == wanted)
        let leaves = [Leaf()]
        #expect(try JSONValue(encoding: leaves) == plain([PlainLeaf()]))
        let rows: ObservableArray = [Leaf()]
        let (elements, wantedElements) = try (JSONValue(encoding: rows), plain([PlainLeaf()]))
        #expect(elements == wantedElements)
    }

    @Test func patchesHaveTheirContents() throws {
        let branch = Branch()
        let document = try JSONValue(encoding: branch)
        var patches: [JSONPatch] = []
        let observing = deepObserve(branch) { changes in
            do { patches.append(try changes.jsonPatch()) } catch { Issue.record(error) }
        }
        defer { observing.cancel() }
        let other = filled()
        inTransaction {
            branch.leaves = other.leaves
            branch.byName = other.byName
            branch.byNumber = other.byNumber
            branch.one = other.one
            branch.maybe = other.maybe
            branch.pairs = other.pairs
            branch.rows.append(Leaf())
            branch.keyed["k"] = Leaf()
        }
        var result = document
        for patch in patches { result = try patch.applying(to: result) }
        var wanted = expected
        wanted.plain = []
        let wantedResult = try plain(wanted)
        #expect(result == wantedResult)
    }

    @Test func historiesAndJournalsRestoreThem() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "branch.json")
        let branch = Branch()
        let history = History(branch)
        let saving = autosave(branch, to: file, as: .journal)
        defer { saving.cancel() }
        try saving.flush()
        let other = filled()
        for step in 0..<3 {
            branch.leaves.append(other.leaves[step % 2])
            branch.byName["n\(step)"] = Leaf()
            branch.rows.append(Leaf())
            try saving.flush()
        }
        let before = try plain(branch)
        while history.canUndo { try history.undo() }
        #expect(try plain(branch) == plain(PlainBranch()))
        while history.canRedo { try history.redo() }
        #expect(try plain(branch) == before)
        try saving.flush()
        saving.cancel()
        #expect(try plain(load(Branch.self, from: file)) == before)
    }
}
