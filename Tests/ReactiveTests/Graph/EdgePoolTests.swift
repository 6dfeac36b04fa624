// The allocation of edges, against a model: the set of edges in use.

#if DEBUG
import CReactive
@testable import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct EdgePoolTests {
        private let owner = IndependentGraph(named: "edges")
        private var graph: UnsafeMutablePointer<GraphState> { owner.graph }

        private func allocate(_ count: Int) -> [EdgePointer] { (0..<count).map { _ in graph.allocateEdge() } }

        private func pages(of edges: [EdgePointer]) -> Set<UInt> {
            Set(edges.map { UInt(bitPattern: $0) / (16 * 1024) })
        }

        @Test func edgesInUseAreDistinctAndSlabsConsistent() {
            for seed in seeds(40) {
                var random = SplitMix64(seed: seed)
                var used: [EdgePointer] = []
                for _ in 0..<40 {
                    if random.oneIn(2) {
                        used += allocate(random.below(400))
                        #expect(Set(used).count == used.count, "seed \(seed)")
                    } else {
                        used.shuffle(using: &random)
                        for _ in 0..<random.below(used.count + 1) { graph.freeEdge(used.removeLast()) }
                    }
                    #expect(graph.brokenInvariantsOfEdges(used) == [], "seed \(seed)")
                }
                used.forEach(graph.freeEdge)
                #expect(graph.brokenInvariantsOfEdges([]) == [], "seed \(seed)")
            }
        }

        @Test func theRoomOfFreedEdgesIsUsedFirst() {
            let edges = allocate(3_000)
            let before = pages(of: edges)
            let (freed, kept) = (
                edges.enumerated().filter { $0.offset % 2 == 0 }.map(\.element),
                edges.enumerated()
                    .filter { $0.offset % 2 == 1 }.map(\.element)
            )
            freed.forEach(graph.freeEdge)
            let again = allocate(freed.count)
            #expect(pages(of: again).isSubset(of: before))
            (kept + again).forEach(graph.freeEdge)
        }

        @Test func anEdgeThatIsFreedIsTheNextOne() {
            let first = graph.allocateEdge()
            graph.freeEdge(first)
            for _ in 0..<1_000 {
                let edge = graph.allocateEdge()
                #expect(edge == first)
                graph.freeEdge(edge)
            }
        }

        /// A graph with few edges takes 1 KiB for them.
        @Test func theFirstSlabIsSmallAndKept() {
            func room(of byteCount: Int) -> UInt32 { UInt32((byteCount - 64) / MemoryLayout<Edge>.stride) }
            var edges = allocate(1)
            let first = graph.pointee.first_slab
            #expect(first == graph.pointee.current_slab && first?.pointee.capacity == room(of: 1024))
            edges += allocate(Int(room(of: 1024)))
            #expect(graph.pointee.first_slab == first)
            #expect(graph.pointee.current_slab?.pointee.capacity == room(of: 16 * 1024))
            edges.forEach(graph.freeEdge)
            #expect(graph.pointee.first_slab == first && graph.pointee.slabs_with_room == first)
        }

        // MARK: - The end

        /// Ends a graph that has allocated edges and freed all but one of them. The first 24 are in the first slab, the
        /// others in slabs of 408.
        private static func endGraph(edges count: Int, keeping kept: Int?) {
            let owner = IndependentGraph(named: "edges")
            let edges = (0..<count).map { _ in owner.graph.allocateEdge() }
            for (index, edge) in edges.enumerated() where index != kept { owner.graph.freeEdge(edge) }
        }

        @Test func aGraphEndsOnceItsEdgesAreFree() {
            for count in [0, 1, 300, 3_000] { Self.endGraph(edges: count, keeping: nil) }
        }

        @Test func anEdgeThatIsLeftStopsTheProgram() async {
            await #expect(processExitsWith: .failure) { Self.endGraph(edges: 10, keeping: 5) }
            // In the current slab, and in a former one.
            await #expect(processExitsWith: .failure) { Self.endGraph(edges: 300, keeping: 299) }
            await #expect(processExitsWith: .failure) { Self.endGraph(edges: 3_000, keeping: 30) }
        }

        // MARK: - Broken by hand

        /// Returns the report of the check while a slab with room has a wrong value.
        private func broken(_ wrong: (UnsafeMutablePointer<EdgeSlab>) -> Void) throws -> [String] {
            let edges = allocate(3_000)
            for edge in edges.prefix(100) { graph.freeEdge(edge) }
            let slab = try #require(graph.pointee.slabs_with_room)
            let right = slab.pointee
            wrong(slab)
            let report = graph.brokenInvariantsOfEdges(edges.dropFirst(100))
            slab.pointee = right
            edges.dropFirst(100).forEach(graph.freeEdge)
            #expect(graph.brokenInvariantsOfEdges([]) == [])
            return report
        }

        @Test func aSlabCountsItsEdges() throws {
            #expect(
                try broken { $0.pointee.live -= 1 } == [
                    "A slab has lost edges, or counts some twice.", "A slab counts fewer edges than are in use.",
                ])
            #expect(try broken { $0.pointee.free = nil }.contains("A slab has lost edges, or counts some twice."))
        }

        @Test func aSlabWithRoomIsListed() throws {
            #expect(
                try broken { $0.pointee.is_listed = false } == [
                    "A slab is not listed as its flag says.", "A slab has room and is not listed, or vice versa.",
                ])
        }

        @Test func listedSlabsKnowOneAnother() throws {
            #expect(try broken { $0.pointee.previous = $0 } == ["A slab of edges has a wrong neighbour."])
            #expect(try broken { $0.pointee.next = $0 }.contains("The list of slabs with room has a cycle."))
        }
    }
}
#endif
