// The state: items with a title, a tick, and items below them. It is `Codable` state that is observable;
// that it is shown, recorded and saved is written elsewhere, and nothing here knows of it.

import ReactiveCollections

/// A list of items that others can be put into.
protocol Branch {
    /// The items, in order.
    var items: ObservableArray<Item> { get }
}

/// What the file holds: `{"items": […]}`.
package struct Outline: Codable, Sendable, Branch {
    package let items: ObservableArray<Item>

    private enum CodingKeys: CodingKey, CaseIterable { case items }

    /// Creates an empty outline.
    package init() { items = [] }

    /// Reads an outline, and refuses members that it could not keep.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self, asTheOnlyOnesOf: "an outline")
        items = try container.decode(ObservableArray<Item>.self, forKey: .items)
    }

    /// How much is done.
    package var progress: Progress { Progress(of: items) }
}

/// Something to do: `{"title": "Pack", "isDone": false, "items": […]}`, where all but the title may be absent.
package struct Item: Codable, Sendable, Branch {
    @Observable package var title: String
    @Observable package var isDone: Bool
    package let items: ObservableArray<Item>

    /// How much is done of what lies below. Cached: a tick asks only the items around it again, not the whole outline.
    package let progress: Computed<Progress>

    private enum CodingKeys: CodingKey, CaseIterable { case title, isDone, items }

    /// Creates an item that is not done and has none below it.
    package init(_ title: String) {
        self.init(Observable(wrappedValue: title), Observable(wrappedValue: false), [])
    }

    /// Reads an item, and refuses members that it could not keep.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self, asTheOnlyOnesOf: "an item")
        // Two keys for each level, "items" and the index.
        guard decoder.codingPath.count <= 2 * ItemNumber.maximumDepth else {
            throw container.error("items are nested more than \(ItemNumber.maximumDepth) levels deep")
        }
        self.init(
            try container.decode(Observable<String>.self, forKey: .title),
            try container.contains(.isDone)
                ? container.decode(Observable<Bool>.self, forKey: .isDone) : Observable(wrappedValue: false),
            try container.contains(.items) ? container.decode(ObservableArray<Item>.self, forKey: .items) : [])
    }

    private init(_ title: Observable<String>, _ isDone: Observable<Bool>, _ items: ObservableArray<Item>) {
        _title = title
        _isDone = isDone
        self.items = items
        // Not a sum of a view: in one transaction, an item may move below what was below it.
        progress = Computed(named: "progress") { Progress(of: items) }
    }
}

/// How many items there are, and how many of them are done.
package struct Progress: Equatable, Sendable {
    /// How many are done.
    package private(set) var done = 0
    /// How many there are.
    package private(set) var total = 0

    /// Counts items and all that lies below them.
    init(of items: ObservableArray<Item>) {
        for item in items {
            let below = item.progress.value
            done += below.done + (item.isDone ? 1 : 0)
            total += below.total + 1
        }
    }
}

// MARK: - Reading files that others wrote

/// A key as the file has it.
private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// The members of an object, of which all must be known: what is not read would be lost when the file is saved.
    fileprivate func container<Key: CodingKey & CaseIterable>(
        keyedBy type: Key.Type, asTheOnlyOnesOf thing: String
    ) throws -> KeyedDecodingContainer<Key> {
        let container = try container(keyedBy: type)
        let known = Set(type.allCases.map(\.stringValue))
        let names = try self.container(keyedBy: MemberName.self).allKeys.map(\.stringValue)
        if let stranger = names.filter({ !known.contains($0) }).min() {
            throw container.error("\(thing) has no member \"\(stranger)\"; remove it, because saving would lose it")
        }
        return container
    }
}

extension KeyedDecodingContainer {
    fileprivate func error(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: reason))
    }
}
