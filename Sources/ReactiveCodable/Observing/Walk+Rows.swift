// The walk through an ordered collection: row by row, and only what came since the last walk.
//
// The last value is kept. The collection knows how the present one differs from it, so that nothing is compared. Where
// the last value is not known, all elements are new.

import Reactive

extension Walk {
    /// Encodes the elements of a collection that are not known from its last walk.
    ///
    /// - Complexity: O(log N) for each row that changed, and what encoding the new elements takes.
    func encodeRows<V: EncodableElements>(_ value: V, last: Any?) {
        let info = observer.types.info(of: V.Element.self)
        guard let region = cell.region as? RowsRegion, let last = last as? V else {
            observer.note(difference: nil, of: cell)
            dropRegion()
            let region = RowsRegion(of: cell)
            region.value = value
            cell.region = region
            var position = 0
            value.forEachElement { row, element in
                region.set(encodePart(element, info, .row(row, position: position)), row: row)
                position += 1
            }
            return
        }
        let difference = value.rowDifference(from: last)
        observer.note(difference: difference, of: cell)
        region.value = value
        // Before anything is encoded: a link from what is encoded anew replaces an invalid one.
        for row in difference.removed + difference.replaced {
            region.remove(row: row)?.invalidate(&observer.orphans)
        }
        for row in difference.inserted + difference.replaced {
            guard let position = value.position(of: row) else { continue }
            region.set(encodePart(value.element(at: position), info, .row(row, position: position)), row: row)
        }
    }
}
