// Where edges come from: 16 KiB slabs, aligned to their size so that an edge finds its slab by masking its address.
//
// One free list for all edges would hand out neighbours in time from all over memory once a program has run for a while; a free
// list for each slab keeps the edges of a node together (measured on the prototype: up to 3 times in long-lived processes). A slab
// that empties goes back to the system, unless it is the one being allocated from.

import CReactive

private let slabSize = 16 * 1024
private let slabHeaderSize = 64
private let edgesPerSlab = UInt32((slabSize - slabHeaderSize) / MemoryLayout<Edge>.stride)

private typealias SlabPointer = UnsafeMutablePointer<EdgeSlab>

extension UnsafeMutablePointer where Pointee == EdgeSlab {
    fileprivate func edge(at index: UInt32) -> EdgePointer {
        (UnsafeMutableRawPointer(self) + slabHeaderSize).assumingMemoryBound(to: Edge.self) + Int(index)
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// An edge with undefined contents.
    func allocateEdge() -> EdgePointer {
        while true {
            let slab = pointee.current_slab ?? nextSlab()
            if let edge = slab.pointee.free {
                slab.pointee.free = edge.pointee.next_free
                slab.pointee.live += 1
                return edge
            }
            if slab.pointee.used < edgesPerSlab {
                slab.pointee.used += 1
                slab.pointee.live += 1
                return slab.edge(at: slab.pointee.used - 1)
            }
            pointee.current_slab = nil
        }
    }

    func freeEdge(_ edge: EdgePointer) {
        let address = UInt(bitPattern: edge) & ~UInt(slabSize - 1)
        let slab = SlabPointer(bitPattern: address).unsafelyUnwrapped
        edge.pointee.next_free = slab.pointee.free
        slab.pointee.free = edge
        slab.pointee.live -= 1
        guard slab != pointee.current_slab else { return }
        if slab.pointee.live == 0 {
            release(slab)
        } else if !slab.pointee.is_listed {
            list(slab)
        }
    }

    /// Gives back the slab that is kept while no edge is out. Precondition: none is.
    func freeEdgePool() {
        if let slab = pointee.current_slab { UnsafeMutableRawPointer(slab).deallocate() }
    }

    @inline(never)
    private func nextSlab() -> SlabPointer {
        let slab: SlabPointer
        if let listed = pointee.slabs_with_room {
            unlist(listed)
            slab = listed
        } else {
            slab = UnsafeMutableRawPointer.allocate(byteCount: slabSize, alignment: slabSize)
                .bindMemory(to: EdgeSlab.self, capacity: 1)
            slab.initialize(to: EdgeSlab())
        }
        pointee.current_slab = slab
        return slab
    }

    private func list(_ slab: SlabPointer) {
        slab.pointee.is_listed = true
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

    private func release(_ slab: SlabPointer) {
        if slab.pointee.is_listed { unlist(slab) }
        UnsafeMutableRawPointer(slab).deallocate()
    }
}
