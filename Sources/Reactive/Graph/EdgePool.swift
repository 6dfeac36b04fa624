// The allocation of edges: in 16 KiB slabs, aligned to their size so that the address of an edge, masked, is that of
// its slab.
//
// With one free list for all edges, neighbours would be spread all over memory after a program has run for a while. A
// free list per slab keeps the edges of a node together (measured on the prototype: up to 3 times faster in long-lived
// processes). An empty slab is returned to the system, unless it is the one in use for allocation.
//
// The first slab of a graph takes 1 KiB and is kept, so that a server with a graph per session does not pay 16 KiB for
// each.

import CReactive

private let slabSize = 16 * 1024
private let firstSlabSize = 1024
private let slabHeaderSize = 64

private typealias SlabPointer = UnsafeMutablePointer<EdgeSlab>

extension UnsafeMutablePointer where Pointee == EdgeSlab {
    fileprivate func edge(at index: UInt32) -> EdgePointer {
        (UnsafeMutableRawPointer(self) + slabHeaderSize).assumingMemoryBound(to: Edge.self) + Int(index)
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Returns an edge with undefined contents.
    func allocateEdge() -> EdgePointer {
        while true {
            let slab = pointee.current_slab ?? nextSlab()
            if let edge = slab.pointee.free {
                slab.pointee.free = edge.pointee.next_free
                slab.pointee.live += 1
                return edge
            }
            if slab.pointee.used < slab.pointee.capacity {
                slab.pointee.used += 1
                slab.pointee.live += 1
                return slab.edge(at: slab.pointee.used - 1)
            }
            pointee.current_slab = nil
        }
    }

    func freeEdge(_ edge: EdgePointer) {
        let slab = slab(of: edge)
        edge.pointee.next_free = slab.pointee.free
        slab.pointee.free = edge
        slab.pointee.live -= 1
        guard slab != pointee.current_slab else { return }
        if slab.pointee.live == 0, slab != pointee.first_slab {
            release(slab)
        } else if !slab.pointee.is_listed {
            list(slab)
        }
    }

    /// The slab that contains an edge.
    @inline(__always)
    private func slab(of edge: EdgePointer) -> SlabPointer {
        let address = UInt(bitPattern: edge)
        let first = address & ~UInt(firstSlabSize - 1)
        // As numbers, since comparing optional pointers takes three times as many instructions.
        let isFirst = first == UInt(bitPattern: pointee.first_slab)
        return SlabPointer(bitPattern: isFirst ? first : address & ~UInt(slabSize - 1)).unsafelyUnwrapped
    }

    /// Frees the slabs that are kept while there are no edges. Precondition: there are none.
    // No test sees this block: only a leak checker sees memory that stays. (Tests see memory that is freed twice.)
    func freeEdgePool() {
        guard let first = pointee.first_slab else { return }
        #if DEBUG
        precondition(first.pointee.live == 0 && hasNoOtherSlabs, "an edge has outlived its observer")
        #endif
        if let slab = pointee.current_slab, slab != first { UnsafeMutableRawPointer(slab).deallocate() }
        UnsafeMutableRawPointer(first).deallocate()
    }

    @inline(never)
    private func nextSlab() -> SlabPointer {
        let slab: SlabPointer
        if let listed = pointee.slabs_with_room {
            unlist(listed)
            slab = listed
        } else {
            let isFirst = pointee.first_slab == nil
            let size = isFirst ? firstSlabSize : slabSize
            slab = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: size)
                .bindMemory(to: EdgeSlab.self, capacity: 1)
            slab.initialize(to: EdgeSlab())
            slab.pointee.capacity = UInt32((size - slabHeaderSize) / MemoryLayout<Edge>.stride)
            if isFirst { pointee.first_slab = slab }
        }
        pointee.current_slab = slab
        return slab
    }

    private func list(_ slab: SlabPointer) {
        slab.pointee.is_listed = true
        // No test sees this left out: a slab that is listed again was the first of the list.
        slab.pointee.previous = nil
        slab.pointee.next = pointee.slabs_with_room
        pointee.slabs_with_room?.pointee.previous = slab
        pointee.slabs_with_room = slab
    }

    private func unlist(_ slab: SlabPointer) {
        if let previous = slab.pointee.previous {
            previous.pointee.next = slab.pointee.next
        } else {
            pointee.slabs_with_room = slab.pointee.next
        }
        slab.pointee.next?.pointee.previous = slab.pointee.previous
        slab.pointee.is_listed = false
    }

    /// Returns an empty slab to the system. It is listed: it was full when it ceased to be the current one, and has room
    /// for more than one edge.
    private func release(_ slab: SlabPointer) {
        unlist(slab)
        UnsafeMutableRawPointer(slab).deallocate()
    }
}

#if DEBUG
extension UnsafeMutablePointer where Pointee == GraphState {
    /// Whether the edges of all slabs but the first one are free. Such slabs are gone, except the current one.
    fileprivate var hasNoOtherSlabs: Bool {
        if let slab = pointee.current_slab, slab.pointee.live > 0 { return false }
        guard let listed = pointee.slabs_with_room else { return true }
        return listed == pointee.first_slab && listed.pointee.next == nil
    }

    /// A sentence for each broken invariant of the slabs that can be found: those with room, and those of some edges.
    func brokenInvariantsOfEdges(_ edges: some Sequence<EdgePointer>) -> [String] {
        var broken: [String] = []
        func expect(_ condition: Bool, _ sentence: String) {
            if !condition { broken.append(sentence) }
        }
        var known: [SlabPointer: UInt32] = [:]
        for edge in edges { known[slab(of: edge), default: 0] += 1 }

        var listed: Set<SlabPointer> = []
        var (previous, next) = (nil as SlabPointer?, pointee.slabs_with_room)
        while let slab = next, listed.insert(slab).inserted {
            expect(slab.pointee.previous == previous, "A slab of edges has a wrong neighbour.")
            known[slab, default: 0] += 0
            (previous, next) = (slab, slab.pointee.next)
        }
        expect(next == nil, "The list of slabs with room has a cycle.")

        for (slab, count) in known {
            var free: UInt32 = 0
            var edge = slab.pointee.free
            while let current = edge, free <= slab.pointee.used {
                free += 1
                edge = current.pointee.next_free
            }
            expect(slab.pointee.live + free == slab.pointee.used, "A slab has lost edges, or counts some twice.")
            expect(slab.pointee.live >= count, "A slab counts fewer edges than are in use.")
            expect(slab.pointee.is_listed == listed.contains(slab), "A slab is not listed as its flag says.")
            if slab == pointee.current_slab { continue }
            let hasRoom = free > 0 || slab.pointee.used < slab.pointee.capacity
            expect(slab.pointee.is_listed == hasRoom, "A slab has room and is not listed, or vice versa.")
            expect(slab.pointee.live > 0 || slab == pointee.first_slab, "An empty slab is kept.")
        }
        return broken
    }
}
#endif
