// The phases of an asynchronous operation.

/// The phase of an asynchronous operation.
public enum AsyncPhase<Success, Failure: Error> {
    /// The operation has not been started.
    case pending
    /// The operation has been started, and has no result yet.
    case running
    /// The operation has succeeded.
    case success(Success)
    /// The operation has failed.
    case failure(Failure)

    /// Creates the phase of an operation that has ended.
    public init(_ result: Result<Success, Failure>) {
        switch result {
        case .success(let value): self = .success(value)
        case .failure(let error): self = .failure(error)
        }
    }

    /// Whether the operation has not been started.
    public var isPending: Bool {
        if case .pending = self { true } else { false }
    }

    /// Whether the operation is running and has no result yet.
    public var isRunning: Bool {
        if case .running = self { true } else { false }
    }

    /// Whether the operation has succeeded.
    public var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    /// Whether the operation has failed.
    public var isFailure: Bool {
        if case .failure = self { true } else { false }
    }

    /// Whether the operation has succeeded or failed.
    public var hasCompleted: Bool { result != nil }

    /// The value of a success.
    public var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }

    /// The error of a failure.
    public var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The result of an operation that has ended.
    public var result: Result<Success, Failure>? {
        switch self {
        case .pending, .running: nil
        case .success(let value): .success(value)
        case .failure(let error): .failure(error)
        }
    }

    /// Returns the same phase with a transformed value of a success.
    public func map<NewSuccess>(_ transform: (Success) -> NewSuccess) -> AsyncPhase<NewSuccess, Failure> {
        flatMap { .success(transform($0)) }
    }

    /// Returns the same phase with a transformed error of a failure.
    public func mapError<NewFailure: Error>(
        _ transform: (Failure) -> NewFailure
    ) -> AsyncPhase<Success, NewFailure> {
        flatMapError { .failure(transform($0)) }
    }

    /// Returns the same phase, or the phase that `transform` returns for a success.
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

    /// Returns the same phase, or the phase that `transform` returns for a failure.
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
    /// The phase and its value or error, without generic types.
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
