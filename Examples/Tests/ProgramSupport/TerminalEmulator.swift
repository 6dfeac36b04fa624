// A terminal emulator: it interprets the output of a full-screen program and provides the contents of the screen.

/// The state of a terminal after some output.
public struct TerminalEmulator {
    /// The number of columns.
    public private(set) var columns: Int
    /// The number of rows.
    public private(set) var rows: Int
    private var main: Grid
    private var alternate: Grid

    /// Whether the alternate screen is shown.
    public private(set) var isAlternate = false
    /// Whether the cursor is visible.
    public private(set) var isCursorVisible = true
    /// Whether a character after the last column starts a new line.
    public private(set) var wraps = true
    /// The number of completed synchronised updates: frames.
    public private(set) var frameCount = 0
    /// The number of cells written since the beginning.
    public private(set) var writtenCells = 0
    /// The number of bytes received since the beginning.
    public private(set) var byteCount = 0
    /// Whether an update has begun and not ended.
    public private(set) var isUpdating = false
    /// Sequences that this terminal does not support.
    public private(set) var complaints: [String] = []
    /// Whether a colour was ever set.
    public private(set) var hasSeenColor = false

    private var x = 0
    private var y = 0
    private var attributes: Set<Int> = []
    private var savedPosition = (x: 0, y: 0)
    private var pending: [UInt8] = []

    private struct Cell {
        var text = " "
        var attributes: Set<Int> = []
    }
    private typealias Grid = [[Cell]]

    /// Creates a blank terminal.
    public init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (columns, rows)
        main = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
        alternate = main
    }

    // MARK: - Reading the screen

    /// The text of each row, without trailing blanks.
    public var lines: [String] {
        (isAlternate ? alternate : main).map { row in
            let text = row.map(\.text).joined()
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// All rows.
    public var text: String { lines.joined(separator: "\n") }

    /// Returns the text of the cells that have an attribute, row by row: 1 is bold, 7 is reversed, 31 is red.
    public func text(with attribute: Int) -> String {
        (isAlternate ? alternate : main).map { row in
            row.map { $0.attributes.contains(attribute) ? $0.text : "" }.joined()
        }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    // MARK: - Resizing

    /// Resizes it, and keeps the top left part of the screen.
    public mutating func resize(columns: Int, rows: Int) {
        func fit(_ grid: Grid) -> Grid {
            (0..<rows).map { y in
                (0..<columns).map { x in y < grid.count && x < grid[y].count ? grid[y][x] : Cell() }
            }
        }
        (main, alternate) = (fit(main), fit(alternate))
        (self.columns, self.rows) = (columns, rows)
        (x, y) = (min(x, columns - 1), min(y, rows - 1))
    }

    // MARK: - Output

    /// Interprets the next byte.
    public mutating func take(_ byte: UInt8) {
        byteCount += 1
        pending.append(byte)
        guard let first = pending.first else { return }
        if first == 0x1B {
            takeEscape(byte)
        } else if first < 0x20 || first == 0x7F {
            takeControl(first)
        } else if pending.count == (first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4) {
            // Invalid UTF-8 is decoded to U+FFFD and a remainder.
            let scalars = String(decoding: pending, as: UTF8.self).unicodeScalars
            guard scalars.count == 1 else { return complain("not UTF-8") }
            pending = []
            print(scalars.first!)
        }
    }

    private mutating func complain(_ what: String) {
        complaints.append("\(what): \(pending)")
        pending = []
    }

    private mutating func takeControl(_ byte: UInt8) {
        switch byte {
        case 0x0D: x = 0
        case 0x0A: feedLine()
        case 0x08: x = max(0, x - 1)
        case 0x07: break
        default: return complain("a control")
        }
        pending = []
    }

    private mutating func feedLine() {
        y += 1
        guard y == rows else { return }
        y = rows - 1
        change { grid in
            grid.removeFirst()
            grid.append(Array(repeating: Cell(), count: grid[0].count))
        }
    }

    private mutating func change(_ body: (inout Grid) -> Void) {
        if isAlternate { body(&alternate) } else { body(&main) }
    }

    private mutating func print(_ scalar: Unicode.Scalar) {
        if 0x80..<0xA0 ~= scalar.value { complaints.append("a control: \(scalar.value)") }
        let joins = scalar.properties.isVariationSelector || scalar.properties.generalCategory == .nonspacingMark
        if joins || scalar.value == 0x200D {
            let place = (x: max(0, x - 1), y: y)
            change { $0[place.y][place.x].text.unicodeScalars.append(scalar) }
            return
        }
        // Like real terminals, it supports some wide blocks and joins nothing.
        let width = 0x3000...0x9FFF ~= scalar.value || 0x1F300...0x1FAFF ~= scalar.value ? 2 : 1
        if x + width > columns {
            if wraps {
                x = 0
                feedLine()
            } else {
                x = columns - width
            }
        }
        let place = (x: x, y: y)
        let cell = Cell(text: String(Character(scalar)), attributes: attributes)
        change {
            $0[place.y][place.x] = cell
            if width == 2 { $0[place.y][place.x + 1] = Cell(text: "", attributes: cell.attributes) }
        }
        writtenCells += width
        // After the last column the cursor stays there without wrapping.
        x = wraps ? x + width : min(x + width, columns - 1)
    }

    // MARK: - Escape sequences

    private mutating func takeEscape(_ byte: UInt8) {
        guard pending.count > 1 else { return }
        if byte == 0x1B {
            // A new sequence interrupts an old one.
            pending = [byte]
            return
        }
        guard pending[1] == UInt8(ascii: "[") else { return complain("an escape sequence") }
        guard pending.count > 2, 0x40...0x7E ~= byte else { return }
        let body = String(decoding: pending[2..<pending.count - 1], as: UTF8.self)
        let isPrivate = body.hasPrefix("?")
        let numbers = body.drop { $0 == "?" }.split(separator: ";").map { Int($0) ?? -1 }
        switch (Character(Unicode.Scalar(byte)), isPrivate) {
        case ("H", false):
            y = min(max((numbers.first ?? 1) - 1, 0), rows - 1)
            x = min(max((numbers.dropFirst().first ?? 1) - 1, 0), columns - 1)
        case ("J", false) where numbers == [2]: clear()
        case ("K", false) where numbers.isEmpty: clearRestOfRow()
        case ("C", false) where numbers.count <= 1: x = min(x + max(numbers.first ?? 1, 1), columns - 1)
        case ("m", false): setAttributes(numbers)
        case ("h", true) where numbers.count == 1 && setMode(numbers[0], true): break
        case ("l", true) where numbers.count == 1 && setMode(numbers[0], false): break
        default: return complain("an escape sequence")
        }
        pending = []
    }

    private mutating func clear() {
        change { grid in grid = grid.map { $0.map { _ in Cell() } } }
    }

    private mutating func clearRestOfRow() {
        let place = (x: min(x, columns), y: y)
        change { grid in
            for x in place.x..<grid[place.y].count { grid[place.y][x] = Cell() }
        }
    }

    private mutating func setAttributes(_ numbers: [Int]) {
        for number in numbers.isEmpty ? [0] : numbers {
            if number == 0 { attributes = [] } else { attributes.insert(number) }
            if number >= 30 { hasSeenColor = true }
        }
    }

    /// Returns whether the mode exists.
    private mutating func setMode(_ number: Int, _ isOn: Bool) -> Bool {
        switch number {
        case 7: wraps = isOn
        case 25: isCursorVisible = isOn
        case 1049:
            if isOn, !isAlternate {
                savedPosition = (x, y)
                isAlternate = true
                clear()
            } else if !isOn, isAlternate {
                isAlternate = false
                (x, y) = savedPosition
            }
        case 2026:
            isUpdating = isOn
            if !isOn { frameCount += 1 }
        default: return false
        }
        return true
    }
}
