// Misuse that stops the program.

import Reactive

extension _KeyedSource {
    @usableFromInline @inline(never)
    final func stopForMutationInLookup() -> Never {
        fatalError(
            """
            Reactive: \(displayName) is mutated by code that it calls: by `==` or `hash(into:)` of a key or value, or \
            by a closure that was passed to one of its methods. Collect what is to be changed, and change it \
            afterwards.
            """)
    }

    @usableFromInline @inline(never)
    final func stopForOverlap(_ verb: String) -> Never {
        fatalError(
            """
            Reactive: \(displayName) is \(verb) while it is being modified in place. Take what you need out of it \
            before the mutation, or mutate a local copy and assign that.
            """)
    }

    @usableFromInline @inline(never)
    final func stopForIndex() -> Never {
        fatalError(
            """
            Reactive: an index of \(displayName) is out of bounds, or its entry was removed. An index is valid until \
            the collection changes.
            """)
    }
}
