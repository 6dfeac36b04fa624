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
