// A minimal list and a minimal view of it, for the tests of stored sources and of parts.

import Reactive

/// Numbers by row, and a log of the rows that have changed.
struct ToyRows {
    var values: [UInt32: Int] = [:]
    var log: [UInt32] = []

    mutating func set(_ row: UInt32, to value: Int?) {
        values[row] = value
        log.append(row)
    }
}

/// A source or a view that a view may follow.
protocol ToyStage: _Node {
    /// The current rows; subscribes the reader.
    var rows: ToyRows { get }
}

/// A source of rows.
final class ToyList: _StoredSource, ToyStage, @unchecked Sendable {
    // Sendable because the graph's lock guards the state.
    @exclusivity(unchecked) private var state = ToyRows()

    init(_ values: [Int] = []) {
        super.init(named: "list", fileID: #fileID, line: #line)
        for (row, value) in values.enumerated() { state.values[UInt32(row)] = value }
    }

    var rows: ToyRows { read { state } }

    func set(_ row: UInt32, to value: Int?) {
        enter()
        checkWrite()
        if state.values[row] == value { return leave() }
        if needsLogEntry() { log(state) }
        state.set(row, to: value)
        noteChangeAndLeave()
    }

    override func exchangeState(withLogged state: UnsafeMutableRawPointer) {
        swap(&self.state, &state.assumingMemoryBound(to: ToyRows.self).pointee)
    }

    override func equalsState(logged state: UnsafeMutableRawPointer) -> Bool {
        self.state.values == state.assumingMemoryBound(to: ToyRows.self).pointee.values
    }

    override func discardState(logged state: UnsafeMutableRawPointer) {
        release(later: state.assumingMemoryBound(to: ToyRows.self).move())
    }
}

/// `map`, with a closure that is tracked for each element.
final class ToyView: _PartedDerivation, ToyStage {
    private struct State {
        var rows = ToyRows()
        var inputs: [UInt32: Int] = [:]
        var parts: [UInt32: _DerivationPart] = [:]
        var belongings: [UInt32: ElementBelongings] = [:]
        var cursor = 0
    }

    private let source: any ToyStage
    private let transform: (UInt32, Int) -> Int
    @exclusivity(unchecked) private var state: State?
    /// The number of closure runs, and the number of times a view was built.
    @exclusivity(unchecked) private(set) var runs = 0
    @exclusivity(unchecked) private(set) var builds = 0
    /// The rows that were due in the last evaluation.
    @exclusivity(unchecked) private(set) var due: [UInt32] = []
    private let freeing = FreeingMark()

    init(
        _ source: any ToyStage, named name: String = "view",
        _ transform: @escaping (_ row: UInt32, _ value: Int) -> Int
    ) {
        self.source = source
        self.transform = transform
        super.init(beside: source, named: name, fileID: #fileID, line: #line) {
            unsafeDowncast($0, to: ToyView.self).update()
        }
    }

    deinit {
        if FreeingMark.begin() || mustFreeLater { FreeingMark.postpone((state, transform, source)) }
    }

    var rows: ToyRows { read { state?.rows ?? ToyRows() } }

    /// The sum of the values; subscribes the reader.
    var sum: Int { rows.values.values.reduce(0, +) }

    /// The number of elements that have a part. Called with the lock held.
    var partsInState: Int { state?.parts.count ?? 0 }

    private func update() -> Bool {
        logState(state)
        let source = source.rows
        var new = state ?? State()
        var looked = Set<UInt32>()
        var hasChanged = state == nil
        if state == nil { builds += 1 }
        let candidates =
            state == nil
            ? source.values.keys.sorted() : source.log[new.cursor...].filter { looked.insert($0).inserted }
        let only = onlyDueRow
        due = takeDueRows()
        precondition(only == (isLive && due.count == 1 ? due[0] : nil), "a wrong row is the only one that is due")
        var dirty: [UInt32] = []
        for row in candidates where source.values[row] != new.inputs[row] { dirty.append(row) }
        let replaced = Set(dirty)
        for row in Set(due).sorted() where !replaced.contains(row) {
            if let part = new.parts[row], self.hasChanged(part) { dirty.append(row) }
        }
        new.cursor = source.log.count
        evaluateElements {
            for row in dirty {
                if new.belongings.removeValue(forKey: row) != nil { endDroppedElementsFirst() }
                new.inputs[row] = source.values[row]
                let old = new.rows.values[row]
                if let value = source.values[row] {
                    runs += 1
                    let (result, part, belongings) = runOwning(row: row, part: new.parts[row]) { transform(row, value) }
                    new.parts[row] = part
                    new.belongings[row] = belongings
                    if result == old { continue }
                    new.rows.set(row, to: result)
                } else {
                    new.parts[row] = nil
                    if old == nil { continue }
                    new.rows.set(row, to: nil)
                }
                hasChanged = true
            }
        }
        state = new
        return hasChanged
    }

    override func exchangeState(withLogged state: UnsafeMutableRawPointer) {
        swap(&self.state, &state.assumingMemoryBound(to: State?.self).pointee)
    }

    override func discardState(logged state: UnsafeMutableRawPointer) {
        release(later: state.assumingMemoryBound(to: State?.self).move())
    }

    override func forgetState() {
        release(later: state)
        state = nil
    }
}

/// A source that counts its incoming edges.
final class ToyKey: _StoredSource {
    @exclusivity(unchecked) private(set) var timesUnread = 0
    private let onUnread: () -> Void

    init(beside other: _Node, onUnread: @escaping () -> Void = {}) {
        self.onUnread = onUnread
        super.init(beside: other, isCounted: true)
    }

    func noteReader() { read {} }

    func change() {
        enter()
        checkWrite()
        noteChangeAndLeave()
    }

    override func lastEdgeWasRemoved() {
        timesUnread += 1
        onUnread()
    }
}
