import TestSupport
import Testing

@testable import ReactiveCollections

@Suite struct ChunkedTests {
    /// Elements of one byte, of four, of a word, and of references, which have chunks of different lengths.
    @Test(arguments: seeds(8)) func followsAnArray(seed: UInt64) {
        follow(seed: seed) { UInt8(truncatingIfNeeded: $0) }
        follow(seed: seed) { UInt32(truncatingIfNeeded: $0) }
        follow(seed: seed) { $0 }
        follow(seed: seed) { "element \($0)" }
        follow(seed: seed) { [$0, $0, $0] }
    }

    private func follow<Element: Equatable>(seed: UInt64, _ element: (Int) -> Element) {
        var random = SplitMix64(seed: seed)
        var array = [Element]()
        var chunked = Chunked<Element>()
        var copies: [([Element], Chunked<Element>)] = []
        var differences = 0
        for step in 0..<1_000 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                let count = Int.random(in: 0..<1_500, using: &random)
                chunked.append(repeating: element(step), count: count)
                array.append(contentsOf: repeatElement(element(step), count: count))
                let new = (0..<count / 4).map(element)
                chunked.append(contentsOf: new)
                array.append(contentsOf: new)
            case 1:
                for _ in 0..<Int.random(in: 0..<1_000, using: &random) where !array.isEmpty {
                    if chunked.removeLast() != array.removeLast() { differences += 1 }
                }
            case 2:
                if copies.count < 8 { copies.append((array, chunked)) }
            case 3:
                if let copy = copies.randomElement(using: &random) { (array, chunked) = copy }
            case 4...8:
                chunked.append(element(step))
                array.append(element(step))
            case 9...14 where !array.isEmpty:
                let index = Int.random(in: 0..<array.count, using: &random)
                chunked[index] = element(step)
                array[index] = element(step)
            default:
                guard let index = array.indices.randomElement(using: &random) else { continue }
                if chunked[index] != array[index] { differences += 1 }
            }
            if chunked.count != array.count { differences += 1 }
        }
        #expect(differences == 0)
        copies.append((array, chunked))
        for (array, chunked) in copies {
            #expect(contents(of: chunked) == array)
            #expect(array.indices.allSatisfy { chunked[$0] == array[$0] })
        }
    }

    private func contents<Element>(of chunked: Chunked<Element>) -> [Element] {
        var result: [Element] = []
        chunked.forEach { result.append($0) }
        return result
    }

    @Test func spansPages() {
        var chunked = Chunked(0..<100_000)
        let copy = chunked
        for index in stride(from: 0, to: 100_000, by: 777) { chunked[index] += 1 }
        let areRight = (0..<100_000).allSatisfy {
            copy[$0] == $0 && chunked[$0] == ($0 % 777 == 0 ? $0 + 1 : $0)
        }
        #expect(areRight)
        while !chunked.isEmpty { _ = chunked.removeLast() }
        #expect(chunked.root == nil && copy.count == 100_000)
    }

    @Test func elementsAreReleasedWithTheLastCopy() {
        let tracker = LifetimeTracker()
        var chunked = Chunked<LifetimeTracker.Token>()
        for _ in 0..<5_000 { chunked.append(tracker.token()) }
        var copy: Chunked? = chunked
        for index in 0..<1_000 { chunked[index] = tracker.token() }
        for _ in 0..<4_500 { _ = chunked.removeLast() }
        #expect(tracker.alive == 5_500)
        copy = nil
        #expect(copy == nil && tracker.alive == 500)
        chunked = Chunked()
        #expect(tracker.alive == 0)
    }

    @Test func equalElementsShareTheirChunks() {
        var chunked = Chunked<UInt32>([1, 2, 3])
        chunked.append(repeating: 7, count: 200_000)
        chunked[150_000] = 8
        chunked.append(9)
        var objects = Set<UnsafePointer<UInt32>>()
        var sum = 0
        chunked.withContiguousChunks { chunk in
            objects.insert(chunk.baseAddress!)
            sum = chunk.reduce(sum) { $0 + Int($1) }
        }
        #expect(sum == 1_400_000 + 6 + 1 + 9 && objects.count <= 4)
    }

    // MARK: - Memory

    /// The capacities of the root, and of the last page, block and chunk.
    private func rooms<Element>(of chunked: Chunked<Element>) -> [Int] {
        guard let root = chunked.root else { return [] }
        let page = root.elements[root.count - 1]
        let block = page.elements[page.count - 1]
        return [root.room, page.room, block.room, block.elements[block.count - 1].room]
    }

    @Test func nodesGrowWithTheirContents() {
        var chunked = Chunked<Int>()
        var seen: [Int: [Int]] = [:]
        for number in 1...16_385 {
            chunked.append(number)
            seen[number] = rooms(of: chunked)
        }
        #expect(seen[1] == [1, 1, 1, 1] && seen[2] == [1, 1, 1, 2] && seen[3] == [1, 1, 1, 4])
        #expect(seen[5] == [1, 1, 1, 8] && seen[33] == [1, 1, 1, 64] && seen[64] == [1, 1, 1, 64])
        #expect(seen[65] == [1, 1, 2, 64] && seen[129] == [1, 1, 4, 64] && seen[512] == [1, 1, 8, 64])
        #expect(seen[513] == [1, 2, 8, 64] && seen[1_025] == [1, 4, 8, 64] && seen[16_384] == [1, 32, 8, 64])
        #expect(seen[16_385] == [2, 32, 8, 64])
    }

    @Test(arguments: [1, 5, 31, 32, 33, 63, 64, 65, 96, 97, 130]) func theOnlyChunkOfAShortArrayFits(count: Int) {
        let elements = Array(0..<count)
        let room = count <= 32 ? count : 64
        #expect(rooms(of: Chunked(elements)).last == room)
        var filler = RowFiller(vacant: -1)
        for number in elements { filler.set(number, at: UInt32(number)) }
        #expect(rooms(of: filler.finish()).last == room)
        var copy = Chunked<Int>()
        elements.withUnsafeBufferPointer { copy.append(copying: $0) }
        #expect(rooms(of: copy).last == min(count, 64))
    }

    @Test func writesToAnArrayWithoutCopiesCopyNothing() {
        var chunked = Chunked(0..<40_000)
        let addresses = stride(from: 0, to: 40_000, by: 64).map { chunked.pointer(to: $0) }
        let root = chunked.root.map(ObjectIdentifier.init)
        for index in 0..<40_000 { chunked[index] += 1 }
        #expect(addresses == stride(from: 0, to: 40_000, by: 64).map { chunked.pointer(to: $0) })
        #expect(chunked.root.map(ObjectIdentifier.init) == root)
    }

    @Test func aBufferGrowsToTwiceItsSizeUpToALimit() {
        var buffer = Tail.create(0, room: 1)
        var rooms: [Int] = []
        var objects: [ObjectIdentifier] = []
        for number in 1..<24 {
            Tail.append(number, to: &buffer, limit: 24)
            rooms.append(buffer.room)
            objects.append(ObjectIdentifier(buffer))
        }
        #expect(rooms == [2, 4, 4, 8, 8, 8, 8] + Array(repeating: 16, count: 8) + Array(repeating: 24, count: 8))
        // It moves only in order to grow.
        for index in 1..<rooms.count where rooms[index] == rooms[index - 1] {
            #expect(objects[index] == objects[index - 1])
        }
        _ = Tail.removeLast(from: &buffer)
        var copy = buffer
        Tail.append(7, to: &copy, limit: 24)
        #expect(copy !== buffer && copy.room == 24 && copy.count == 24 && buffer.count == 23)
        #expect((0..<23).allSatisfy { copy.elements[$0] == $0 && buffer.elements[$0] == $0 } && copy.elements[23] == 7)
        var short = Tail.create(0, room: 8)
        let other = short
        Tail.append(1, to: &short, limit: 24)
        #expect(short.room == 8 && short.count == 2 && other.count == 1)
    }

    /// The numbers of different chunks, blocks and pages.
    private func nodeCounts<Element>(of chunked: Chunked<Element>) -> [Int] {
        guard let root = chunked.root else { return [0, 0, 0] }
        func children<Node: AnyObject>(_ nodes: [ObjectIdentifier: Tail<Node>]) -> [ObjectIdentifier: Node] {
            var result: [ObjectIdentifier: Node] = [:]
            for node in nodes.values {
                for index in 0..<node.count { result[ObjectIdentifier(node.elements[index])] = node.elements[index] }
            }
            return result
        }
        let pages = children([ObjectIdentifier(root): root])
        let blocks = children(pages)
        return [children(blocks).count, blocks.count, pages.count]
    }

    @Test(arguments: [0, 64, 100, 512, 600, 16_400])
    func copiesOfAnElementShareAllFullNodes(start: Int) {
        for added in [0, 1, 63, 64, 65, 128, 511, 512, 513, 1_024, 1_100, 16_384, 16_385, 32_768, 33_000] {
            var chunked = Chunked(0..<start)
            chunked.append(repeating: -1, count: added)
            let expected = [64, 512, 16_384].map { size in
                let first = (start + size - 1) / size
                let (end, full) = (start + added, first * size)
                return first + (full + size <= end ? 1 : 0) + (end % size != 0 && end > full ? 1 : 0)
            }
            #expect(nodeCounts(of: chunked) == expected, "\(start) + \(added)")
            #expect(chunked.count == start + added)
            let areRight = stride(from: 0, to: start + added, by: 61).allSatisfy {
                chunked[$0] == ($0 < start ? $0 : -1)
            }
            #expect(areRight)
        }
    }

    @Test func anEmptyPageIsRemoved() {
        var chunked = Chunked(0..<16_385)
        _ = chunked.removeLast()
        #expect(nodeCounts(of: chunked) == [256, 32, 1])
        chunked.append(-1)
        #expect(chunked[16_384] == -1 && chunked[16_383] == 16_383)
        #expect(nodeCounts(of: chunked) == [257, 33, 2])
    }

    // MARK: - Differences

    private func differences<Element>(_ a: Chunked<Element>, _ b: Chunked<Element>) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        let isComplete = a.forEachRange(differingFrom: b) {
            ranges.append($0)
            return true
        }
        #expect(isComplete)
        return ranges
    }

    @Test func arraysDifferInTheChunksThatWereWritten() {
        let array = Chunked(0..<40_000)
        var copy = array
        #expect(differences(array, copy) == [])
        for index in [5, 20_000, 20_100, 39_999] { copy[index] = 0 }
        let ranges = [0..<64, 19_968..<20_032, 20_096..<20_160, 39_936..<40_000]
        #expect(differences(array, copy) == ranges && differences(copy, array) == ranges)
        var other = array
        other[39_999] = 0
        #expect(differences(array, other) == [39_936..<40_000])
        var visited = 0
        let isComplete = array.forEachRange(differingFrom: copy) { _ in
            visited += 1
            return visited < 2
        }
        #expect(!isComplete && visited == 2)
    }

    @Test func elementsThatOnlyOneArrayHasAreDifferences() {
        let array = Chunked(0..<1_024)
        var copy = array
        for number in 0..<100 { copy.append(number) }
        #expect(differences(copy, array) == [1_024..<1_088, 1_088..<1_124])
        #expect(differences(array, copy) == [])
        #expect(differences(array, Chunked()) == (0..<16).map { $0 * 64..<($0 + 1) * 64 })
        #expect(differences(Chunked(), array) == [])
    }

    // MARK: - Values of rows

    @Test func valuesOfRowsAreSetReadAndTaken() {
        var values = Chunked<String?>()
        #expect(values.value(at: 0) == nil && values.take(0) == nil)
        values.set("a", at: 70)
        #expect(values.count == 71 && values.value(at: 70) == "a" && values.value(at: 69) == nil)
        #expect(values.value(at: 71) == nil && values.take(71) == nil)
        values.set("b", at: 70)
        values.set("c", at: 71)
        #expect(values.count == 72 && values.take(70) == "b" && values.take(70) == nil && values.value(at: 71) == "c")
        var numbers = Chunked<Int>()
        numbers.set(5, at: 2, filler: 1)
        numbers.set(6, at: 2, filler: 2)
        numbers.set(7, at: 0, filler: 3)
        numbers.set(8, at: 3, filler: 4)
        var all: [Int] = []
        numbers.forEach { all.append($0) }
        #expect(all == [7, 1, 6, 8])
    }

    @Test func elementsAreStoredWhereReadersExpectThem() {
        func check<Element>(_ element: Element) {
            let buffer = Tail.create(element, room: 1)
            let expected = buffer.withUnsafeMutablePointerToElements { UnsafeRawPointer($0) }
            #expect(UnsafeRawPointer(buffer.elements) == expected)
            #expect(buffer.header.count == 1 && buffer.count == 1 && buffer.room == 1)
        }
        check(UInt8(1))
        check(1)
        check("a")
        check(SIMD4<Double>.zero)
        check(SIMD16<Double>.zero)
    }
}
