// How far an asynchronous operation has come.

/// How far an asynchronous operation has come.
public enum AsyncPhase<Success, Failure: Error> {
    /// It has not been started.
    case pending
    /// It has been started, and has no result yet.
    case running
    /// It has succeeded.
    case success(Success)
    /// It has failed.
    case failure(Failure)

    /// Creates the phase of an operation that is over.
    public init(_ result: Result<Success, Failure>) {
        switch result {
        case .success(let value): self = .success(value)
        case .failure(let error): self = .failure(error)
        }
    }

    /// Whether it has not been started.
    public var isPending: Bool {
        if case .pending = self { true } else { false }
    }

    /// Whether it runs and has no result yet.
    public var isRunning: Bool {
        if case .running = self { true } else { false }
    }

    /// Whether it has succeeded.
    public var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    /// Whether it has failed.
    public var isFailure: Bool {
        if case .failure = self { true } else { false }
    }

    /// Whether it has succeeded or failed.
    public var hasCompleted: Bool { result != nil }

    /// The value of a success.
    public var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }

    /// The error of a failure.
    public var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The result of an operation that is over.
    public var result: Result<Success, Failure>? {
        switch self {
        case .pending, .running: nil
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        }
    }

    /// The same phase with another value of a success.
    public func map<NewSuccess>(_ transform: (Success) -> NewSuccess) -> AsyncPhase<NewSuccess, Failure> {
        flatMap { .success(transform($0)) }
    }

    /// The same phase with another error of a failure.
    public func mapError<NewFailure: Error>(
        _ transform: (Failure) -> NewFailure
    ) -> AsyncPhase<Success, NewFailure> {
        flatMapError { .failure(transform($0)) }
    }

    /// The same phase, or the one that a success is turned into.
    public func flatMap<NewSuccess>(
        _ transform: (Success) -> AsyncPhase<NewSuccess, Failure>
    ) -> AsyncPhase<NewSuccess, Failure> {
        switch self {
        case .pending: .pending
        case .running: .running
        case .success(let value): transform(value)
        case .failure(let error): .failure(error)
        }
    }

    /// The same phase, or the one that a failure is turned into.
    public func flatMapError<NewFailure: Error>(
        _ transform: (Failure) -> AsyncPhase<Success, NewFailure>
    ) -> AsyncPhase<Success, NewFailure> {
        switch self {
        case .pending: .pending
        case .running: .running
        case .success(let value): .success(value)
        case .failure(let error): transform(error)
        }
    }
}

extension AsyncPhase: CustomDebugStringConvertible {
    /// The phase and its value or error, without the types of those that it might have.
    public var debugDescription: String {
        switch self {
        case .pending: "pending"
        case .running: "running"
        case .success(let value): "success(\(String(reflecting: value)))"
        case .failure(let error): "failure(\(String(reflecting: error)))"
        }
    }
}

extension AsyncPhase: Equatable where Success: Equatable, Failure: Equatable {}
extension AsyncPhase: Hashable where Success: Hashable, Failure: Hashable {}
extension AsyncPhase: Sendable where Success: Sendable {}
