// Transactions and animations, with SwiftUI's documented signatures. Nothing moves: a screen records which bodies ran
// for an animated change.

import CReactive

/// The description of an animation.
public struct Animation: Equatable, Sendable, CustomStringConvertible {
    public let description: String

    public static let `default` = Animation(description: "default")
    public static let linear = Animation(description: "linear")
    public static let easeIn = Animation(description: "easeIn")
    public static let easeOut = Animation(description: "easeOut")
    public static let easeInOut = Animation(description: "easeInOut")
    public static let spring = Animation(description: "spring")
}

/// The context of changes.
public struct Transaction {
    public var animation: Animation?
    public var disablesAnimations = false

    public init() {}
    public init(animation: Animation?) { self.animation = animation }

    /// The transaction of the code that runs on the main actor now. Used there only: SwiftUI has one for each thread.
    nonisolated(unsafe) static var current = Transaction()

    /// The animation of changes at this moment.
    static var currentAnimation: Animation? { current.disablesAnimations ? nil : current.animation }
}

public func withTransaction<Result>(_ transaction: Transaction, _ body: () throws -> Result) rethrows -> Result {
    guard isOnMainActor else { return try body() }
    let enclosing = Transaction.current
    Transaction.current = transaction
    defer { Transaction.current = enclosing }
    return try body()
}

public func withAnimation<Result>(
    _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result {
    try withTransaction(Transaction(animation: animation), body)
}

/// Whether the calling code runs on the main actor. SwiftUI checks for the main thread, which is the same there; on
/// Linux it may differ.
var isOnMainActor: Bool {
    withUnsafeBytes(of: MainActor.sharedUnownedExecutor) { executor in
        reactive_is_current_executor(
            executor.load(as: UnsafeRawPointer?.self),
            executor.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self))
    }
}
