// `RecoilUIScope`: any object of a user interface that can refresh itself.

import Reactive

/// An object of a user interface that is refreshed when the nodes that it used change.
///
/// ```swift
/// extension BooksViewController: RecoilUIScope {
///     func refresh() {
///         let books = recoil.useLoadable(BookList.currentBooks)
///         spinner.isHidden = !books.isLoading
///         tableView.reload(books.data ?? [])
///     }
/// }
/// ```
///
/// Call `refresh()` once yourself, to use something for the first time. From then on it is called on the main actor whenever what the last call used has changed.
@MainActor
public protocol RecoilUIScope: AnyObject {
    /// The store that ``recoil`` uses; by default the shared one.
    var recoilStore: RecoilStore { get }

    /// Shows the present state. What it reads through ``recoil`` is followed.
    func refresh()
}

extension RecoilUIScope {
    /// The shared store.
    public var recoilStore: RecoilStore { .shared }

    /// The scope of this object, made on first use. It refreshes the object as long as there is one, and is let go when the scope of another
    /// object is made after that.
    public var recoil: ScopedRecoilContext { UIScopes.scope(of: self) }
}

/// The scopes of objects that have no room for them.
@MainActor
private enum UIScopes {
    private struct Entry {
        weak var owner: (any RecoilUIScope)?
        let scope: ScopedRecoilContext
    }

    private static var entries: [ObjectIdentifier: Entry] = [:]

    static func scope(of owner: any RecoilUIScope) -> ScopedRecoilContext {
        let id = ObjectIdentifier(owner)
        // An address may be used again by another object.
        if let entry = entries[id], entry.owner === owner { return entry.scope }
        let scope = ScopedRecoilContext(store: owner.recoilStore)
        scope.onRefresh = { [weak owner] in
            MainActor.assumeIsolated {
                if let owner {
                    owner.refresh()
                } else if entries[id]?.owner == nil {
                    entries[id] = nil
                }
            }
        }
        entries = entries.filter { $0.value.owner != nil }
        entries[id] = Entry(owner: owner, scope: scope)
        return scope
    }
}
