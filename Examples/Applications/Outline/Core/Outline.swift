// The state: items with a title, a tick and nested items, as `Codable` structs with observable properties. Showing,
// recording and saving are implemented in other files, without code here.

import ReactiveCollections

/// A type with a list of items.
protocol Branch {
    /// The items, in order.
    var items: ObservableArray<Item> { get }
}

/// The contents of a file: `{"items": […]}`.
package struct Outline: Codable, Sendable, Branch {
    package let items: ObservableArray<Item>

    private enum CodingKeys: CodingKey, CaseIterable { case items }

    /// Creates an empty outline.
    package init() { items = [] }

    /// Decodes an outline. Refuses unknown members, which saving would lose.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self, asTheOnlyOnesOf: "an outline")
        items = try container.decode(ObservableArray<Item>.self, forKey: .items)
    }

    /// The progress of all items.
    package var progress: Progress { Progress(of: items) }
}

/// An item: `{"title": "Pack", "isDone": false, "items": […]}`. Only the title is required.
package struct Item: Codable, Sendable, Branch {
    @Observable package var title: String
    @Observable package var isDone: Bool
    package let items: ObservableArray<Item>

    /// The progress of the items below. Cached: a tick computes it again only for the parents of the item, not for the
    /// whole outline.
    package let progress: Computed<Progress>

    private enum CodingKeys: CodingKey, CaseIterable { case title, isDone, items }

    /// Creates an item that is not done and has no nested items.
    package init(_ title: String) {
        self.init(Observable(wrappedValue: title), Observable(wrappedValue: false), [])
    }

    /// Decodes an item. Refuses unknown members, which saving would lose.
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
        // Not a sum of a view, because a transaction may move an item below one of its own former descendants.
        progress = Computed(named: "progress") { Progress(of: items) }
    }
}

/// The number of items, and the number of those that are done.
package struct Progress: Equatable, Sendable {
    /// The number of items that are done.
    package private(set) var done = 0
    /// The number of items.
    package private(set) var total = 0

    /// Counts items and all items below them.
    init(of items: ObservableArray<Item>) {
        for item in items {
            let below = item.progress.value
            done += below.done + (item.isDone ? 1 : 0)
            total += below.total + 1
        }
    }
}

// MARK: - Reading files of other programs

/// A key in a file, known or unknown.
private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Returns the container of an object. All members must be known, because saving would lose unknown ones.
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
