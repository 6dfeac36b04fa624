// The modules ReactiveCodable and ReactiveCollections: collections in object graphs.

import ReactiveCodable
import ReactiveCollections

extension Chapter {
    static let collectionsInGraphs = Chapter(
        "Collections in object graphs",
        [
            Sample("One edit among many elements is one operation") {
                struct Row: Codable { @Observable var title = "" }
                struct Document: Codable {
                    private(set) var rows = ObservableArray<Row>()
                    private(set) var byID = ObservableDictionary<String, Row>()
                }

                let document = Document()
                let history = History(document)
                let watching = deepObserve(document) { changes in
                    if let patch = try? changes.jsonPatch() { print(patch) }
                }
                document.rows.append(Row(title: "Milk"))
                // prints:
                // [{"op":"add","path":"/rows/0","value":{"title":"Milk"}}]
                document.rows.insert(Row(title: "Roof"), at: 0)
                // prints:
                // [{"op":"add","path":"/rows/0","value":{"title":"Roof"}}]
                document.rows[1].title = "Butter"
                // prints:
                // [{"op":"replace","path":"/rows/1/title","value":"Butter"}]
                document.rows.remove(at: 0)
                // prints:
                // [{"op":"remove","path":"/rows/0"}]
                try history.undo()
                // prints:
                // [{"op":"add","path":"/rows/0","value":{"title":"Roof"}}]
                watching.cancel()
            }
        ])
}
