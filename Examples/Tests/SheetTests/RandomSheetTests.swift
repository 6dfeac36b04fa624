// Random sheets and edits, compared with an evaluator that recomputes everything each time.

import ProgramSupport
import SheetCore
import Testing

@Suite(.alone) struct RandomSheetTests {
    /// The oracle: the entered cells, evaluated by plain recursion without a cache.
    private struct Naive: CellReading {
        /// Thrown when a cell depends on itself.
        struct Loop: Error {}

        var sources: [Position: String] = [:]
        var open: Set<Position> = []

        func value(at position: Position) throws -> CellValue {
            guard !open.contains(position) else { throw Loop() }
            let source = sources[position] ?? ""
            guard source.hasPrefix("=") else { return NumberText.number(source).map { .number($0) } ?? .empty }
            var inner = self
            inner.open.insert(position)
            return try Formula(source).value(reading: inner)
        }

        /// The value as the sheet should show it.
        func display(_ position: Position) throws -> String {
            do {
                return try value(at: position).display
            } catch is Loop {
                return "#CYCLE!"
            }
        }
    }

    private static let size = 4
    private static let positions = (1...size).flatMap { row in
        (1...size).map { Position(column: $0, row: row) }
    }

    private static func source(_ generator: inout SplitMix64) -> String {
        func cell() -> Position { positions.randomElement(using: &generator)! }
        switch Int.random(in: 0..<14, using: &generator) {
        case 0...4: return String(Int.random(in: -3...3, using: &generator))
        case 5: return ""
        case 6: return "=\(cell())"
        case 7: return "=\(cell())+\(cell())*2"
        case 8: return "=\(cell())/\(cell())"
        case 9: return "=IF(\(cell())>0,\(cell()),\(cell()))"
        case 10: return "=SUM(A1:\(cell()))"
        case 11: return "=MAX(\(cell()),\(cell()))"
        case 12: return "=COUNT(\(cell()):D4)"
        default: return "=IF(\(cell())=\(cell()),AVERAGE(B1:B3),-\(cell())%)"
        }
    }

    private struct Undo: Error {}

    // Blocks of 2, so that small ranges have several.
    @Test(arguments: UInt64(1)...30, [2, 16])
    func aSheetAgreesWithRecomputingEverything(seed: UInt64, blockSize: Int) throws {
        var generator = SplitMix64(seed: seed)
        var naive = Naive()
        for position in Self.positions { naive.sources[position] = Self.source(&generator) }
        let rows = (1...Self.size).map { row in
            (1...Self.size).map { naive.sources[Position(column: $0, row: row)] ?? "" }
        }
        let sheet = Sheet(rows: rows, blockSize: blockSize)
        var shown = try Self.displays(naive)

        for step in 1...60 {
            let before = naive
            let edits = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                (Self.positions.randomElement(using: &generator)!, Self.source(&generator))
            }
            let isUndone = Int.random(in: 0..<5, using: &generator) == 0
            do {
                try sheet.transaction {
                    for (position, source) in edits {
                        try sheet.enter(source, at: position)
                        naive.sources[position] = source
                    }
                    let probe = edits[0].0
                    #expect(
                        sheet.shownValue(at: probe).display == (try naive.display(probe)), "seed \(seed) step \(step)")
                    if isUndone { throw Undo() }
                }
            } catch is Undo {
                naive = before
            }

            let now = try Self.displays(naive)
            let changed = sheet.takeChanges()
            let expected = Self.positions.filter { shown[$0] != now[$0] }
            #expect(changed.map(\.position) == expected, "seed \(seed) step \(step) edits \(edits)")
            for position in Self.positions {
                #expect(
                    sheet.shownValue(at: position).display == now[position], "seed \(seed) step \(step) \(position)")
            }
            shown = now
        }
    }

    private static func displays(_ naive: Naive) throws -> [Position: String] {
        Dictionary(uniqueKeysWithValues: try positions.map { ($0, try naive.display($0)) })
    }
}
