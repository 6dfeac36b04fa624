// The cellx tests of milomg/js-reactivity-benchmark: layers of four computeds; a sample is ten graphs, each written
// once.

import Harness
import Reactive

extension Row {
    static var cellx: [Row] { [cellx(layers: 1000), cellx(layers: 2500)] }

    private static func cellx(layers: Int) -> Row {
        Row(name: "cellx\(layers)", unit: .milliseconds, isSummarized: true) {
            _ = runOnce(layers: layers)
            return { (0..<10).reduce(0) { total, _ in total + runOnce(layers: layers) } }
        }
    }
}

/// Four sources, and four computeds of the same shape.
private struct Sources {
    @Observable var a = 1
    @Observable var b = 2
    @Observable var c = 3
    @Observable var d = 4
}

private typealias Layer = [Computed<Int>]

private func runOnce(layers: Int) -> Double {
    let reactions = Reactions()
    let sources = Sources()
    var last: Layer = [
        Computed { sources.b },
        Computed { sources.a - sources.c },
        Computed { sources.b + sources.d },
        Computed { sources.c },
    ]
    observe(last, by: reactions)
    for _ in 1..<layers {
        last = layer(above: last)
        observe(last, by: reactions)
    }

    var before: [Int] = []
    var after: [Int] = []
    let result = time {
        before = last.map { $0.value }
        inTransaction {
            sources.a = 4
            sources.b = 3
            sources.c = 2
            sources.d = 1
        }
        after = last.map { $0.value }
    }
    check(before, [-3, -6, -2, 2])
    check(after, [-2, -4, 2, 3])
    return result
}

private func layer(above: Layer) -> Layer {
    let (a, b, c, d) = (above[0], above[1], above[2], above[3])
    return [
        Computed { b.value },
        Computed { a.value - c.value },
        Computed { b.value + d.value },
        Computed { c.value },
    ]
}

private func observe(_ layer: Layer, by reactions: Reactions) {
    for value in layer { reactions.autorun { _ = value.value } }
}
