// Random sessions of edits, undo and redo, compared with a model that stores everything.
//
// After each operation the graph must equal the model: the same values in the same observables and instances, on the
// same paths. An object that was edited while it was outside the graph is restored as it was when it left.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct HistoryOracleTests {
        @Test(arguments: seeds(30)) func stepsOnSharedObjectsEndInTheSameValuesAndObjects(seed: UInt64) throws {
            try RandomSession(seed: seed, World.Shape(hasHiddenSubclasses: true)).run()
        }

        @Test(arguments: seeds(30)) func stepsOnCyclesEndInTheSameValuesAndObjects(seed: UInt64) throws {
            try RandomSession(seed: seed, World.Shape(hasCycles: true, hasHiddenSubclasses: true)).run()
        }

        @Test(arguments: seeds(20)) func elementsLoadedMeanwhileStay(seed: UInt64) throws {
            try RandomSession(seed: seed, World.Shape(hasCycles: true, hasHiddenSubclasses: true), loads: true).run()
        }
    }

    /// One random session.
    private final class RandomSession {
        private let seed: UInt64
        private let world: World
        private let root: World.Root
        private let loads: Bool
        private let registry = Registry()
        private let history: History<World.Root>
        private var model: HistoryModel
        /// The last picture that an observer of the whole graph has seen, and the number of its runs.
        private var seen: (picture: Picture, count: Int) = ([:], 0)
        private var reaction: Reaction?
        private var log: [String] = []
        private var hasFailed = false

        init(seed: UInt64, _ shape: World.Shape, loads: Bool = false) {
            self.seed = seed
            self.loads = loads
            world = World(seed: seed, shape)
            root = world.root
            history = History(world.root, limit: .unlimited)
            model = HistoryModel(Artist.picture(of: world.root, registry))
        }

        func run() throws {
            reaction = autorun { [unowned self] in
                seen = (Artist.picture(of: root, registry), seen.count + 1)
            }
            defer {
                reaction?.cancel()
                history.end()
                world.dismantle()
            }
            for _ in 0..<50 where !hasFailed {
                switch world.random.below(10) {
                case 0..<5: edit()
                case 5, 6: try undo(1 + world.random.below(3))
                case 7: try undo(model.undoCount / 2)
                case 8 where loads: load()
                default: try redo(1 + world.random.below(3))
                }
            }
            try undo(.max)
            try redo(.max)
        }

        private func edit() {
            let count = history.undoCount
            world.transaction(&log)
            let picture = Artist.picture(of: root, registry)
            // A write of the same contents may be a step, if values cannot be compared.
            if comparable(picture) != comparable(model.present.reached) || history.undoCount != count
                || history.redoCount != model.redoCount
            {
                model.record(picture)
            }
            check(picture)
        }

        private func undo(_ count: Int) throws {
            for _ in 0..<min(count, model.undoCount) where !hasFailed {
                log.append("UNDO")
                try step(history.undo) { $0.undo() }
            }
        }

        private func redo(_ count: Int) throws {
            for _ in 0..<min(count, model.redoCount) where !hasFailed {
                log.append("REDO")
                try step(history.redo) { $0.redo() }
            }
        }

        private func step(_ step: () throws -> Void, _ modelStep: (inout HistoryModel) -> Void) throws {
            let before = model.present
            let count = seen.count
            do {
                try step()
            } catch {
                hasFailed = true
                Issue.record("\(error)\n\(story)")
                return
            }
            modelStep(&model)
            check(Artist.picture(of: root, registry))
            // Observers run once for each step. A step that replaces parts, which cannot be compared, by the same parts
            // in a collection changes nothing visible.
            if !hasFailed {
                let runs = seen.count - count
                #expect(runs == 1 || model.present == before && runs == 0, "\(runs) runs, \(story)")
            }
        }

        private func load() {
            let part = world.newPart()
            let numbers = root.loaded(registry)
            log.append("LOAD part \(part.number), progress \(root.progress + 1)")
            history.untracked {
                root.parts.append(part)
                root.progress += 1
            }
            let picture = Artist.picture(of: part, registry)
            model.load(picture[-1]!, at: numbers.parts, picture.filter { $0.key >= 0 })
            model.load("\(root.progress)", at: numbers.progress)
            check(Artist.picture(of: root, registry))
        }

        private func check(_ picture: Picture) {
            let picture = comparable(picture)
            let expected = comparable(model.present.reached)
            let seen = comparable(seen.picture)
            guard
                picture == expected, seen == expected, history.undoCount == model.undoCount,
                history.redoCount == model.redoCount, history.canUndo == (model.undoCount > 0)
            else {
                hasFailed = true
                let what =
                    picture != expected
                    ? "the graph is a different one:\n\(picture.difference(from: expected))"
                    : seen != expected
                        ? "an observer has not seen:\n\(seen.difference(from: expected))"
                        : "\(history.undoCount) steps to undo and \(history.redoCount) to redo, "
                            + "expected \(model.undoCount) and \(model.redoCount)"
                Issue.record("\(what)\n\(story)")
                return
            }
        }

        /// The picture without the order of an array with loaded elements: the order between a step's elements and
        /// loaded elements is not promised.
        private func comparable(_ picture: Picture) -> Picture {
            guard loads else { return picture }
            var picture = picture
            let array = root.loaded(registry).parts
            picture[array] = picture[array].map {
                "["
                    + $0.dropFirst().dropLast().components(separatedBy: ", Part").map {
                        $0.hasPrefix("Part") ? $0 : "Part" + $0
                    }.sorted().joined(separator: ", ") + "]"
            }
            return picture
        }

        /// The operations so far.
        private var story: String {
            "seed \(seed), after \(log.count) operations:\n"
                + log.enumerated().suffix(40).map { "    \($0) \($1)" }.joined(separator: "\n")
        }
    }
}
