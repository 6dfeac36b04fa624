// Which reaction runs next: always the oldest that is due.
//
// Creation order makes runs deterministic, and puts an owner before what it owns. The queue is an array with a head. While it fills,
// reactions are appended as they come; if that was not the order of creation, they are sorted when the first is taken. From then on
// those that come out of order, which are few, go to a binary heap beside the array, and the next one is the older of the two heads.
// Both operations are O(1) in order; out of order they are O(log n), or O(1) if it was sorted. (With the heap alone, putting
// reactions in order took two fifths of the time of cellx1000.)

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    func enqueue(_ reaction: ObserverPointer) {
        reaction.flags.insert(.queued)
        pointee.work.insert(.reactions)
        let queued = pointee.queue.count
        if queued == pointee.queue_head {
            pointee.queue_head = 0
            pointee.queue.count = 0
        } else if order(pointee.queue.elements(of: ObserverPointer.self)[queued - 1]) > order(reaction) {
            if pointee.queue_head > 0 {
                pushStraggler(reaction)
                return
            }
            pointee.work.insert(.sorting)
        }
        pointee.queue.push(reaction)
    }

    var hasQueuedReactions: Bool { pointee.queue_head < pointee.queue.count || pointee.stragglers.count > 0 }

    /// The oldest queued reaction, taken out of the queue, or `nil`.
    func dequeue() -> ObserverPointer? {
        if pointee.work.contains(.sorting) { sortQueue() }
        let head = pointee.queue_head
        guard head < pointee.queue.count else {
            return pointee.stragglers.count == 0 ? nil : popStraggler()
        }
        let first = pointee.queue.elements(of: ObserverPointer.self)[head]
        if pointee.stragglers.count > 0, order(pointee.stragglers.elements(of: ObserverPointer.self)[0]) < order(first)
        {
            return popStraggler()
        }
        pointee.queue_head = head + 1
        if head >= 1024, head * 2 >= pointee.queue.count { compact() }
        return first
    }

    /// Sorts what came while the queue was filling.
    @inline(never)
    private func sortQueue() {
        pointee.work.remove(.sorting)
        let (first, count) = (pointee.queue_head, pointee.queue.count - pointee.queue_head)
        let elements = pointee.queue.elements(of: ObserverPointer.self) + first
        var filled = UnsafeMutableBufferPointer(start: elements, count: count)
        filled.sort(byNumber: order)
    }

    /// Forgets the part of the array that has been run, once it is the larger part.
    private func compact() {
        let elements = pointee.queue.elements(of: ObserverPointer.self)
        let remaining = pointee.queue.count - pointee.queue_head
        elements.update(from: elements + pointee.queue_head, count: remaining)
        pointee.queue.count = remaining
        pointee.queue_head = 0
    }

    private func order(_ reaction: ObserverPointer) -> UInt64 { reaction.pointee.node.stamp }

    // MARK: - The heap

    private func pushStraggler(_ reaction: ObserverPointer) {
        pointee.stragglers.push(reaction)
        let heap = pointee.stragglers.elements(of: ObserverPointer.self)
        var child = pointee.stragglers.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard order(heap[parent]) > order(reaction) else { break }
            heap[child] = heap[parent]
            child = parent
        }
        heap[child] = reaction
    }

    private func popStraggler() -> ObserverPointer {
        let heap = pointee.stragglers.elements(of: ObserverPointer.self)
        let oldest = heap[0]
        let last = pointee.stragglers.pop(ObserverPointer.self)
        let count = pointee.stragglers.count
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < count else { break }
            if child + 1 < count, order(heap[child + 1]) < order(heap[child]) { child += 1 }
            guard order(heap[child]) < order(last) else { break }
            heap[parent] = heap[child]
            parent = child
        }
        if count > 0 { heap[parent] = last }
        return oldest
    }
}
