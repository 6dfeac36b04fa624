// Patches and logs for object graphs.

import Foundation
import Reactive
import ReactiveCodable

/// Tests a patch for a graph: it applies as a whole or changes nothing.
@Sendable func fuzzApply(_ data: Data) {
    guard let patch = try? JSONPatch(parsing: data) else { return }
    let graph = Graph()
    let before = graph.json
    do {
        try apply(patch, to: graph)
        promise(graph.json != nil, "the graph cannot be encoded any more")
    } catch {
        promise(graph.json == before, "a patch that was refused has changed something: \(error)")
    }
}

/// Tests a log: it is accepted as a whole or refused. An accepted log can be undone and redone.
@Sendable func fuzzLog(_ data: Data) {
    guard let log = try? JSONDecoder().decode(HistoryLog.self, from: data) else { return }
    let graph = Graph()
    let before = graph.json
    do {
        let history = try History(graph, log: log)
        let (undoCount, redoCount) = (history.undoCount, history.redoCount)
        promise(try allSteps(history), "the log was accepted, but does not fit")
        promise((history.undoCount, history.redoCount) == (undoCount, redoCount), "the number of steps has changed")
        history.end()
        promise(graph.json == before, "undoing and redoing all has changed something")
    } catch {
        promise(graph.json == before, "a log that was refused has changed something: \(error)")
    }
    // The JSON is not compared, because the order of its sets differs.
    let other = Graph()
    let otherBefore = other.json
    do {
        try log.replay(onto: other)
        promise(other.json != nil, "the graph cannot be encoded any more")
    } catch {
        promise(other.json == otherBefore, "a replay that was refused has changed something: \(error)")
    }
}

/// Undoes all steps, redoes them, and returns to the start position.
private func allSteps(_ history: History<Graph>) throws -> Bool {
    let undoCount = history.undoCount
    while history.canUndo { try history.undo() }
    while history.canRedo { try history.redo() }
    while history.undoCount > undoCount { try history.undo() }
    return true
}
