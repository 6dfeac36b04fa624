// The cost of a changed node by the size of the graph: the nanoseconds of a write, divided by the number of changed
// nodes.

import CLimit
import Harness
import Reactive

extension Row {
    static var scaling: [Row] {
        Curve.allCases.flatMap { curve in
            Curve.sizes.map { size in
                let writes = 1_000_000 / size
                return operation(curve.row(size: size), writes * size) { reactions in
                    let write =
                        switch curve {
                        case .chain: chain(size, reactions)
                        case .fanOut: fanOut(size, reactions)
                        case .fanIn: fanIn(size, reactions)
                        }
                    let last = Counter()
                    return {
                        for _ in 0..<writes {
                            last.count += 1
                            write(last.count)
                        }
                    }
                }
            }
        }
    }
}

private func chain(_ size: Int, _ reactions: Reactions) -> (Int) -> Void {
    let source = Observable(0)
    var end = Computed { source.value + 1 }
    for _ in 1..<size {
        end = Computed { [end] in end.value + 1 }
        // In order from the source, so that no first read recurses through the whole chain.
        _ = end.value
    }
    let last = end
    reactions.autorun { measure_sink(Int64(last.value)) }
    return { value in
        source.value = value
        check(last.value, value + size)
    }
}

private func fanOut(_ size: Int, _ reactions: Reactions) -> (Int) -> Void {
    let source = Observable(0)
    for _ in 0..<size { reactions.autorun { measure_sink(Int64(source.value)) } }
    return { source.value = $0 }
}

private func fanIn(_ size: Int, _ reactions: Reactions) -> (Int) -> Void {
    let sources = (0..<size).map { _ in Observable(0) }
    let sum = Computed {
        var sum = 0
        for source in sources { sum += source.value }
        return sum
    }
    reactions.autorun { measure_sink(Int64(sum.value)) }
    return { value in
        inTransaction {
            for source in sources { source.value = value }
        }
        check(sum.value, value * size)
    }
}
