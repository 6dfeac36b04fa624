// Views of an array.

import Reactive

extension ObservableArray {
    /// A view of the array. Its operators create further views.
    ///
    /// ```swift
    /// let open = todos.live.filter { !$0.isDone }
    /// autorun { print(open.count) }
    /// ```
    ///
    /// - Complexity: O(1); O(N) for the first view.
    @inlinable
    public final var live: LiveArray<Element> {
        enter()
        defer { leave() }
        follow()
        return LiveArray(
            stage: StageNode(self), ordering: ordering, log: stageLog, element: { [self] in element(at: $0) },
            forEachRow: { [self] in forEachRow(while: $0) })
    }
}
