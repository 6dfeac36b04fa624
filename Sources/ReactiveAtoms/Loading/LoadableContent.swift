// Where a node stands, for those who show it: data, progress, errors, and a way to try again.

import Reactive

/// Where a node stands: its data, whether it is loading, what went wrong.
///
/// ```swift
/// let books = store.loadable(allBooks)
/// if books.isLoading { showSpinner() }
/// if let error = books.errors.first { show(error, retry: books.load) }
/// if let list = books.data { show(list) }
/// ```
///
/// One that comes from a store or a scope looks at the store each time it is asked, and reading it where reading subscribes does subscribe. One that a
/// selector got (from ``noWait(_:)``, say) says what was true then.
public struct LoadableContent<T: Sendable>: @unchecked Sendable {
    // Sendable because what it captures is.

    /// What identifies the node.
    public let key: NodeKey
    /// Whether the value of the node takes its time.
    public let isAsynchronous: Bool
    /// The content alone: what is upstream is looked at only by those who ask for it.
    private let state: () -> LoadState<T>
    private let report: () -> LoadReport<T>
    private let reload: () -> Void

    init<Node: RecoilNode>(_ node: Node, in store: RecoilStore) where Node.T == T {
        key = node.key
        isAsynchronous = node is any RecoilAsyncNode
        state = { store._getter.state(of: node) }
        report = { store.report(on: node) }
        reload = { store.refresh(node) }
    }

    init<Node: RecoilNode>(_ node: Node, fixed report: LoadReport<T>, store: RecoilStore?) where Node.T == T {
        key = node.key
        isAsynchronous = node is any RecoilAsyncNode
        state = { report.state }
        self.report = { report }
        reload = { [weak store] in store?.refresh(node) }
    }

    /// The value that holds now; `nil` while there is none.
    ///
    /// A node that is loaded again keeps its data meanwhile. When an input has changed, the old data no longer hold, and are shown only by nodes that
    /// `keepPrevious`.
    public var data: T? { state().data }

    /// The last value that there was, whatever has happened since.
    public var latestData: T? { state().latestData }

    /// Whether the node, or one that it depends on, is loading.
    public var isLoading: Bool { report().activity.isLoading }

    /// Whether it is loading while there are data of an earlier time.
    public var isRefreshing: Bool {
        let report = report()
        return report.activity.isLoading && report.state.latestData != nil
    }

    /// What went wrong in the node and in those that it depends on, each once; the node's own error first.
    public var errors: [any Error] { report().activity.errors }

    /// Whether something went wrong.
    public var hasError: Bool { !errors.isEmpty }

    /// Whether a certain error is among ``errors``.
    public func containError<E: Error & Equatable>(of error: E) -> Bool { errors.contains { $0 as? E == error } }

    /// What there is to show.
    public var phase: LoadablePhase<T> {
        let report = report()
        if let data = report.state.data { return .loaded(data) }
        if report.activity.isLoading { return .loading }
        if let error = report.activity.errors.first { return .failed(error) }
        return .loading
    }

    /// Loads the node again, and those that it depends on and that have failed. What is under way is cancelled.
    public func load() { reload() }

    /// ``load()`` by another name.
    public func refresh() { reload() }

    /// ``load()`` by another name.
    public func retry() { reload() }
}

extension LoadableContent: Equatable where T: Equatable {
    /// Whether both say the same of the same node.
    public static func == (a: Self, b: Self) -> Bool {
        let (first, second) = (a.report(), b.report())
        return a.key == b.key && first.state.data == second.state.data
            && first.state.latestData == second.state.latestData
            && Activity.equality(first.activity, second.activity)
    }
}

extension LoadableContent: CustomStringConvertible {
    /// Name and phase.
    public var description: String { "\(key.name): \(untracked { phase })" }
}

/// What there is to show of a node.
@frozen public enum LoadablePhase<T: Sendable>: Sendable {
    /// Nothing yet.
    case loading
    /// Data, perhaps of an earlier time while new ones are loading.
    case loaded(T)
    /// An error, and no data.
    case failed(any Error)
}

/// What a loadable says at a time.
struct LoadReport<T: Sendable> {
    let state: LoadState<T>
    let activity: Activity

    /// Looks at a node. Tracked, under the lock.
    ///
    /// - Throws: What the core throws of a cycle.
    init(_ instance: _NodeInstance<T>) throws {
        state = try instance.state()
        activity = try instance.activity()
    }

    /// Of a node that could not be looked at.
    init(_ failure: Result<LoadReport, any Error>) {
        state = LoadState(loading: nil, latest: nil)
        var activity = Activity()
        if case .failure(let error) = failure { activity.add(error) }
        self.activity = activity
    }
}
