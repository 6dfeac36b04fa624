// The state of a node: the common form of the content of every instance.

import Reactive

/// The value of a node, or the reason why there is none.
struct LoadState<T> {
    /// The current value.
    var data: T?
    /// The error of the last result; `nil` if there is a value, or no result yet.
    var error: (any Error)?
    /// Whether a run is pending, or a node that the last run awaited is loading.
    var isLoading = false
    /// The last value that there was, whatever has happened since.
    var latestData: T?

    init(_ result: Result<T, any Error>, latest: T? = nil) {
        switch result {
        case .success(let value):
            data = value
            latestData = value
        case .failure(let error):
            self.error = error
            latestData = latest
        }
    }

    init(loading data: T?, latest: T?) {
        self.data = data
        isLoading = true
        latestData = latest
    }

    /// The result, or `nil` while it is loading.
    var outcome: Result<T, any Error>? {
        if isLoading { return nil }
        if let error { return .failure(error) }
        return data.map { .success($0) }
    }

    /// Returns the same state with a transformed value.
    func map<U>(_ body: (T) -> U) -> LoadState<U> {
        var state = LoadState<U>(loading: data.map(body), latest: latestData.map(body))
        state.isLoading = isLoading
        state.error = error
        return state
    }

    /// Returns whether two states count as the same, by a rule for their values.
    static func areSame(_ old: LoadState, _ new: LoadState, _ values: Equality<T>) -> Bool {
        old.isLoading == new.isLoading && areSame(old.data, new.data, values)
            && areSame(old.latestData, new.latestData, values) && areSame(old.error, new.error)
    }

    private static func areSame(_ a: T?, _ b: T?, _ values: Equality<T>) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return values(a, b)
    }

    private static func areSame(_ a: (any Error)?, _ b: (any Error)?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return isSameError(a, b)
    }
}

/// Whether a node or one of its dependencies is loading, and their errors.
struct Activity {
    var isLoading = false
    /// The errors, each once; the node's own error first.
    var errors: [any Error] = []

    mutating func add(_ error: any Error) {
        if !errors.contains(where: { isSameError($0, error) }) { errors.append(error) }
    }

    static var equality: Equality<Activity> {
        Equality { old, new in
            old.isLoading == new.isLoading && old.errors.count == new.errors.count
                && zip(old.errors, new.errors).allSatisfy { isSameError($0, $1) }
        }
    }
}
