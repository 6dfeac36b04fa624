// The reactions of a test, ended together.

import Reactive

/// Reactions that end when this is freed.
///
/// What `.store(in:)` and a `Set<AnyCancellable>` are to an application, without the hashing: the tests measure the library.
final class Reactions {
    private var reactions: [Reaction] = []

    /// Starts an autorun that lives as long as this.
    @inline(__always)
    func autorun(_ body: @escaping () -> Void) {
        reactions.append(Reactive.autorun(body))
    }

    /// Ends all.
    func cancel() {
        for reaction in reactions { reaction.cancel() }
        reactions = []
    }

    deinit { cancel() }
}
