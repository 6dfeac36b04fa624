// The dynamic tests of milomg/js-reactivity-benchmark: layers of computeds, some of which choose their sources by a
// value. The parts of a name are: sources of a node - width x layers - share of choosing nodes - share of the last
// layer that is not read.

import Harness
import Reactive

extension Row {
    static var dynamic: [Row] {
        Configuration.all.map { configuration in
            Row(name: configuration.name, unit: .milliseconds, isSummarized: true) {
                let test = DynamicTest(configuration)
                test.run()
                return { test.sample() }
            }
        }
    }
}

private struct Configuration {
    let name: String
    let width: Int
    let layers: Int
    let staticShare: Double
    let sourcesPerNode: Int
    let readShare: Double
    let iterations: Int
    let expectedSum: Double
    let expectedCount: Int

    static let all = [
        Configuration(
            name: "dyn 2-10x5-lazy80", width: 10, layers: 5, staticShare: 1, sourcesPerNode: 2, readShare: 0.2,
            iterations: 600_000, expectedSum: 19_199_968, expectedCount: 3_480_000),
        Configuration(
            name: "dyn 6-10x10-dyn25-lazy80", width: 10, layers: 10, staticShare: 0.75, sourcesPerNode: 6,
            readShare: 0.2,
            iterations: 15_000, expectedSum: 302_310_782_860, expectedCount: 1_155_000),
        Configuration(
            name: "dyn 4-1000x12-dyn5", width: 1000, layers: 12, staticShare: 0.95, sourcesPerNode: 4, readShare: 1,
            iterations: 7000, expectedSum: 29_355_933_696_000, expectedCount: 1_463_000),
        Configuration(
            name: "dyn 25-1000x5", width: 1000, layers: 5, staticShare: 1, sourcesPerNode: 25, readShare: 1,
            iterations: 3000, expectedSum: 1_171_484_375_000, expectedCount: 732_000),
        Configuration(
            name: "dyn 3-5x500", width: 5, layers: 500, staticShare: 1, sourcesPerNode: 3, readShare: 1,
            iterations: 500, expectedSum: 3.0239642676898464e241, expectedCount: 1_246_500),
        Configuration(
            name: "dyn 6-100x15-dyn50", width: 100, layers: 15, staticShare: 0.5, sourcesPerNode: 6, readShare: 1,
            iterations: 2000, expectedSum: 15_664_996_402_790_400, expectedCount: 1_078_000),
    ]
}

/// A source of a node: an observable for the first layer, a computed for the others.
private protocol Readable {
    var value: Double { get }
}
extension Observable<Double>: Readable {}
extension Computed<Double>: Readable {}

private final class DynamicTest {
    private let configuration: Configuration
    private let sources: [Observable<Double>]
    private var leaves: [Computed<Double>]
    private let evaluations = Counter()
    private let reactions = Reactions()

    init(_ configuration: Configuration) {
        self.configuration = configuration
        sources = (0..<configuration.width).map { Observable(Double($0)) }
        leaves = []
        var random = SuiteRandom()
        leaves = layer(above: sources, &random)
        for _ in 2..<configuration.layers { leaves = layer(above: leaves, &random) }
        leaveSomeOut()
        reactions.autorun { [leaves] in
            for leaf in leaves { _ = leaf.value }
        }
    }

    func sample() -> Double {
        evaluations.count = 0
        var sum = 0.0
        let result = time { sum = run() }
        check(sum, configuration.expectedSum)
        if configuration.readShare == 1 { check(evaluations.count, configuration.expectedCount) }
        return result
    }

    @discardableResult
    func run() -> Double {
        let leaves = leaves
        for i in 0..<configuration.iterations {
            let index = i % configuration.width
            inTransaction { sources[index].value = Double(i + index) }
            for leaf in leaves { _ = leaf.value }
        }
        return leaves.reduce(0) { $0 + $1.value }
    }

    private func layer<Source: Readable>(above: [Source], _ random: inout SuiteRandom) -> [Computed<Double>] {
        (0..<configuration.width).map { i in
            let mine = (0..<configuration.sourcesPerNode).map { above[(i + $0) % configuration.width] }
            return random.next() < configuration.staticShare ? summing(mine) : choosing(mine)
        }
    }

    private func summing<Source: Readable>(_ sources: [Source]) -> Computed<Double> {
        Computed { [evaluations] in
            evaluations.count += 1
            var sum = 0.0
            for source in sources { sum += source.value }
            return sum
        }
    }

    /// Leaves out one source if the first is odd. The first also determines which one.
    private func choosing<Source: Readable>(_ sources: [Source]) -> Computed<Double> {
        let first = sources[0]
        let tail = Array(sources.dropFirst())
        return Computed { [evaluations] in
            evaluations.count += 1
            var sum = first.value
            let choice = Int(sum)
            let dropped = choice & 1 != 0 ? choice % tail.count : -1
            for i in 0..<tail.count where i != dropped { sum += tail[i].value }
            return sum
        }
    }

    private func leaveSomeOut() {
        var random = SuiteRandom()
        let unread = Int((Double(leaves.count) * (1 - configuration.readShare)).rounded())
        for _ in 0..<unread { leaves.remove(at: Int(random.next() * Double(leaves.count))) }
    }
}

/// The pseudo-random numbers of the suite (sfc32 seeded by xmur3), so that graphs and checks are the same.
private struct SuiteRandom {
    private var a, b, c, d: UInt32

    init() {
        let seed = "seed".utf8
        var hash: UInt32 = 2_166_136_261
        for character in seed {
            hash ^= rotate(UInt32(character) &* 3_432_918_353, by: 15) &* 461_845_907
            hash = rotate(hash, by: 13) &* 5 &+ 3_864_292_196
        }
        hash ^= UInt32(seed.count)
        func next() -> UInt32 {
            hash = (hash ^ (hash >> 16)) &* 2_246_822_507
            hash = (hash ^ (hash >> 13)) &* 3_266_489_909
            hash ^= hash >> 16
            return hash
        }
        (a, b, c, d) = (next(), next(), next(), next())
    }

    /// Returns the next number in 0 ..< 1.
    mutating func next() -> Double {
        d &+= 1
        let sum = a &+ b &+ d
        a = b ^ (b >> 9)
        b = c &+ (c << 3)
        c = rotate(c, by: 21) &+ sum
        return Double(sum) / 4_294_967_296
    }
}

private func rotate(_ x: UInt32, by bits: UInt32) -> UInt32 { (x << bits) | (x >> (32 - bits)) }
