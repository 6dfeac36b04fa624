// The pieces that a page is made of, as they are now, and which of them have changed since anybody was told.
//
//     html       "card-c1": "<li id="card-c1">…</li>"      an element that is replaced as a whole
//     children   "cards-to-do": ["card-c1", "card-c2"]     the elements in a list, in order
//     placed     card-c1 in cards-to-do, after card-c2     an element that has come to a list, or moved in it
//     removed    card-c1                                   an element that no list has any more
//
// What is sent goes with the change, not with the lists. Moving a card places one element and sends no markup. An
// element belongs to one list. One that no list has any more is dropped when the change is over, so it does not matter
// whether the old list or the new one is brought up to date first.

import ReactiveCollections

/// What the fragments of a page are, or what has become of some of them: what is sent to pages.
package struct PageUpdate: Codable, Sendable, Equatable {
    /// Elements by their `id`.
    package var html: [String: String] = [:]
    /// Of a whole page, the elements of each list by the `id` of the list.
    package var children: [String: [String]] = [:]
    /// The elements that are elsewhere now, in an order in which each can be put behind another.
    package var placed: [Placement] = []
    /// The elements that are gone.
    package var removed: [String] = []

    /// Creates one with nothing in it.
    package init() {}

    /// Whether there is nothing in it.
    package var isEmpty: Bool { html.isEmpty && children.isEmpty && placed.isEmpty && removed.isEmpty }
}

/// Where an element is now.
package struct Placement: Codable, Sendable, Equatable {
    package let element: String
    package let list: String
    /// The element that it is behind; `nil` at the beginning.
    package let after: String?

    /// Creates a placement.
    package init(_ element: String, in list: String, after: String?) {
        self.element = element
        self.list = list
        self.after = after
    }
}

/// An element of a list of the page.
struct Fragment: Equatable {
    let id: String
    let html: HTML
    /// Elements and lists in it that are fragments of their own, and go when it goes.
    var parts: [String] = []
}

/// The fragments of a board's page.
struct Fragments {
    private var whole = PageUpdate()
    /// The elements with other markup.
    private var changed: Set<String> = []
    /// The elements that have come or moved.
    private var placed: Set<String> = []
    /// The elements that no list has any more.
    private var orphans: [String: Fragment] = [:]
    /// The list that each element of a list is in.
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

    /// Brings a list up to date.
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
    /// - Returns: What is different now.
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

    /// Where the elements are that have come or moved. From the front of each list: what comes before them is in its
    /// place by then.
    private var placements: [Placement] {
        let positions = placed.compactMap { id in
            lists[id].flatMap { list in whole.children[list]?.firstIndex(of: id).map { (list: list, index: $0) } }
        }
        return positions.sorted { ($0.list, $0.index) < ($1.list, $1.index) }.compactMap { list, index in
            whole.children[list].map { Placement($0[index], in: list, after: index > 0 ? $0[index - 1] : nil) }
        }
    }

    /// Drops an element or a list, with what is in it.
    private mutating func remove(_ id: String) {
        whole.html[id] = nil
        for child in whole.children.removeValue(forKey: id) ?? [] where lists[child] == id {
            lists[child] = nil
            remove(child)
        }
    }
}
