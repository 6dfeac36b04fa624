// Random histories, compared with the oracle, with the library's own patches, and with snapshots.

import Foundation
import ReactiveCodable
import Testing

@testable import ReactiveSync

/// The seeds of a random test; `REACTIVE_TEST_SEED=17` selects one, `REACTIVE_TEST_SEEDS=10` requests ten times as
/// many.
private func seeds(_ usual: Int) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["REACTIVE_TEST_SEED"].flatMap(UInt64.init) { return seed..<seed + 1 }
    let factor = environment["REACTIVE_TEST_SEEDS"].flatMap(Double.init) ?? 1
    return 0..<UInt64(max(1, (Double(usual) * factor).rounded()))
}

private let texts: TextPaths = {
    do {
        return try TextPaths(["/title", "/columns/*/title", "/columns/*/cards/*/note"])
    } catch {
        preconditionFailure("\(error)")
    }
}()

extension Document {
    /// Whether the document counts, compares and finds like a newly created one.
    fileprivate func isConsistent() -> Bool {
        let json = json
        let fresh = Document(json)
        return fresh == self && self == fresh && root.weight == fresh.root.weight && root.depth == json.depth
    }
}

@Suite("Random documents")
struct DocumentRandomTests {
    @Test func editsOfAPatchAgreeWithThePatch() throws {
        for seed in seeds(1_000) {
            var random = DocumentRandom(seed: seed)
            let json = random.document()
            let patch = random.patch(for: json)
            let expected = try patch.applying(to: json)

            var document = Document(json)
            let edits = try document.edits(applying: patch, texts: texts)
            #expect(document.json == expected, "seed \(seed)")
            #expect(document.isConsistent(), "seed \(seed)")

            var applied = Document(json)
            var footprint = Footprint()
            let misfits = applied.apply(edits, touching: &footprint)
            #expect(misfits.isEmpty, "seed \(seed)")
            #expect(applied.json == expected, "seed \(seed)")
            #expect(try EntryContent(parsing: EntryContent(edits: edits).text).edits == edits, "seed \(seed)")

            let difference = Document(json).patch(to: applied, at: footprint)
            #expect(try difference.applying(to: json) == expected, "seed \(seed)")
            if json == expected { #expect(difference.operations.isEmpty, "seed \(seed)") }
            guard document.json == expected, applied.json == expected else { return }
        }
    }

    @Test func editsAgreeWithTheOracle() {
        for seed in seeds(1_500) {
            var random = DocumentRandom(seed: seed)
            let json = random.document()
            var oracle = DocumentOracle(json: json)
            var document = Document(json)
            for _ in 0..<3 {
                let edits = random.edits(for: oracle.json)
                var footprint = Footprint()
                let misfits = document.apply(edits, touching: &footprint).map(\.index)
                #expect(misfits == oracle.apply(edits), "seed \(seed)")
                #expect(document.json == oracle.json, "seed \(seed)")
                guard document.json == oracle.json else { return }
            }
            #expect(document.isConsistent(), "seed \(seed)")
        }
    }

    @Test func theDifferenceAtTheFootprintProducesTheOtherVersion() throws {
        for seed in seeds(1_500) {
            var random = DocumentRandom(seed: seed)
            let json = random.document()
            var footprint = Footprint()
            var (old, new) = (Document(json), Document(json))
            let pending = random.edits(for: json)
            _ = old.apply(pending, touching: &footprint)
            _ = new.apply(random.edits(for: json), touching: &footprint)
            if random.oneIn(2) { _ = new.apply(pending, touching: &footprint) }

            let patch = old.patch(to: new, at: footprint)
            let patched = try? patch.applying(to: old.json)
            #expect(patched == new.json, "seed \(seed)")
            guard patched == new.json else { return }
            #expect(try old.patch(to: new).applying(to: old.json) == new.json, "seed \(seed)")
            if old.json == new.json { #expect(patch.operations.isEmpty, "seed \(seed)") }
            expectNoColumnIsReplaced(patch, old.json, new.json, seed)
        }
    }

    /// Checks that a column of both versions is neither removed and added nor replaced.
    private func expectNoColumnIsReplaced(_ patch: JSONPatch, _ old: JSONValue, _ new: JSONValue, _ seed: UInt64) {
        guard let before = identities(old["columns"]), let after = identities(new["columns"]) else { return }
        func isColumn(_ path: JSONPointer) -> Bool { path.tokens.count == 2 && path.tokens.first == "columns" }
        var (removals, insertions) = (0, 0)
        for operation in patch.operations {
            switch operation {
            case .remove(let path) where isColumn(path): removals += 1
            case .add(let path, _) where isColumn(path): insertions += 1
            case .move(let from, let path):
                if isColumn(from), !isColumn(path) { removals += 1 }
                if !isColumn(from), isColumn(path) { insertions += 1 }
            case .replace(let path, _): #expect(!isColumn(path), "seed \(seed)")
            default: break
            }
        }
        #expect(removals == before.subtracting(after).count, "seed \(seed)")
        #expect(insertions == after.subtracting(before).count, "seed \(seed)")
    }

    /// The identities of a list, if all are usable.
    private func identities(_ list: JSONValue?) -> Set<JSONValue>? {
        guard case .array(let array)? = list else { return nil }
        let identities = array.compactMap(\.identity)
        let set = Set(identities)
        return identities.count == array.count && set.count == array.count ? set : nil
    }

    @Test func snapshotsBetweenEntriesChangeNothing() throws {
        for seed in seeds(200) {
            var random = DocumentRandom(seed: seed)
            let start = random.document()
            var document = Document(start)
            var footprint = Footprint()
            var histories: [Document] = []
            for _ in 0..<8 {
                let edits = random.edits(for: document.json)
                // A replica for each entry so far, which has started with a snapshot before that entry.
                if random.oneIn(2) { histories.append(Document(try JSONValue(parsing: document.json.description))) }
                let misfits = document.apply(edits, touching: &footprint)
                for index in histories.indices {
                    #expect(histories[index].apply(edits, touching: &footprint) == misfits, "seed \(seed)")
                    #expect(histories[index] == document, "seed \(seed)")
                    #expect(histories[index].json.description == document.json.description, "seed \(seed)")
                }
            }
        }
    }

    @Test func longListsKeepTheirIndex() {
        for seed in seeds(6) {
            var random = DocumentRandom(seed: seed)
            var next = 0
            func element(_ random: inout DocumentRandom) -> JSONValue {
                next += 1
                return random.oneIn(9)
                    ? random.scalar() : ["id": .number(JSONNumber(random.oneIn(20) ? next / 2 : next))]
            }
            var expected = (0..<random.below(3_000)).map { _ in element(&random) }
            var list = List(expected.map { Node($0) })
            for _ in 0..<1_500 {
                let grows = random.below(3) > (seed % 2 == 0 ? 0 : 1)
                if expected.isEmpty || grows {
                    let (position, value) = (random.below(expected.count + 1), element(&random))
                    expected.insert(value, at: position)
                    list.insert(Node(value), at: position)
                } else if random.oneIn(4) {
                    let (position, value) = (random.below(expected.count), element(&random))
                    expected[position] = value
                    list.replace(at: position, with: Node(value))
                } else {
                    let position = random.below(expected.count)
                    expected.remove(at: position)
                    list.remove(at: position)
                }
            }
            #expect(list.map(\.json) == expected, "seed \(seed)")
            #expect(list.indices.allSatisfy { list[$0].json == expected[$0] }, "seed \(seed)")
            let positions = Dictionary(grouping: expected.indices) { expected[$0].identity }
            for (identity, indices) in positions {
                guard let identity else { continue }
                #expect(list.occurrences(of: identity) == indices.count, "seed \(seed)")
                #expect(list.position(of: identity) == (indices.count == 1 ? indices[0] : nil), "seed \(seed)")
            }
            #expect(list.occurrences(of: "none") == 0)
            #expect(list.weight == List(expected.map { Node($0) }).weight, "seed \(seed)")
        }
    }
}
