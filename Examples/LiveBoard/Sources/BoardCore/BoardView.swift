// Renders the board into fragments. Each fragment is an `ObserverScope` of its own: it is rendered again when what it shows has changed,
// and nothing else is. Nobody tells it what that is.
//
// All of it belongs to one isolation, the session's. The scopes know it: whichever thread the graph gives a render to, it happens there.

import Reactive

/// The page of a board, as fragments that follow the board.
final class BoardView {
    private(set) var fragments = Fragments()
    private let board: Board
    private let onRender: @Sendable () -> Void
    private var scopes: [any Cancellable] = []
    private var columns: [String: ColumnView] = [:]
    private var cards: [String: CardView] = [:]

    /// Renders everything once.
    ///
    /// - Parameters:
    ///   - board: What to render.
    ///   - isolation: Where it happens.
    ///   - onRender: Told whenever something was rendered.
    init(_ board: Board, isolation: isolated (any Actor)? = #isolation, onRender: @escaping @Sendable () -> Void) {
        self.board = board
        self.onRender = onRender
        scopes = [
            ObserverScope(named: "heading") {
                Markup.heading(of: board)
            } onRender: { [unowned self] in
                set("heading", $0)
            },
            ObserverScope(named: "columns") {
                board.columns
            } onRender: { [unowned self] in
                show($0, isolation: isolation)
            },
        ]
    }

    /// Brings the fragments in order after a change.
    ///
    /// - Returns: What is different now.
    func takeChanges() -> PageUpdate {
        let (update, gone) = fragments.takeChanges()
        for id in gone { cards[id] = nil }
        return update
    }

    /// The elements of the board with all in it.
    var markup: HTML { Markup.columns(HTML(board.columns.map(markup))) }

    private func markup(of column: Column) -> HTML {
        Markup.column(column, head: Markup.head(of: column), cards: HTML(column.cards.map(Markup.card)))
    }

    // MARK: - Lists

    private func show(_ columns: [Column], isolation: isolated (any Actor)?) {
        let ids = columns.map { "column-\($0.id)" }
        for (id, column) in zip(ids, columns) where self.columns[id] == nil {
            // The frame is sent once. What changes in it are fragments of their own.
            fragments.set(id, Markup.column(column, head: Markup.head(of: column), cards: ""))
            // Not owned by the run that makes it: it stays when the list of columns changes.
            self.columns[id] = detached { ColumnView(column, in: self, isolation: isolation) }
        }
        for id in Set(self.columns.keys).subtracting(ids) {
            guard let view = self.columns.removeValue(forKey: id) else { continue }
            view.end()
            fragments.removeList(view.list)
            fragments.remove(view.head)
        }
        fragments.setChildren(of: "columns", ids)
        onRender()
    }

    fileprivate func set(_ id: String, _ html: HTML) {
        fragments.set(id, html)
        onRender()
    }

    fileprivate func show(_ cards: [Card], in list: String, isolation: isolated (any Actor)?) {
        let ids = cards.map { "card-\($0.id)" }
        for (id, card) in zip(ids, cards) where self.cards[id] == nil {
            self.cards[id] = detached { CardView(id, card, in: self, isolation: isolation) }
        }
        fragments.setChildren(of: list, ids)
        onRender()
    }
}

/// Renders the head of a column, and follows which cards are in it.
private final class ColumnView {
    let head: String
    let list: String
    private var scopes: [any Cancellable] = []

    init(_ column: Column, in view: BoardView, isolation: isolated (any Actor)?) {
        let (head, list) = ("head-\(column.id)", "cards-\(column.id)")
        self.head = head
        self.list = list
        scopes = [
            ObserverScope(named: head) {
                Markup.head(of: column)
            } onRender: { [unowned view] in
                view.set(head, $0)
            },
            ObserverScope(named: list) {
                column.cards
            } onRender: { [unowned view] in
                view.show($0, in: list, isolation: isolation)
            },
        ]
    }

    func end() {
        for scope in scopes { scope.cancel() }
    }
}

/// Renders a card, wherever it is.
private final class CardView {
    private let scope: ObserverScope<HTML>

    init(_ id: String, _ card: Card, in view: BoardView, isolation: isolated (any Actor)?) {
        scope = ObserverScope(named: id) {
            Markup.card(card)
        } onRender: { [unowned view] in
            view.set(id, $0)
        }
    }
}
