// A log viewer: a filter, the last lines on screen, and a count. All of them follow each new line.
//
//     swift run --package-path Examples LogViewer

import ReactiveCollections

enum Level { case info, error }

struct Line {
    let level: Level
    let text: String
}

let log = ObservableArray<Line>()
let query = Observable("")

// Views. The filter tests a new line once, independent of the length of the log. After a new query it tests all lines.
let found = log.live.filter { query.value.isEmpty || $0.text.contains(query.value) }
let screen = found.map { "\($0.level): \($0.text)" }.suffix(2)
let byLevel = log.live.grouped(by: \.level)

// Draws the edits of the lines on screen.
let drawing = reaction(to: screen) { changes in
    for change in changes {
        switch change {
        case .insert(let line, let row): print("draw \(row)", line)
        case .remove(_, let row): print("erase \(row)")
        case .move, .update: break  // lines are only appended
        }
    }
}

// An observer of one group. It does not run for other lines.
let counting = autorun { print("errors:", byLevel[.error]?.count ?? 0) }  // prints "errors: 0"

log.append(Line(level: .info, text: "started"))  // prints "draw 0 info: started"
log.append(Line(level: .error, text: "disk full"))  // prints "draw 1 error: disk full", "errors: 1"
log.append(Line(level: .info, text: "retrying"))  // prints "erase 0", "draw 1 info: retrying"

query.value = "disk"  // prints "erase 1"
query.value = ""  // prints "draw 1 info: retrying"

// Ten thousand lines as one change: the screen is drawn once.
inTransaction {
    for number in 1...10_000 { log.append(Line(level: .info, text: "tick \(number)")) }
}
// prints:
// erase 1
// erase 0
// draw 0 info: tick 9999
// draw 1 info: tick 10000
drawing.cancel()
counting.cancel()
