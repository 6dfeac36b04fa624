// A growable array of trivial elements in memory that C structs can hold.

import CReactive

extension Buffer {
    @inline(__always)
    mutating func push<Element: BitwiseCopyable>(_ element: Element) {
        if count == capacity { grow(stride: MemoryLayout<Element>.stride) }
        elements(of: Element.self)[count] = element
        count &+= 1
    }

    @inline(__always)
    mutating func pop<Element: BitwiseCopyable>(_: Element.Type) -> Element {
        count &-= 1
        return elements(of: Element.self)[count]
    }

    /// The storage. Precondition: an element has been pushed.
    @inline(__always)
    func elements<Element: BitwiseCopyable>(of _: Element.Type) -> UnsafeMutablePointer<Element> {
        base.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)
    }

    @inline(never)
    private mutating func grow(stride: Int) {
        let wanted = capacity == 0 ? 8 : capacity * 2
        base = reactive_reallocate(base, wanted * stride)
        capacity = wanted
    }
}
