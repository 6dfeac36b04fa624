// The state of a node, for views: data, progress, errors, and a function that loads again.

import Reactive

/// The state of a node: its data, whether it is loading, and its errors.
///
/// ```swift
/// let books = store.loadable(allBooks)
/// if books.isLoading { showSpinner() }
/// if let error = books.errors.first { show(error, retry: books.load) }
/// if let list = books.data { show(list) }
/// ```
///
/// A loadable from a store or a scope reads the store on each access; such a read subscribes as other reads do. A
/// loadable that a selector has received (from ``noWait(_:)``, for example) describes the state at that time.
public struct LoadableContent<T: Sendable>: @unchecked Sendable {
    // Sendable because its captures are.

    /// The identity of the node.
    public let key: NodeKey
    /// Whether the node is asynchronous.
    public let isAsynchronous: Bool
    /// The content alone: the nodes upstream are read only on demand.
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

    /// The current value; `nil` while there is none.
    ///
    /// A node that loads again keeps its data meanwhile. If an input has changed, the old data are no longer valid.
    /// Only nodes with `keepPrevious` show them then.
    public var data: T? { state().data }

    /// The last value that there was, whatever has happened since.
    public var latestData: T? { state().latestData }

    /// Whether the node, or one of its dependencies, is loading.
    public var isLoading: Bool { report().activity.isLoading }

    /// Whether it is loading and has data of an earlier load.
    public var isRefreshing: Bool {
        let report = report()
        return report.activity.isLoading && report.state.latestData != nil
    }

    /// The errors of the node and its dependencies, each once; the node's own error first.
    public var errors: [any Error] { report().activity.errors }

    /// Whether there are errors.
    public var hasError: Bool { !errors.isEmpty }

    /// Returns whether ``errors`` contains an error.
    public func containError<E: Error & Equatable>(of error: E) -> Bool { errors.contains { $0 as? E == error } }

    /// The data, the progress or the error to show.
    public var phase: LoadablePhase<T> {
        let report = report()
        if let data = report.state.data { return .loaded(data) }
        if report.activity.isLoading { return .loading }
        if let error = report.activity.errors.first { return .failed(error) }
        return .loading
    }

    /// Loads the node again, including its dependencies that have failed. A current run is cancelled.
    public func load() { reload() }

    /// ``load()`` by another name.
    public func refresh() { reload() }

    /// ``load()`` by another name.
    public func retry() { reload() }
}

extension LoadableContent: Equatable where T: Equatable {
    /// Whether both describe the same state of the same node.
    public static func == (a: Self, b: Self) -> Bool {
        let (first, second) = (a.report(), b.report())
        return a.key == b.key && first.state.data == second.state.data
            && first.state.latestData == second.state.latestData
            && Activity.equality(first.activity, second.activity)
    }
}

extension LoadableContent: CustomStringConvertible {
    /// The name and the phase.
    public var description: String { "\(key.name): \(untracked { phase })" }
}

/// The data, the progress or the error of a node, for a view.
@frozen public enum LoadablePhase<T: Sendable>: Sendable {
    /// There is nothing to show yet.
    case loading
    /// Data, perhaps of an earlier load while new data are loading.
    case loaded(T)
    /// An error, and no data.
    case failed(any Error)
}

/// A loadable's content at one time.
struct LoadReport<T: Sendable> {
    let state: LoadState<T>
    let activity: Activity

    /// Reads the state of a node. Tracked, under the lock.
    ///
    /// - Throws: The core's error for a cycle.
    init(_ instance: _NodeInstance<T>) throws {
        state = try instance.state()
        activity = try instance.activity()
    }

    /// Creates the report of a node that could not be read.
    init(_ failure: Result<LoadReport, any Error>) {
        state = LoadState(loading: nil, latest: nil)
        var activity = Activity()
        if case .failure(let error) = failure { activity.add(error) }
        self.activity = activity
    }
}
