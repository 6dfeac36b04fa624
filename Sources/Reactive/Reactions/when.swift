// `when`: runs an effect once, as soon as a condition is true.

/// Calls `effect` once, as soon as `predicate` is true; immediately if it already is.
///
/// ```swift
/// when { job.progress == 100 } effect: { print("done") }
/// job.progress = 50
/// job.progress = 100  // prints "done"
/// ```
///
/// Whatever `effect` creates belongs to the reaction in whose run the `when` was created. If there was none, it belongs
/// to no reaction. So an effect may call `when` again any number of times; each one is released after it has fired:
///
/// ```swift
/// func arm() {
///     let last = score.value
///     when { score.value > last } effect: {
///         print("best:", score.value)
///         if score.value < 5 { arm() }
///     }
/// }
/// arm()
/// score.value = 3  // prints "best: 3"
/// score.value = 2
/// score.value = 5  // prints "best: 5"
/// ```
///
/// - Parameters:
///   - name: The name in diagnostics; by default the file and line of the call.
///   - isolation: The actor that the closures belong to; by default the caller's.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - predicate: The condition. Tracked; runs with the graph locked.
///   - effect: Runs once, untracked and outside the library's lock; its writes are batched. Inside a transaction it
///     runs when the transaction ends.
/// - Returns: The reaction, to cancel it before it fires. It ends when it fires.
@discardableResult
public func when(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ predicate: @escaping () -> Bool, effect: @escaping () -> Void
) -> Reaction {
    when(named: name, isolation: isolation, fileID: fileID, line: line, predicate, effect)
}

/// Calls `effect` once, as soon as `predicate` is true; immediately if it already is. The form without a label.
@discardableResult @_disfavoredOverload
public func when(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ predicate: @escaping () -> Bool, _ effect: @escaping () -> Void
) -> Reaction {
    let once = OneTimeEffect(effect, createdIn: .current)
    let reaction = Reaction(
        named: name, fileID: fileID, line: line, options: ReactionOptions(isolation: isolation, effect: once)
    ) {
        // This also resets it to false: the first run may have been in a transaction that continued, or was rolled
        // back.
        once.isDue = predicate()
    }
    reaction.start()
    return reaction
}

/// An effect that calls a closure once and ends its reaction. The run in which the `when` was created takes over
/// whatever the closure creates.
final class OneTimeEffect: ReactionEffect {
    private let effect: () -> Void
    private let owner: OwnerRun?
    /// The reaction, once it has been decided to fire.
    private var firing: Reaction?

    init(_ effect: @escaping () -> Void, createdIn owner: OwnerRun?) {
        self.effect = effect
        self.owner = owner
    }

    override var heir: OwnerRun? { owner }

    override func take(for reaction: Reaction) {
        // No test sees this: the reaction ends with the effect.
        super.take(for: reaction)
        firing = reaction
    }

    override func run() {
        guard let firing else { return }
        guard let owner else {
            detached { effect() }
            firing.cancel()
            return
        }
        effect()
        let created = firing.takeItemsOfEffect()
        firing.cancel()
        owner.adopt(created)
    }
}
