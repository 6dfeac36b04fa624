// Pairs of elements of two views that have equal keys. State: a group for each key with the rows of both sides, a row
// for each pair, and an order of its own.
//
//     key ──▶ group ── lefts: in no order
//                  └── rights: in order
//     pairs[left] is parallel to the rights of the group
//
// An update first removes all rows that have left or moved. After that, it can compare rows by their positions.

import Reactive

extension LiveArray {
    /// Returns a view of the pairs of elements with equal keys.
    ///
    /// The pairs are in the order of this view. Pairs with the same element of this view are in the order of the other
    /// view.
    ///
    /// ```swift
    /// let lines = orders.live.joined(with: customers.live, on: \.customerID, equals: \.id)
    /// // LiveArray<(Order, Customer)>
    /// ```
    ///
    /// - Parameters:
    ///   - other: The elements on the right side of the pairs.
    ///   - key: Returns the key of an element of this view, such as a key path. Tracked. Runs once for each element
    ///     that is inserted or changes, and again when an observable that it has read changes.
    ///   - otherKey: The same for elements of the other view.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the closures belong to, by default the caller's; `nil` if they may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(log N) for each pair that is inserted, removed or changed.
    @inlinable
    public func joined<Other, Key: Hashable>(
        with other: LiveArray<Other>, on key: @escaping (Element) -> Key, equals otherKey: @escaping (Other) -> Key,
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LiveArray<(Element, Other)> {
        let (key, otherKey) = (confined(key, to: isolation), confined(otherKey, to: isolation))
        let view = View(
            beside: stage.node, hasOwnOrder: true, named: name, fileID: fileID, line: line, state: JoinState<Key>()
        ) { [self] view in
            let sides = JoinSides(left: ordering, right: other.ordering, own: view.own.unsafelyUnwrapped)
            func evaluateLeft(_ row: Row, _ element: Element) -> Key {
                view.evaluate(EitherRow.first(row)) { key(element) }
            }
            func evaluateRight(_ row: Row, _ element: Other) -> Key {
                view.evaluate(EitherRow.second(row)) { otherKey(element) }
            }
            view.follow((stage, log, ordering), (other.stage, other.log, other.ordering)) {
                view.discard(view.state)
                view.state = JoinState()
                other.forEachRow { row, element in
                    view.appendRight(row, evaluateRight(row, element))
                    return true
                }
                var rows: ContiguousArray<Row> = []
                var outers: ContiguousArray<Row> = []
                forEachRow { row, element in
                    let pairs = view.addLeft(row, to: view.group(for: evaluateLeft(row, element)))
                    guard let last = pairs.last else { return true }
                    rows += pairs
                    outers.append(row)
                    view.state.flat.lasts.set(last, at: row, filler: last)
                    return true
                }
                view.state.flat.outers = RowOrder(outers)
                sides.own.rows = RowOrder(rows)
            } update: { lefts, rights in
                view.takeOut(lefts, rights, sides)
                for change in lefts where ordering.contains(change.row) && change.reasons != .moved {
                    view.replaceLeft(change, key: evaluateLeft(change.row, element(change.row)), sides)
                }
                for change in rights where other.ordering.contains(change.row) && change.reasons != .moved {
                    let row = change.row
                    view.replaceRight(change, key: evaluateRight(row, other.element(row)), sides)
                }
            }
        }
        func pair(_ row: Row) -> (Element, Other) {
            let origin = view.state.flat.origins[Int(row)]
            return (element(origin.outer), other.element(origin.inner))
        }
        view.belong(to: isolation, orThatOf: other.stage)
        return LiveArray<(Element, Other)>(
            stage: StageNode(view), ordering: view.own.unsafelyUnwrapped, log: view.log, element: pair,
            forEachRow: { body in view.own.unsafelyUnwrapped.forEach { body($0, pair($0)) } })
    }
}
