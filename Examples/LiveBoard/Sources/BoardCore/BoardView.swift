// Renders the board into fragments. Each list is a view, whose edits say what has come, moved or gone, and each fragment
// is rendered again when what it shows has changed. Nobody reports what that is.
//
//     columns ── map ──▶ frames         and for each column: a scope for its head, and
//     cards   ── map ──▶ fragments      so one card that has changed is rendered, however many there are
//
// All of it belongs to one isolation, the session's. Views and scopes know it: whichever thread the graph gives a render
// to, it happens there.

import ReactiveCollections

/// The page of a board, as fragments that follow the board.
final class BoardView {
    private(set) var fragments = Fragments()
    private let board: Board
    private let onRender: @Sendable () -> Void
    private var heading: ObserverScope<HTML>?
    private var notice: ObserverScope<HTML>?
    private let storage: any BoardStorage

    /// Renders everything once.
    ///
    /// - Parameters:
    ///   - board: What to render.
    ///   - storage: What keeps it, which may be in trouble.
    ///   - isolation: Where it happens.
    ///   - onRender: Called whenever something was rendered.
    init(
        _ board: Board, _ storage: any BoardStorage, isolation: isolated (any Actor)? = #isolation,
        onRender: @escaping @Sendable () -> Void
    ) {
        self.board = board
        self.storage = storage
        self.onRender = onRender
        heading = scope("heading", isolation: isolation) { Markup.heading(of: board) }
        // A file has no trouble that lasts: who sends a command that cannot be saved is told.
        if storage.isShared {
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
    /// - Returns: What is different now.
    func takeChanges() -> PageUpdate { fragments.takeChanges() }

    /// The elements of the board with all in it.
    var markup: HTML { Markup.columns(HTML(board.columns.filter(\.isShown).map(markup))) }

    /// What the page says about the storage.
    var trouble: HTML { storage.isShared ? Markup.notice(of: storage.trouble) : "" }

    private func markup(of column: Column) -> HTML {
        Markup.column(column, head: Markup.head(of: column), cards: HTML(column.cards.map(Markup.card)))
    }

    /// Renders an element that is in no list.
    fileprivate func scope(
        _ id: String, isolation: isolated (any Actor)?, _ render: @escaping () -> HTML
    ) -> ObserverScope<HTML> {
        ObserverScope(named: id, render) { [unowned self] html in
            fragments.set(id, html)
            onRender()
        }
    }

    /// Shows a list, and what becomes of it.
    fileprivate func show(_ elements: LiveArray<Fragment>, in list: String, isolation: isolated (any Actor)?) {
        fragments.add(list, untracked { elements.elements })
        reaction(to: elements, named: list) { [unowned self] changes in
            fragments.apply(changes, to: list)
            onRender()
        }
    }
}

/// Renders the head of a column and its cards, until the column leaves the board.
private final class ColumnView {
    /// The column without what is in it. It is sent once: what changes in it are fragments of their own.
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
