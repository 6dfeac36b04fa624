// A viewer is one open page: its stream of messages, and its numbers of nodes.

import Reactive

/// The stream of one page. One task at a time asks it for messages.
final class Viewer: @unchecked Sendable {
    // Sendable because only the task of its stream changes it.
    let number: Int
    let graph: LiveGraph
    private let travel: TimeTravel?
    private var hasBegun = false
    private var lastPosition: TimeTravel.Position?

    private static let interval: UInt64 = 200_000_000
    /// The number of intervals after which a message is sent even if nothing has happened.
    private static let patience = 75

    init(of graph: GraphHandle, travel: TimeTravel?) {
        number = Viewers.nextNumber()
        self.graph = LiveGraph(of: graph, limit: 20_000)
        self.travel = travel
    }

    /// Waits for something new. Returns `nil` once the task is cancelled.
    func next() async -> String? {
        if !hasBegun {
            hasBegun = true
            let position = await newPosition()
            return graph.update().message(viewer: number, position: position)
        }
        for _ in 0..<Viewer.patience {
            guard (try? await Task.sleep(nanoseconds: Viewer.interval)) != nil else { return nil }
            let position = await newPosition()
            let update = graph.update()
            if !update.events.isEmpty || position != nil { return update.message(viewer: nil, position: position) }
        }
        return "{}"
    }

    /// The position in the history, if it has changed.
    private func newPosition() async -> TimeTravel.Position? {
        guard let travel, let position = await travel.position(ifNot: lastPosition) else { return nil }
        lastPosition = position
        return position
    }
}

/// The open pages of an inspector, by number.
final class Viewers: Sendable {
    private struct WeakViewer {
        weak var viewer: Viewer?
    }

    /// An object, so that `Guarded` does not copy the dictionary when it changes.
    private final class Box { var all: [Int: WeakViewer] = [:] }
    private let box = Guarded(Box())

    private final class Counter { var last = 0 }
    private static let counter = Guarded(Counter())

    static func nextNumber() -> Int {
        counter.withLock {
            $0.last += 1
            return $0.last
        }
    }

    func add(_ viewer: Viewer) {
        box.withLock {
            $0.all = $0.all.filter { $0.value.viewer != nil }
            $0.all[viewer.number] = WeakViewer(viewer: viewer)
        }
    }

    func viewer(_ number: Int) -> Viewer? { box.withLock { $0.all[number]?.viewer } }
}
