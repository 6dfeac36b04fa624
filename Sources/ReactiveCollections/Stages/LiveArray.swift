// An ordered view, or an ordered collection in the form that operators use.
//
//     ObservableArray ── live ──▶ LiveArray ── filter ──▶ LiveArray ── sum ──▶ Computed
//
// A `LiveArray` stores only the access to a stage: the node that readers depend on, the order of its rows, its log, and
// functions that return the element of a row. These are closures, created by the operator that knows all types: calls
// through overridden methods of generic classes stay unspecialised.

import Reactive

/// An ordered view of a collection that is updated incrementally.
///
/// ```swift
/// let open = todos.live.filter { !$0.isDone }
/// autorun { print(open.count, open.elements.map(\.title)) }
/// ```
///
/// - A view is lazy: it does nothing until it is read or observed.
/// - Its operators create further views, or a `Computed`. Create a view once and keep it: a view that is created in a
///   tracked closure rebuilds its state in each run. So that this does not happen by accident, a view is not a
///   `Sequence`; its ``elements`` are.
/// - A view keeps its collection alive. A collection never keeps its views alive.
/// - Any thread may read it. The closures of its operators run on the reader's thread with the graph locked, and belong
///   to the actor that created them, like those of a `Computed`.
@_fixed_layout
public final class LiveArray<Element> {
    @usableFromInline let stage: StageNode
    @usableFromInline let ordering: Ordering
    @usableFromInline let log: LogBox
    /// Returns the element of a row. Called under the lock, when the stage is up to date.
    @usableFromInline let element: (Row) -> Element
    /// Calls its argument with the rows and elements in order, until the argument returns `false`. Called under the
    /// lock.
    @usableFromInline let forEachRow: ((Row, Element) -> Bool) -> Void
    /// The node of the number of elements, for readers that depend on the number only. Guarded by the graph's lock.
    @exclusivity(unchecked) private var countNode: Computed<Int>?
    /// The elements at the last read, and their version. Guarded by the graph's lock.
    @exclusivity(unchecked) @usableFromInline var copy: (elements: [Element], version: UInt64)?

    @inlinable
    init(
        stage: StageNode, ordering: Ordering, log: LogBox, element: @escaping (Row) -> Element,
        forEachRow: @escaping ((Row, Element) -> Bool) -> Void
    ) {
        self.stage = stage
        self.ordering = ordering
        self.log = log
        self.element = element
        self.forEachRow = forEachRow
    }

    // MARK: - Reading

    /// The number of elements. Readers depend on the number only.
    ///
    /// - Complexity: O(1) when the view is up to date.
    public var count: Int {
        stage.withLock {
            // No test sees this always hold: the computed has the same value.
            guard stage.isTracked else {
                stage.refresh()
                return ordering.count
            }
            // No test sees this never hold: a new computed has the same value.
            if let countNode { return countNode.value }
            let (stage, ordering) = (stage, ordering)
            let node = Computed(named: "\(stage.node.displayName).count", isolation: nil) {
                stage.refresh()
                return ordering.count
            }
            // No test sees this left out: the next reader would create a new computed.
            countNode = node
            return node.value
        }
    }

    /// Whether there is no element. Readers depend on the number of elements only.
    public var isEmpty: Bool { count == 0 }

    /// The element at a position. Readers depend on the whole view.
    ///
    /// - Precondition: `position` is at least 0 and less than ``count``.
    /// - Complexity: O(log N) when the view is up to date.
    @inlinable
    public subscript(position: Int) -> Element {
        stage.withLock {
            stage.refresh()
            require(
                position >= 0 && position < ordering.count,
                "Reactive: position \(position) is out of bounds: the view has \(ordering.count) elements.")
            return element(ordering.row(at: position))
        }
    }

    /// The first element, if there is one. Readers depend on the whole view.
    @inlinable
    public var first: Element? {
        stage.withLock {
            stage.refresh()
            return ordering.count == 0 ? nil : element(ordering.row(at: 0))
        }
    }

    /// The last element, if there is one. Readers depend on the whole view.
    @inlinable
    public var last: Element? {
        stage.withLock {
            stage.refresh()
            return ordering.count == 0 ? nil : element(ordering.row(at: ordering.count - 1))
        }
    }

    /// The elements in order, as a plain array. Readers depend on the whole view.
    ///
    /// - Complexity: O(N) for the first read after a change, O(1) for others.
    @inlinable
    public var elements: [Element] {
        stage.withLock {
            stage.refresh()
            let version = stage.version
            // No test sees this never hold: a new copy has the same elements.
            if let copy, copy.version == version { return copy.elements }
            var elements: [Element] = []
            // No test sees this left out: it only saves allocations.
            elements.reserveCapacity(ordering.count)
            forEachRow { _, element in
                elements.append(element)
                return true
            }
            // The old elements are released after the graph is unlocked.
            if let copy { stage.node.release(later: copy.elements) }
            // No test sees this left out: the next reader would create a new copy.
            copy = (elements, version)
            return elements
        }
    }
}

extension LiveArray: @unchecked Sendable where Element: Sendable {
    // The graph's lock guards the state of the stage and the caches.
}

extension LiveArray: CustomStringConvertible {
    /// The elements, as an array prints them.
    public var description: String { untracked { elements.description } }
}
