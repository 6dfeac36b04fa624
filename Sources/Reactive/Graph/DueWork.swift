// The work that an operation has made due. The next reaction is always the oldest one that is due.
//
// Creation order makes runs deterministic, and runs an owner before what it owns. The queue is an array with a head.
// While it fills, reactions are appended as they arrive. If that was not in order of creation, they are sorted when the
// first is taken. Later arrivals that are out of order, which are few, go to a binary heap beside the array, and the
// next reaction is the older of the two heads. Both operations are O(1) in order. Out of order they are O(log n), or
// O(1) after sorting. (With the heap alone, ordering the reactions took two fifths of the time of the benchmark
// cellx1000.)

import CReactive

extension DueWork {
    /// Whether nothing is due. (`work` is reset only when a flush ends.)
    var isEmpty: Bool { queue_head == queue.count && noOtherWork }

    private var noOtherWork: Bool { stragglers.count | actions.count | observation.count | suspended.count == 0 }

    /// Whether nothing has been added since `makeEmpty`. Until then the rest of the record is not initialised.
    var isUntouched: Bool { work.isEmpty }

    /// Marks the record as empty, in memory that need not be initialised: the record of an absence.
    mutating func makeEmpty() { work = [] }

    // MARK: - Reactions

    mutating func enqueue(_ reaction: ObserverPointer) {
        work.insert(.reactions)
        let queued = queue.count
        if queued == queue_head {
            queue_head = 0
            queue.count = 0
            // No test sees this: the heap would run later arrivals in the same order, only in more time.
        } else if order(queue.elements(of: ObserverPointer.self)[queued - 1]) > order(reaction) {
            if queue_head > 0 {
                stragglers.pushToHeap(reaction)
                return
            }
            work.insert(.sorting)
        }
        queue.push(reaction)
    }

    /// Removes and returns the oldest queued reaction, or `nil`.
    @inline(__always)
    mutating func dequeue() -> ObserverPointer? {
        if work.contains(.sorting) { sortQueue() }
        if stragglers.count > 0, let straggler = dequeueStraggler() { return straggler }
        let head = queue_head
        guard head < queue.count else { return nil }
        queue_head = head &+ 1
        let first = queue.elements(of: ObserverPointer.self)[head]
        // No test sees this: it saves calls that would find nothing to do.
        if head >= 1024 { compactIfUseful() }
        return first
    }

    /// Removes and returns the oldest reaction of the heap, unless the first of the queue is older.
    ///
    /// The queue is not empty: its last reaction is younger than each on the heap, and so leaves after them.
    @inline(never)
    private mutating func dequeueStraggler() -> ObserverPointer? {
        let first = queue.elements(of: ObserverPointer.self)[queue_head]
        // No test sees this: no two reactions have the same number.
        if order(first) < order(stragglers.elements(of: ObserverPointer.self)[0]) { return nil }
        return stragglers.popFromHeap()
    }

    /// Sorts the reactions that arrived while the queue was filling.
    @inline(never)
    private mutating func sortQueue() {
        // No test sees this: the queue would be sorted again for each reaction.
        work.remove(.sorting)
        // The head is at the beginning: `enqueue` sets the flag only there.
        var filled = UnsafeMutableBufferPointer(
            start: queue.elements(of: ObserverPointer.self), count: queue.count)
        filled.sort(byNumber: order)
    }

    /// Removes the part of the array that has run, once it is the larger part.
    @inline(never)
    private mutating func compactIfUseful() {
        // No test sees this: elements would be moved more often, to the same effect.
        guard queue_head * 2 > queue.count else { return }
        let elements = queue.elements(of: ObserverPointer.self)
        let remaining = queue.count - queue_head
        elements.update(from: elements + queue_head, count: remaining)
        queue.count = remaining
        queue_head = 0
    }

    // MARK: - Deferred actions

    mutating func add(_ action: DeferredAction) {
        actions.push(Unmanaged.passRetained(action).toOpaque())
        work.insert(.deferredActions)
    }

    /// Removes and returns all deferred actions, in order.
    mutating func takeActions() -> [DeferredAction] {
        work.remove(.deferredActions)
        defer { actions.count = 0 }
        return UnsafeBufferPointer(start: actions.elements(of: UnsafeRawPointer.self), count: actions.count)
            .map { Unmanaged<DeferredAction>.fromOpaque($0).takeRetainedValue() }
    }

    // MARK: - The work of two operations

    /// Takes over the due work of an operation that has not begun to run it; if this record is untouched, that of any
    /// operation.
    mutating func take(from other: inout DueWork) {
        guard !isUntouched else {
            self = other
            other = DueWork()
            // Suspended reactions set no flag, and `isUntouched` checks only the flags.
            work.insert(.reactions)
            return
        }
        // Entries before the head have run, and may be gone.
        for index in other.queue_head..<other.queue.count {
            enqueue(other.queue.elements(of: ObserverPointer.self)[index])
        }
        for index in 0..<other.actions.count { actions.push(other.actions.elements(of: UnsafeRawPointer.self)[index]) }
        for index in 0..<other.observation.count {
            observation.push(other.observation.elements(of: UnsafeRawPointer.self)[index])
        }
        // No test sees this left out: with the other flags, the flush would look for work that is not there.
        work.formUnion(other.work.intersection([.deferredActions, .observation]))
        other.work = []
        other.queue_head = 0
        other.queue.count = 0
        other.actions.count = 0
        other.observation.count = 0
    }

    /// Frees the memory. Precondition: nothing is due.
    func free() {
        // No test sees this: the leak checker does.
        for buffer in [queue, stragglers, actions, observation, suspended, taken_over] { reactive_free(buffer.base) }
    }
}

/// A binary heap of observers by `creation_number`, the lowest first.
extension Buffer {
    @inline(never)
    mutating func pushToHeap(_ observer: ObserverPointer) {
        push(observer)
        let heap = elements(of: ObserverPointer.self)
        var child = count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            // No test sees this: no two reactions have the same number.
            guard order(heap[parent]) > order(observer) else { break }
            heap[child] = heap[parent]
            child = parent
        }
        heap[child] = observer
    }

    mutating func popFromHeap() -> ObserverPointer {
        let heap = elements(of: ObserverPointer.self)
        let first = heap[0]
        let last = pop(ObserverPointer.self)
        let count = count
        var parent = 0
        while true {
            var child = 2 * parent + 1
            // No test sees this: `last` is still behind the end of the heap, and ends the loop as well.
            guard child < count else { break }
            // No test sees this: as above.
            if child + 1 < count, order(heap[child + 1]) < order(heap[child]) { child += 1 }
            // No test sees this: no two reactions have the same number.
            guard order(heap[child]) < order(last) else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = last
        return first
    }
}

/// The number that determines the order of due work.
private func order(_ observer: ObserverPointer) -> UInt64 { observer.pointee.node.creation_number }

/// An action that runs as soon as the lock is released.
final class DeferredAction {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
}
