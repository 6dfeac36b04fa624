// The walk through an array, element by element: only elements that are new since the last walk are encoded.
//
// The last array is kept. Elements are compared by their bits (ElementComparison.swift), so that changes are found
// without encoding. If the last array is not known, all elements are new.

import Reactive

extension Walk {
    /// Encodes the elements of an array that were not in it at the last walk.
    ///
    /// - Complexity: O(*n*) comparisons of bits, and the encoding of the new elements.
    func encodeElements<A: ElementArray>(_ array: A, last: Any?) {
        let info = observer.types.info(of: A.Element.self)
        guard let elements = cell.elements, let last = last as? A else {
            // No test sees this left out: a cell that keeps a region of elements also keeps its last array.
            dropRegion()
            let elements = ElementsRegion(of: cell)
            cell.region = elements
            var regions = ContiguousArray<Region?>(repeating: nil, count: array.count)
            array.withElements { array in
                for index in array.indices { regions[index] = encodePart(array[index], info, .element(index)) }
            }
            elements.elements = regions
            return
        }
        let alignment = ArrayAlignment(matching: ElementComparison(old: last, new: array))
        let (old, new) = (alignment.oldMiddle, alignment.newMiddle)
        // No test sees this always hold: the rest then does nothing.
        guard !old.isEmpty || !new.isEmpty else { return }

        var middle = ContiguousArray<Region?>(repeating: nil, count: new.count)
        for pair in alignment.stayers { middle[pair.new - new.lowerBound] = elements.elements[pair.old] }
        for pair in alignment.movers { middle[pair.new - new.lowerBound] = elements.elements[pair.old] }
        // Before anything is encoded: a link from newly encoded elements replaces an invalid one.
        for index in alignment.unmatchedOld { elements.elements[index]?.invalidate(&observer.orphans) }
        array.withElements { array in
            for index in alignment.unmatchedNew {
                middle[index - new.lowerBound] = encodePart(array[index], info, .element(index))
            }
        }
        elements.elements.replaceSubrange(old, with: middle)
    }
}
