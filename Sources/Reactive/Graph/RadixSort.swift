// Sorting by a number: few elements by comparing, many by the digits of their numbers.

extension UnsafeMutableBufferPointer where Element: BitwiseCopyable {
    /// Sorts by the numbers that `number` returns.
    ///
    /// A radix sort, least significant digit first (Knuth, The Art of Computer Programming, vol. 3, section 5.2.5).
    /// Only the range of the numbers matters, and a digit has about as many values as there are elements: O(n) if the
    /// range is not much larger than that, else O(n) per digit. A few elements are compared instead.
    @inline(__always)
    mutating func sort(byNumber number: (Element) -> UInt64) {
        // No test sees this never hold: both ways sort, each in less time for some counts.
        // No test sees this boundary: as above.
        guard count > 32 else {
            // No test sees this boundary: no two numbers are equal.
            sort { number($0) < number($1) }
            return
        }
        let range = range(of: number)
        // No test sees this: digits of any width sort, but not in as little time and memory.
        let width = Swift.min(Int.bitWidth - count.leadingZeroBitCount, 16)
        let room = UnsafeMutableBufferPointer<Element>.allocate(capacity: count)
        let offsets = UnsafeMutableBufferPointer<Int>.allocate(capacity: 1 << width)
        // No test sees this block: only a leak checker sees memory that stays.
        defer {
            room.deallocate()
            offsets.deallocate()
        }
        var (source, target) = (self, room)
        var shift = 0
        while (range.upperBound - range.lowerBound) >> shift > 0 {
            let mask = UInt64(offsets.count - 1)
            source.distribute(into: target, offsets) { (number($0) - range.lowerBound) >> shift & mask }
            swap(&source, &target)
            shift += width
        }
        // No test sees this always hold: it only saves a copy onto itself.
        if source.baseAddress != baseAddress { _ = update(fromContentsOf: source) }
    }

    @inline(__always)
    private func range(of number: (Element) -> UInt64) -> ClosedRange<UInt64> {
        var (lowest, highest) = (UInt64.max, UInt64.min)
        for element in self {
            lowest = Swift.min(lowest, number(element))
            highest = Swift.max(highest, number(element))
        }
        return lowest...highest
    }

    /// Copies the elements, ordered by a digit. Elements with the same digit keep their order.
    ///
    /// - Parameters:
    ///   - target: The destination.
    ///   - places: Memory for as many numbers as a digit has values.
    ///   - digit: Returns the digit of an element.
    @inline(__always)
    private func distribute(
        into target: Self, _ offsets: UnsafeMutableBufferPointer<Int>, by digit: (Element) -> UInt64
    ) {
        offsets.initialize(repeating: 0)
        for element in self { offsets[Int(truncatingIfNeeded: digit(element))] += 1 }
        var next = 0
        for value in offsets.indices { (offsets[value], next) = (next, next + offsets[value]) }
        for element in self {
            let value = Int(truncatingIfNeeded: digit(element))
            target.initializeElement(at: offsets[value], to: element)
            offsets[value] += 1
        }
    }
}
