// Lists rendered without hooks: `map` renders each row, or creates an `ObserverScope` for each row.

import TestSupport
import Testing

import ReactiveCollections

@Suite(.ownGraph) struct MapRenderingTests {
    private final class Row {
        let number: Int
        @Observable var title: String

        init(_ number: Int) {
            self.number = number
            title = "row \(number)"
        }
    }

    @Test func mapIsARenderForEachRow() {
        let log = Log()
        let rows = ObservableArray((0..<1000).map(Row.init))
        let fragments = rows.live.map { row in
            onCleanup { log("end \(row.number)") }
            log("render \(row.number)")
            return row.title
        }
        var page = fragments.elements
        _ = log.take()
        let following = reaction(to: fragments) { page.apply($0) }
        rows[500].title = "changed"
        #expect(log.take().sorted() == ["end 500", "render 500"])
        #expect(page[500] == "changed")
        rows.move(from: 500, to: 3)
        #expect(log.take() == [])
        #expect(page[3] == "changed")
        rows.insert(Row(1000), at: 0)
        #expect(log.take() == ["render 1000"])
        rows.remove(at: 4)
        #expect(log.take() == ["end 500"])
        #expect(page == rows.map(\.title))
        following.cancel()
    }

    @Test func aScopeForEachRowRendersByItself() {
        let log = Log()
        let rows = ObservableArray((0..<1000).map(Row.init))
        let scopes = rows.live.map { row in
            ObserverScope {
                onCleanup { log("end \(row.number)") }
                return row.title
            } onRender: {
                log($0)
            }
        }
        let following = reaction(to: scopes) { log("\($0.count) edits") }
        #expect(scopes.count == 1000)
        _ = log.take()
        rows[500].title = "changed"
        #expect(log.take() == ["end 500", "changed"])
        let scope = scopes[500]
        rows.move(from: 500, to: 3)
        #expect(log.take() == ["1 edits"])
        #expect(scopes[3] === scope)
        rows.append(Row(1000))
        #expect(log.take().sorted() == ["1 edits", "row 1000"])
        rows.removeFirst()
        #expect(log.take().sorted() == ["1 edits", "end 0"])
        following.cancel()
    }
}
