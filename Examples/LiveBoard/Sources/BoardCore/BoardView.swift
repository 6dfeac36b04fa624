// Renders the board as fragments. Each list is a view, whose edits report insertions, moves and removals. Each fragment
// renders again when state that it has read changes. No command says what to render.
//
//     columns ── map ──▶ frames         and for each column: a scope for its head, and
//     cards   ── map ──▶ fragments      so one card that has changed is rendered, however many there are
//
// All of this is isolated to the session's actor. Views and scopes have this isolation: every render runs there,
// whichever thread made the change.

import ReactiveCollections

/// The page of a board, as fragments that follow the board.
final class BoardView {
    private(set) var fragments = Fragments()
    private let board: Board
    private let onRender: @Sendable () -> Void
    private var heading: ObserverScope<HTML>?
    private var notice: ObserverScope<HTML>?
    private let storage: (any BoardStorage)?

    /// Creates the view and renders everything once.
    ///
    /// - Parameters:
    ///   - board: The board to render.
    ///   - storage: The storage of the board, whose trouble is shown; `nil` for a board that is not saved.
    ///   - isolation: The isolation of all renders.
    ///   - onRender: Called after each render.
    init(
        _ board: Board, _ storage: (any BoardStorage)?, isolation: isolated (any Actor)? = #isolation,
        onRender: @escaping @Sendable () -> Void
    ) {
        self.board = board
        self.storage = storage
        self.onRender = onRender
        heading = scope("heading", isolation: isolation) { Markup.heading(of: board) }
        // A file has no lasting trouble: a command that cannot be saved gets an error.
        if let storage, storage.isShared {
            notice = scope("trouble", isolation: isolation) { Markup.notice(of: storage.trouble) }
        }
        let columns = board.columns.live.filter(named: "shown columns", \.isShown).map(named: "columns") {
            [unowned self] column in
            ColumnView(column, in: self, isolation: isolation)
        }
        show(columns.map(\.frame), in: "columns", isolation: isolation)
    }

    /// Ends a change.
    ///
    /// - Returns: The update for pages.
    func takeChanges() -> PageUpdate { fragments.takeChanges() }

    /// The markup of all columns and cards.
    var markup: HTML { Markup.columns(HTML(board.columns.filter(\.isShown).map(markup))) }

    /// The page's notice about the storage.
    var trouble: HTML {
        guard let storage, storage.isShared else { return "" }
        return Markup.notice(of: storage.trouble)
    }

    private func markup(of column: Column) -> HTML {
        Markup.column(column, head: Markup.head(of: column), cards: HTML(column.cards.map(Markup.card)))
    }

    /// Renders an element that is not in a list.
    fileprivate func scope(
        _ id: String, isolation: isolated (any Actor)?, _ render: @escaping () -> HTML
    ) -> ObserverScope<HTML> {
        ObserverScope(named: id, render) { [unowned self] html in
            fragments.set(id, html)
            onRender()
        }
    }

    /// Shows a list and follows its changes.
    fileprivate func show(_ elements: LiveArray<Fragment>, in list: String, isolation: isolated (any Actor)?) {
        fragments.add(list, untracked { elements.elements })
        reaction(to: elements, named: list) { [unowned self] changes in
            fragments.apply(changes, to: list)
            onRender()
        }
    }
}

/// Renders the head and the cards of a column until the column leaves the board.
private final class ColumnView {
    /// The column without its contents. It is sent once, because its contents are separate fragments.
    let frame: Fragment
    private let head: ObserverScope<HTML>

    init(_ column: Column, in view: BoardView, isolation: isolated (any Actor)?) {
        let (head, list) = ("head-\(column.id)", "cards-\(column.id)")
        let markup = untracked { Markup.column(column, head: Markup.head(of: column), cards: "") }
        frame = Fragment(id: "column-\(column.id)", html: markup, parts: [head, list])
        self.head = view.scope(head, isolation: isolation) { Markup.head(of: column) }
        let cards = column.cards.live.map(named: list) { Fragment(id: "card-\($0.id)", html: Markup.card($0)) }
        view.show(cards, in: list, isolation: isolation)
    }
}
