// The printed page and the patches that update it.

import ReactiveCodable
import Testing

@testable import OutlineCore

@Suite struct PageTests {
    /// Indices in a patch are those of the moment of each operation, not those of the result.
    @Test func anItemThatLaterOperationsMoveIsUpdated() throws {
        func item(_ title: String) -> String { "{\"title\": \"\(title)\", \"isDone\": false, \"items\": []}" }
        func outline(_ titles: String...) throws -> Outline {
            try Outline(json: "{\"items\": [\(titles.map(item).joined(separator: ", "))]}")
        }
        var page = Page(showing: try outline("a", "b", "c", "d"))
        let patch = try JSONPatch(
            parsing: """
                [{"op": "replace", "path": "/items/0/title", "value": "A"},
                {"op": "replace", "path": "/items/2/title", "value": "C"},
                {"op": "remove", "path": "/items/3"}, {"op": "remove", "path": "/items/1"}]
                """)
        let lines = page.update(to: try outline("A", "C"), after: patch)
        #expect(lines == ["1 [ ] A", "2 [ ] C", "3 gone", "4 gone"])
    }
}
