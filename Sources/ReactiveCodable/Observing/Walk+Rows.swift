// The walk through an ordered collection, row by row: only elements that are new since the last walk are encoded.
//
// The last value is kept. The collection knows the difference from it, so that nothing is compared. If the last value
// is not known, all elements are new.

import Reactive

extension Walk {
    /// Encodes the elements of a collection that were not in it at the last walk.
    ///
    /// - Complexity: O(log N) for each changed row, and the encoding of the new elements.
    func encodeRows<V: EncodableElements>(_ value: V, last: Any?) {
        let info = observer.types.info(of: V.Element.self)
        guard let region = cell.region as? RowsRegion, let last = last as? V else {
            // No test sees this left out: a cell that keeps a region of rows also keeps its last value.
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
        // No test sees this left out: without a difference, the values are compared.
        observer.note(difference: difference, of: cell)
        region.value = value
        // Before anything is encoded: a link from newly encoded elements replaces an invalid one.
        for row in difference.removed + difference.replaced {
            region.remove(row: row)?.invalidate(&observer.orphans)
        }
        region.renumber(difference.renumbered)
        for row in difference.inserted + difference.replaced {
            guard let position = value.position(of: row) else { continue }
            region.set(encodePart(value.element(at: position), info, .row(row, position: position)), row: row)
        }
    }
}
