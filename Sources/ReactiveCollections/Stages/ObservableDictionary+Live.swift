// Views of a dictionary. The view of a set is in keys.swift.

import Reactive

extension ObservableDictionary {
    /// A view of the dictionary. Its operators create further views.
    ///
    /// ```swift
    /// let short = stock.live.filter { $0.value < 4 }
    /// autorun { print(short.elements) }
    /// ```
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var live: LiveDictionary<Key, Value> {
        LiveDictionary(
            stage: StageNode(self), log: stageLog, entries: liveEntries, readCount: { [self] in count }
        ) { [self] key, hash in
            noteRead(of: key, hash)
            return find(key, hash).map { table.value(at: $0) }
        }
    }
}

extension _KeyedSource {
    /// The access of views to the entries.
    @inlinable
    final var liveEntries: KeyedEntries<Key, Value> {
        KeyedEntries(
            count: { [self] in table.count }, contains: { [self] in table.contains($0) },
            key: { [self] in table.key(at: $0) }, value: { [self] in table.value(at: $0) },
            find: { [self] in find($0, $1) }, forEach: { [self] in forEachRow(while: $0) })
    }
}
