// The pieces that a page is made of, as they are now, and which of them have changed since anybody was told.
//
//     html       "card-c1": "<li id="card-c1">…</li>"      an element that is replaced as a whole
//     children   "cards-to-do": ["card-c1", "card-c2"]     the elements in a list, in order
//
// Moving a card changes two lists and no element. An element belongs to one list; one that no list has any more is dropped when the
// change is over, so that it does not matter whether the old list or the new one is brought up to date first.

/// What the fragments of a page are, or what has become of some of them: what is sent to pages.
package struct PageUpdate: Codable, Sendable, Equatable {
    /// Elements by their `id`.
    package var html: [String: String] = [:]
    /// Lists of elements by the `id` of the list.
    package var children: [String: [String]] = [:]

    /// Creates one with nothing in it.
    package init() {}

    /// Whether there is nothing in it.
    package var isEmpty: Bool { html.isEmpty && children.isEmpty }
}

/// The fragments of a board's page.
struct Fragments {
    private var whole = PageUpdate()
    private var changed = PageUpdate()
    /// The list that each element of a list is in.
    private var lists: [String: String] = [:]
    private var orphans: Set<String> = []

    /// All fragments.
    var all: PageUpdate { whole }

    mutating func set(_ id: String, _ html: HTML) {
        guard whole.html.updateValue(html.markup, forKey: id) != html.markup else { return }
        changed.html[id] = html.markup
    }

    mutating func setChildren(of list: String, _ children: [String]) {
        let old = whole.children.updateValue(children, forKey: list)
        guard old != children else { return }
        changed.children[list] = children
        let kept = Set(children)
        for child in old ?? [] where !kept.contains(child) && lists[child] == list {
            lists[child] = nil
            orphans.insert(child)
        }
        for child in children {
            lists[child] = list
            orphans.remove(child)
        }
    }

    mutating func removeList(_ list: String) {
        setChildren(of: list, [])
        whole.children[list] = nil
        changed.children[list] = nil
    }

    mutating func remove(_ id: String) {
        whole.html[id] = nil
        changed.html[id] = nil
    }

    /// Ends a change.
    ///
    /// - Returns: What is different now, and the elements that are gone.
    mutating func takeChanges() -> (update: PageUpdate, gone: Set<String>) {
        let gone = orphans
        for id in gone { remove(id) }
        defer {
            changed = PageUpdate()
            orphans = []
        }
        return (changed, gone)
    }
}
