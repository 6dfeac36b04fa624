// Misuse that stops the program.

import Reactive

extension _KeyedSource {
    @usableFromInline @inline(never)
    final func stopForMutationInLookup() -> Never {
        fatalError(
            """
            Reactive: \(displayName) is mutated by code that it calls: by `==` or `hash(into:)` of a key or value, or \
            by a closure that was passed to one of its methods. Collect the changes, and apply them afterwards.
            """)
    }

    @usableFromInline @inline(never)
    final func stopForRead() -> Never {
        fatalError(
            """
            Reactive: \(displayName) is read while it is being modified in place. Read what you need before the \
            mutation, or mutate a local copy and assign it.
            """)
    }

    @usableFromInline @inline(never)
    final func stopForIndex() -> Never {
        fatalError(
            """
            Reactive: an index of \(displayName) is out of bounds, or its entry was removed. An index is valid until \
            the collection changes: get a new one after each change.
            """)
    }
}
