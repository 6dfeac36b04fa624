// The reactions of a test, which are cancelled together.

import Reactive

/// Reactions that end when this object is freed.
///
/// Like `.store(in:)` with a `Set<AnyCancellable>` in an application, but without the cost of hashing.
final class Reactions {
    private var reactions: [Reaction] = []

    /// Starts an autorun that lives as long as this object.
    @inline(__always)
    func autorun(_ body: @escaping () -> Void) {
        reactions.append(Reactive.autorun(body))
    }

    /// Cancels all reactions.
    func cancel() {
        for reaction in reactions { reaction.cancel() }
        reactions = []
    }

    deinit { cancel() }
}
