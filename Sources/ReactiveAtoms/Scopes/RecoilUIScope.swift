// `RecoilUIScope`: any object of a user interface with a function that refreshes it.

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
/// Call `refresh()` once yourself, so that it uses nodes for the first time. It is then called on the main actor
/// whenever a node that the last call used has changed.
@MainActor
public protocol RecoilUIScope: AnyObject {
    /// The store that ``recoil`` uses; by default the shared one.
    var recoilStore: RecoilStore { get }

    /// Shows the current state. The nodes that it reads through ``recoil`` are followed.
    func refresh()
}

extension RecoilUIScope {
    /// The shared store.
    public var recoilStore: RecoilStore { .shared }

    /// The scope of this object, created on first use. It refreshes the object as long as the object exists. After
    /// that, it is released when the scope of a different object is created.
    public var recoil: ScopedRecoilContext { UIScopes.scope(of: self) }
}

/// The scopes of objects that cannot store them.
@MainActor
private enum UIScopes {
    private struct Entry {
        weak var owner: (any RecoilUIScope)?
        let scope: ScopedRecoilContext
    }

    private static var entries: [ObjectIdentifier: Entry] = [:]

    static func scope(of owner: any RecoilUIScope) -> ScopedRecoilContext {
        let id = ObjectIdentifier(owner)
        // A different object may use the address of a released one.
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
