// `when`: act once, as soon as a condition is true.

/// Calls `effect` once, as soon as `predicate` is true; at once if it is already.
///
/// ```swift
/// when { job.progress == 100 } effect: { print("done") }
/// job.progress = 50
/// job.progress = 100  // prints "done"
/// ```
///
/// What `effect` creates belongs to the reaction in whose run the `when` was created, and to nobody if there was none.
/// So an effect may call `when` again, a million times, and nothing is left of those that have fired:
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
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that the closures belong to; by default the caller's.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - predicate: The condition. Tracked; runs with the graph locked.
///   - effect: Runs once, outside the library's lock, untracked, its writes batched. Inside a transaction it waits for
///     its end.
/// - Returns: The reaction, to cancel it before it fires. Once it has fired it is gone.
@discardableResult
public func when(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ predicate: @escaping () -> Bool, effect: @escaping () -> Void
) -> Reaction {
    when(named: name, isolation: isolation, fileID: fileID, line: line, predicate, effect)
}

/// Calls `effect` once, as soon as `predicate` is true; at once if it is already: the spelling without a label.
@discardableResult @_disfavoredOverload
public func when(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ predicate: @escaping () -> Bool, _ effect: @escaping () -> Void
) -> Reaction {
    let once = OneTimeEffect(effect, createdIn: .current)
    let reaction = Reaction(
        named: name, fileID: fileID, line: line, extras: ReactionExtras(isolation: isolation, effect: once)
    ) {
        // False again, too: the first run may have been in a transaction that went on, or was rolled back.
        once.isDue = predicate()
    }
    reaction.start()
    return reaction
}

/// Calls a closure once and ends the reaction. What the closure creates is handed over to the run that the `when` was
/// created in.
final class OneTimeEffect: ReactionEffect {
    private var effect: (() -> Void)?
    private let owner: OwnerRun?
    /// The reaction, from when the firing is fixed to its end.
    private var firing: Reaction?

    init(_ effect: @escaping () -> Void, createdIn owner: OwnerRun?) {
        self.effect = effect
        self.owner = owner
    }

    override var heir: OwnerRun? { owner }

    override func take(for reaction: Reaction) {
        super.take(for: reaction)
        firing = reaction
    }

    override func run() {
        guard let effect, let firing else { return }
        self.effect = nil
        self.firing = nil
        guard let owner else {
            detached { effect() }
            firing.cancel()
            return
        }
        effect()
        let created = firing.takeWhatEffectCreated()
        firing.cancel()
        owner.adopt(created)
    }
}
