// The module ReactiveCollections: plain arrays as sources of views.

import ReactiveCollections

private struct Row {
    let id: Int
    var isDone = false
    var isHidden = false
}

extension Chapter {
    static let liveSources = Chapter(
        "Views of plain arrays",
        [
            Sample("A property, by the ids of its elements") {
                @Observable var rows: [Row] = []
                let open = $rows.live(id: \.id).filter { !$0.isDone }
                let observer = autorun { print(open.elements.map(\.id)) }  // prints "[]"
                rows = [Row(id: 1), Row(id: 2, isDone: true), Row(id: 3)]  // prints "[1, 3]"
                rows[1].isDone = false  // prints "[1, 2, 3]"
                observer.cancel()
            },
            Sample("The observable of a property") {
                @Observable var rows: [Row] = []
                let open = _rows.live(id: \.id).filter { !$0.isDone }
                rows.append(Row(id: 1))
                print(open.count)  // prints "1"
            },
            Sample("A computed array") {
                @Observable var rows: [Row] = []
                let visibleRows = Computed { rows.filter { !$0.isHidden } }
                let open = visibleRows.live(id: \.id).filter { !$0.isDone }
                rows = [Row(id: 1), Row(id: 2, isHidden: true)]
                print(open.count)  // prints "1"
            },
        ])
}
