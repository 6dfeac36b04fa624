// Random sessions whose patches and logs are replayed on other graphs: a decoded one, in which nothing is shared, and
// one with the same sharing. All must have the same values in the end, and an independent implementation of RFC 6902
// must agree about the documents.
//
// Sets and dictionaries with arbitrary keys are encoded in a different order in each process. So patches are compared
// with the document of the first graph, and values with pictures, which sort them.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct ReplayOracleTests {
        @Test(arguments: seeds(15)) func patchesOfOneGraphUpdateOtherGraphsEqually(seed: UInt64) throws {
            let world = World(seed: seed, World.Shape())
            let root = world.root
            var before = try JSONValue(encoding: root)
            let copies = try Copies(of: before, seed: seed)
            defer { copies.cancel() }
            var changes: DeepChanges?
            let reaction = deepObserve(root) { changes = $0 }
            defer { reaction.cancel() }
            var log: [String] = []
            func story() -> String { "seed \(seed), after:\n    " + log.joined(separator: "\n    ") }

            for _ in 0..<30 {
                let values = Artist.values(of: root)
                changes = nil
                world.transaction(&log)
                let after = try JSONValue(encoding: root)
                guard let patch = try changes?.jsonPatch() else {
                    try #require(after == before, "nothing was reported; \(story())")
                    continue
                }
                log.append("  \(patch)")
                try #require(try NaiveJSONPatch.apply(patch, to: before) == after, "\(story())")
                try #require(try NaiveJSONPatch.apply(patch.inverse, to: after) == before, "\(story())")
                for (name, copy) in copies.all {
                    func apply(_ patch: JSONPatch, _ expected: String) throws {
                        do {
                            try ReactiveCodable.apply(patch, to: copy)
                        } catch {
                            Issue.record("\(name): \(error)\n\(story())")
                            throw error
                        }
                        try #require(Artist.values(of: copy) == expected, "\(name), \(patch)\n\(story())")
                        try copies.check(story())
                    }
                    let expected = Artist.values(of: root)
                    try apply(patch, expected)
                    if world.random.oneIn(4) {
                        try apply(patch.inverse, values)
                        try apply(patch, expected)
                    }
                }
                before = after
            }
        }

        @Test(arguments: seeds(10)) func logsReplayOnOtherGraphs(seed: UInt64) throws {
            let world = World(seed: seed, World.Shape())
            let root = world.root
            let beginning = Artist.values(of: root)
            let document = try JSONValue(encoding: root)
            let copies = try Copies(of: document, seed: seed)
            defer { copies.cancel() }
            let history = History(root, limit: .unlimited)
            defer { history.end() }
            var log: [String] = []
            func story() -> String { "seed \(seed), after:\n    " + log.joined(separator: "\n    ") }

            for _ in 0..<20 {
                switch world.random.below(8) {
                case 0 where history.canUndo, 1 where history.canUndo:
                    log.append("UNDO")
                    try history.undo()
                case 2 where history.canRedo:
                    log.append("REDO")
                    try history.redo()
                default: world.transaction(&log)
                }
            }
            let end = Artist.values(of: root)
            let data = try JSONEncoder().encode(history.log)
            let decoded = try JSONDecoder().decode(HistoryLog.self, from: data)
            for (name, copy) in copies.all {
                do {
                    try decoded.replay(onto: copy)
                    try #require(Artist.values(of: copy) == end, "\(name), \(story())")
                    try copies.check(story())
                    let continued = try History(copy, log: decoded, limit: .unlimited)
                    try #require(
                        continued.undoCount == history.undoCount && continued.redoCount == history.redoCount)
                    while continued.canUndo { try continued.undo() }
                    try #require(Artist.values(of: copy) == beginning, "\(name), \(story())")
                    for _ in 0..<history.undoCount { try continued.redo() }
                    try #require(Artist.values(of: copy) == end, "\(name), \(story())")
                    continued.end()
                } catch  where !(error is ExpectationFailedError) {
                    Issue.record("\(name): \(error)\n\(story())")
                }
            }
        }

        /// Graphs that start with the same values.
        private final class Copies {
            let all: [(name: String, root: World.Root)]
            private var seen: [String] = []
            private var reactions: [Reaction] = []

            init(of document: JSONValue, seed: UInt64) throws {
                all = [
                    ("decoded", try document.decoded(as: World.Root.self)),
                    ("with the same sharing", World(seed: seed, World.Shape()).root),
                ]
                for (index, copy) in all.enumerated() {
                    seen.append("")
                    // An observer of everything, which must stay attached.
                    reactions.append(autorun { [unowned self] in seen[index] = Artist.values(of: copy.root) })
                }
            }

            func check(_ story: @autoclosure () -> String) throws {
                for (index, copy) in all.enumerated() {
                    try #require(
                        seen[index] == Artist.values(of: copy.root), "\(copy.name): an observer missed it; \(story())")
                }
            }

            func cancel() { reactions.forEach { $0.cancel() } }
        }
    }
}
