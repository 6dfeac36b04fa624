// The part of Combine that the adapters use, with Combine's documented signatures. Publishers ignore demand: they send
// all values.

/// Something that can be cancelled.
public protocol Cancellable {
    func cancel()
}

extension Cancellable {
    public func store(in set: inout Set<AnyCancellable>) { AnyCancellable(self).store(in: &set) }

    public func store<C>(in collection: inout C) where C: RangeReplaceableCollection, C.Element == AnyCancellable {
        AnyCancellable(self).store(in: &collection)
    }
}

/// Cancels when it is released.
public final class AnyCancellable: Cancellable, Hashable {
    private var action: (() -> Void)?

    public init(_ cancel: @escaping () -> Void) { action = cancel }
    public init<C: Cancellable>(_ canceller: C) { action = { canceller.cancel() } }
    deinit { cancel() }

    public func cancel() {
        let action = action
        self.action = nil
        action?()
    }

    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    public func store<C>(in collection: inout C) where C: RangeReplaceableCollection, C.Element == AnyCancellable {
        collection.append(self)
    }

    public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// How a publisher ends.
public enum Subscribers {
    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

/// Sends values over time.
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    /// Combine's protocol requires `receive(subscriber:)` instead.
    func attach(
        _ completion: @escaping (Subscribers.Completion<Failure>) -> Void, _ value: @escaping (Output) -> Void
    ) -> AnyCancellable
}

extension Publisher {
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        attach(receiveCompletion, receiveValue)
    }
}

extension Publisher where Failure == Never {
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { attach({ _ in }, receiveValue) }
}

/// Sends given values.
public final class PassthroughSubject<Output, Failure: Error>: Publisher {
    private var subscribers: [Int: (Subscribers.Completion<Failure>?, Output?) -> Void] = [:]
    private var count = 0

    public init() {}

    public func send(_ input: Output) { for subscriber in subscribers.values { subscriber(nil, input) } }

    public func send(completion: Subscribers.Completion<Failure>) {
        for subscriber in subscribers.values { subscriber(completion, nil) }
    }

    public func attach(
        _ completion: @escaping (Subscribers.Completion<Failure>) -> Void, _ value: @escaping (Output) -> Void
    ) -> AnyCancellable {
        count += 1
        let number = count
        subscribers[number] = { end, new in
            if let end { completion(end) }
            if let new { value(new) }
        }
        return AnyCancellable { self.subscribers[number] = nil }
    }
}

/// Reports that an object is about to change.
public final class ObservableObjectPublisher: Publisher {
    public typealias Output = Void
    public typealias Failure = Never

    private let subject = PassthroughSubject<Void, Never>()

    public init() {}

    public func send() { subject.send(()) }

    public func attach(
        _ completion: @escaping (Subscribers.Completion<Never>) -> Void, _ value: @escaping (()) -> Void
    ) -> AnyCancellable {
        subject.attach(completion, value)
    }
}

/// An object that views observe.
public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never

    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    public var objectWillChange: ObservableObjectPublisher { publisher(of: self) }
}

private struct Owned {
    weak var owner: AnyObject?
    let publisher: ObservableObjectPublisher
}

// Used on the main actor only.
nonisolated(unsafe) private var publishers: [ObjectIdentifier: Owned] = [:]

private func publisher(of owner: AnyObject) -> ObservableObjectPublisher {
    let id = ObjectIdentifier(owner)
    if let owned = publishers[id], owned.owner === owner { return owned.publisher }
    let publisher = ObservableObjectPublisher()
    publishers[id] = Owned(owner: owner, publisher: publisher)
    return publisher
}
