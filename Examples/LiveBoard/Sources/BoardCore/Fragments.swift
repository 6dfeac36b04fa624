// The current fragments of a page, and those that have changed since the last update.
//
//     html       "card-c1": "<li id="card-c1">…</li>"      an element that is replaced as a whole
//     children   "cards-to-do": ["card-c1", "card-c2"]     the elements in a list, in order
//     placed     card-c1 in cards-to-do, after card-c2     an element that was inserted into a list or moved in it
//     removed    card-c1                                   an element that is no longer in a list
//
// The size of an update depends on the change, not on the lists. Moving a card sends one position and no markup. An
// element belongs to one list. An element that is in no list is dropped at the end of the change. So the order in which
// the old and the new list are updated does not matter.

import ReactiveCollections

/// All fragments of a page or a set of changes, in the form that is sent to pages.
package struct PageUpdate: Codable, Sendable, Equatable {
    /// Elements by their `id`.
    package var html: [String: String] = [:]
    /// The elements of each list by the list's `id`. Only in updates with a whole page.
    package var children: [String: [String]] = [:]
    /// The elements with a new position, in an order such that each can be placed after an element that is already in
    /// position.
    package var placed: [Placement] = []
    /// The removed elements.
    package var removed: [String] = []

    /// Creates an empty update.
    package init() {}

    /// Whether the update is empty.
    package var isEmpty: Bool { html.isEmpty && children.isEmpty && placed.isEmpty && removed.isEmpty }
}

/// The new position of an element.
package struct Placement: Codable, Sendable, Equatable {
    package let element: String
    package let list: String
    /// The element before it; `nil` at the beginning of the list.
    package let after: String?

    /// Creates a placement.
    package init(_ element: String, in list: String, after: String?) {
        self.element = element
        self.list = list
        self.after = after
    }
}

/// An element of a list on the page.
struct Fragment: Equatable {
    let id: String
    let html: HTML
    /// The elements and lists inside it that are separate fragments. They are removed together with it.
    var parts: [String] = []
}

/// The fragments of a board's page.
struct Fragments {
    private var whole = PageUpdate()
    /// The elements with changed markup.
    private var changed: Set<String> = []
    /// The elements that were inserted or moved.
    private var placed: Set<String> = []
    /// The elements that are no longer in a list.
    private var orphans: [String: Fragment] = [:]
    /// The list of each element.
    private var lists: [String: String] = [:]

    /// All fragments.
    var all: PageUpdate { whole }

    mutating func set(_ id: String, _ html: HTML) {
        guard whole.html.updateValue(html.markup, forKey: id) != html.markup else { return }
        changed.insert(id)
    }

    /// Adds a list.
    mutating func add(_ list: String, _ elements: [Fragment]) {
        whole.children[list] = []
        for (index, element) in elements.enumerated() { insert(element, at: index, in: list) }
    }

    /// Updates a list.
    mutating func apply(_ changes: CollectionChanges<Fragment>, to list: String) {
        for change in changes {
            switch change {
            case .insert(let element, let index): insert(element, at: index, in: list)
            case .remove(let element, let index):
                whole.children[list]?.remove(at: index)
                if lists[element.id] == list {
                    lists[element.id] = nil
                    orphans[element.id] = element
                }
            case .move(let element, let from, let to):
                whole.children[list]?.remove(at: from)
                whole.children[list]?.insert(element.id, at: to)
                placed.insert(element.id)
            case .update(let element, _, _): set(element.id, element.html)
            }
        }
    }

    private mutating func insert(_ element: Fragment, at index: Int, in list: String) {
        set(element.id, element.html)
        whole.children[list]?.insert(element.id, at: index)
        lists[element.id] = list
        placed.insert(element.id)
        orphans[element.id] = nil
    }

    /// Ends a change.
    ///
    /// - Returns: The changes since the last call.
    mutating func takeChanges() -> PageUpdate {
        for (id, element) in orphans { for gone in [id] + element.parts { remove(gone) } }
        var update = PageUpdate()
        for id in changed { update.html[id] = whole.html[id] }
        update.placed = placements
        update.removed = orphans.keys.sorted()
        changed = []
        placed = []
        orphans = [:]
        return update
    }

    /// The positions of the inserted and moved elements. Each list is processed from the front, so that the element
    /// before each is already in position.
    private var placements: [Placement] {
        let positions = placed.compactMap { id in
            lists[id].flatMap { list in whole.children[list]?.firstIndex(of: id).map { (list: list, index: $0) } }
        }
        return positions.sorted { ($0.list, $0.index) < ($1.list, $1.index) }.compactMap { list, index in
            whole.children[list].map { Placement($0[index], in: list, after: index > 0 ? $0[index - 1] : nil) }
        }
    }

    /// Removes an element or a list with its contents.
    private mutating func remove(_ id: String) {
        whole.html[id] = nil
        for child in whole.children.removeValue(forKey: id) ?? [] where lists[child] == id {
            lists[child] = nil
            remove(child)
        }
    }
}
