// A copy of a board that travels in time. The inspector steps back and forth in the copy's history, and the board
// itself stays as it is. The copy has a graph of its own, which renders the same fragments.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
package import ReactiveInspector

/// The part of a board that its history records: everything except the identities of commands.
struct BoardContents: Codable, Sendable {
    let title: Observable<String>
    let columns: ObservableArray<Column>
    let removals: ObservableArray<Removal>
}

/// A copy of a board, and a history with the board's recent steps.
package actor BoardCopy {
    private let graph: IndependentGraph
    private let history: History<Board>
    private let name: String
    private var view: BoardView?

    /// Creates a copy.
    ///
    /// - Parameters:
    ///   - contents: The JSON of the board.
    ///   - steps: The recent steps of the board, up to its present state.
    ///   - name: The name of the board.
    init(of contents: Data, steps: HistoryLog, named name: String) async throws {
        self.name = name
        let graph = IndependentGraph(named: "copy of \(name)")
        self.graph = graph
        let board: Board
        (board, history) = try graph.run {
            let board = try JSONDecoder().decode(Board.self, from: contents)
            return (board, try History(board, log: steps, named: "steps"))
        }
        view = graph.run { BoardView(board, nil, isolation: self) {} }
    }

    /// Returns an inspector of the copy that steps back and forth in its history. It keeps the copy.
    package func inspector() -> Inspector {
        graph.run { Diagnostics.inspector(titled: Self.title(name), history: history, isolation: self) }
    }

    /// Ends the copy, so that it can be freed.
    package func close() {
        history.end()
        graph.cancelReactions()
        view = nil
    }

    /// Returns the page of a board's copies. A copy is created when the page connects, so this needs none.
    package static func page(for name: String) -> String {
        IndependentGraph().run {
            let history = History(Board(title: "", columns: []))
            return Diagnostics.inspector(titled: title(name), history: history, isolation: nil).page
        }
    }

    private static func title(_ name: String) -> String { "copy of the board \(name)" }
}
