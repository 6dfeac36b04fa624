// The HTML of the page's parts: functions from state to HTML.

import Foundation

/// The markup of a board's page.
package enum Markup {
    /// The whole page.
    ///
    /// - Parameters:
    ///   - board: The board to show.
    ///   - columns: The columns with their cards.
    ///   - trouble: The notice about the storage.
    ///   - name: The board's name in the address.
    ///   - position: The position of the updates that the page contains.
    static func page(of board: Board, columns: HTML, trouble: HTML, named name: String, at position: String) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        \(head(title: "\(board.title) – LiveBoard"))
        <script src="/board.js" defer></script>
        </head>
        <body data-board="\(name)" data-position="\(position)">
        <a class="skip" href="#columns">Skip to the cards</a>
        <header class="bar">
        \(heading(of: board))
        <a class="inspect" href="/boards/\(name)/inspector" title="The dependency graph inside the server">graph</a>
        <a class="inspect" href="/boards/\(name)/inspector/copy" title="A copy of the board that steps back and forth \
        in its recent changes">history</a>
        <p id="connection" class="connection" role="status" data-state="connecting">connecting</p>
        </header>
        <main>
        \(columns)
        <form class="new-column" data-add="column" autocomplete="off">
        <input name="title" maxlength="\(Limits.title)" placeholder="New column" aria-label="Title of the new column">
        <button aria-label="Add the column">+</button>
        </form>
        </main>
        <p id="announcement" class="visually-hidden" role="status" aria-live="polite"></p>
        <div class="messages">
        \(trouble)
        <div id="complaints" role="alert"></div>
        <p id="stuck" class="trouble" role="alert" hidden>\
        The server cannot save at the moment. Your changes are kept here, and will be sent again.</p>
        <p id="removal" class="removal" hidden><span></span> <button id="undo">Undo</button> \
        <button id="forget" aria-label="Dismiss">×</button></p>
        </div>
        <noscript><p class="notice">Without JavaScript, this page shows the board, but cannot change it.</p></noscript>
        \(dialog)
        \(templates)
        </body>
        </html>

        """
    }

    /// Returns an error page.
    ///
    /// - Parameters:
    ///   - reason: The reason, as the middle of a sentence.
    ///   - status: The status of the response.
    package static func page(of reason: String, status: Int) -> HTML {
        let title =
            switch status {
            case 404: "Not found"
            case 503: "Temporarily unavailable"
            case 500...: "Something went wrong"
            default: "Invalid request"
            }
        let link: HTML = status == 404 ? "<p><a href=\"/\">Open the board “welcome”</a></p>" : ""
        return """
            <!doctype html>
            <html lang="en">
            <head>
            \(head(title: "\(title) – LiveBoard"))
            </head>
            <body>
            <main class="sorry">
            <h1>\(title)</h1>
            <p>\(reason.prefix(1).uppercased() + reason.dropFirst()).</p>
            \(link)
            </main>
            </body>
            </html>

            """
    }

    private static func head(title: String) -> HTML {
        """
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title)</title>
        <link rel="icon" href="/board.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/board.css">
        """
    }

    /// The title and the progress of the board.
    static func heading(of board: Board) -> HTML {
        let progress = board.progress.value
        return """
            <div id="heading" class="heading">
            <h1><button id="edit-board" class="title" data-edit="board" title="Rename the board">\
            \(board.title)</button></h1>
            <p class="summary"><progress max="\(max(progress.total, 1))" value="\(progress.done)" \
            aria-label="Done"></progress> <span>\(progress.done) of \(progress.total) done</span></p>
            </div>
            """
    }

    /// The notice about a shared storage. Without trouble, the element exists and is hidden.
    static func notice(of trouble: Trouble?) -> HTML {
        let text =
            switch trouble {
            case nil: ""
            case .offline:
                """
                This server cannot reach its database. The board may be out of date, and your changes are kept here.
                """
            case .behind: "This server is behind its database. The board is catching up."
            case .refused(let reason): "The database refuses this board: \(reason). The board may be out of date."
            }
        let isHidden: HTML = text.isEmpty ? " hidden" : ""
        return "<p id=\"trouble\" class=\"trouble\" role=\"status\"\(isHidden)>\(text)</p>"
    }

    /// The list of columns.
    static func columns(_ columns: HTML) -> HTML { "<div id=\"columns\" class=\"columns\">\(columns)</div>" }

    /// The frame of a column, which never changes, with its contents.
    static func column(_ column: Column, head: HTML, cards: HTML) -> HTML {
        """
        <section id="column-\(column.id)" class="column" data-column="\(column.id)" data-frame \
        aria-labelledby="title-\(column.id)">
        \(head)
        <ol id="cards-\(column.id)" class="cards">\(cards)</ol>
        <form class="new-card" data-add="card" autocomplete="off">
        <input name="title" maxlength="\(Limits.title)" placeholder="Add a card" aria-label="Title of the new card">
        <button aria-label="Add the card">+</button>
        </form>
        </section>
        """
    }

    /// The title and the progress of a column.
    static func head(of column: Column) -> HTML {
        let progress = column.progress.value
        return """
            <header id="head-\(column.id)" class="head">
            <h2 id="title-\(column.id)"><button id="edit-\(column.id)" class="title" data-edit="column" \
            title="Rename the column">\(column.title)</button></h2>
            <span class="count" aria-label="\(progress.done) of \(progress.total) done">\
            \(progress.done)/\(progress.total)</span>
            </header>
            """
    }

    /// A card.
    static func card(_ card: Card) -> HTML {
        let note: HTML = card.note.isEmpty ? "" : "<span class=\"note\">\(card.note)</span>"
        return """
            <li id="card-\(card.id)" class="\(card.isDone ? "card done" : "card")" data-card="\(card.id)" \
            draggable="true">
            <input id="done-\(card.id)" type="checkbox" data-done \(card.isDone ? "checked" : "") \
            aria-label="Done: \(card.title)">
            <button id="edit-\(card.id)" class="text" data-edit="card" title="Edit; Alt and an arrow key move it" \
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Alt+ArrowLeft Alt+ArrowRight">\
            <span class="title">\(card.title)</span>\(note)</button>
            </li>
            """
    }

    /// A card and a column without texts. The script uses them to show input that the server has not received yet.
    private static let templates: HTML = {
        let id = ItemID("TEMPLATE")!
        let empty = Column(id: id, title: "")
        return """
            <template id="new-card">\(card(Card(id: id, title: "")))</template>
            <template id="new-column">\(column(empty, head: head(of: empty), cards: ""))</template>
            """
    }()

    /// The dialog for editing cards, columns and the board. The script fills it in and shows it.
    private static let dialog: HTML = """
        <dialog id="editor" aria-labelledby="editor-heading">
        <form method="dialog">
        <h2 id="editor-heading">Edit</h2>
        <label>Title <textarea name="title" rows="2" maxlength="\(Limits.title)" required></textarea></label>
        <label data-for="card">Note <textarea name="note" rows="6" maxlength="\(Limits.note)"></textarea></label>
        <label data-for="card">Column <select name="column"></select></label>
        <label data-for="column">Place <select name="place"></select></label>
        <p class="problem" role="alert"></p>
        <menu>
        <button type="button" class="danger" value="remove">Remove</button>
        <button type="button" value="cancel">Cancel</button>
        <button class="primary" value="save">Save</button>
        </menu>
        </form>
        </dialog>
        """
}
