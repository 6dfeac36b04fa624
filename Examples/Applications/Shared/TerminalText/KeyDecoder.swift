// Decoding of a terminal's input bytes into keys.

/// Decodes the bytes of a terminal into keys. The bytes may arrive in any pieces.
package struct KeyDecoder {
    private var bytes: [UInt8] = []

    package init() {}

    /// Whether the last bytes may be an incomplete escape sequence or character.
    package var isWaiting: Bool { !bytes.isEmpty }

    /// Takes bytes, and returns the keys that are complete.
    package mutating func decode(_ more: some Sequence<UInt8>) -> [Key] {
        bytes += more
        var keys: [Key] = []
        var rest = bytes[...]
        while let step = Self.next(in: rest) {
            keys += step.keys
            rest = rest.dropFirst(step.length)
        }
        bytes = Array(rest)
        return keys
    }

    /// Returns the keys of the remaining bytes if no more follow: a lone escape byte is the escape key.
    package mutating func flush() -> [Key] {
        defer { bytes = [] }
        return bytes == [escape] ? [.escape] : []
    }

    // MARK: - Steps

    private typealias Step = (keys: [Key], length: Int)

    /// Returns the first keys and their length; `nil` if they are incomplete or no bytes are left.
    private static func next(in bytes: ArraySlice<UInt8>) -> Step? {
        guard let first = bytes.first else { return nil }
        switch first {
        case escape: return sequence(in: bytes)
        case 0x0D, 0x0A: return ([.enter], 1)
        case 0x09: return ([.tab], 1)
        case 0x7F, 0x08: return ([.backspace], 1)
        case 0x01...0x1A: return ([.control(Character(Unicode.Scalar(first + 0x60)))], 1)
        case 0..<0x20: return ([], 1)
        default: return characters(in: bytes)
        }
    }

    private static func characters(in bytes: ArraySlice<UInt8>) -> Step? {
        let run = bytes.prefix { $0 >= 0x20 && $0 != 0x7F }
        // At the very end there may be an incomplete character.
        let isCut = run.endIndex == bytes.endIndex
        let complete = isCut ? run.dropLast(incompleteLength(of: run)) : run
        guard !complete.isEmpty else { return nil }
        let keys = String(decoding: complete, as: UTF8.self).compactMap { character -> Key? in
            let isText = character.unicodeScalars.allSatisfy {
                $0 != "\u{FFFD}" && $0.properties.generalCategory != .control
            }
            return isText ? .character(character) : nil
        }
        return (keys, complete.count)
    }

    /// Returns the length of an incomplete UTF-8 character at the end.
    private static func incompleteLength(of bytes: ArraySlice<UInt8>) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length =
                switch byte {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                default: 1
                }
            return length > index + 1 ? index + 1 : 0
        }
        return 0
    }

    private static func sequence(in bytes: ArraySlice<UInt8>) -> Step? {
        guard let second = bytes.dropFirst().first else { return nil }
        switch second {
        case escape: return ([.escape], 1)
        case UInt8(ascii: "["): return controlSequence(in: bytes)
        case UInt8(ascii: "O"):
            guard let final = bytes.dropFirst(2).first else { return nil }
            return (cursorKeys[final].map { [$0] } ?? [], 3)
        case 0x20..<0x7F: return ([.alt(Character(Unicode.Scalar(second)))], 2)
        case 0x80...:
            guard let step = characters(in: bytes.dropFirst()) else { return nil }
            return (step.keys, step.length + 1)
        default: return ([], 2)
        }
    }

    /// ESC [ parameters final: a cursor key, or a number and a tilde; in either case modifiers may follow a semicolon.
    private static func controlSequence(in bytes: ArraySlice<UInt8>) -> Step? {
        let parameters = bytes.dropFirst(2).prefix { 0x20...0x3F ~= $0 }
        let length = parameters.count + 3
        guard let final = bytes.dropFirst(length - 1).first else {
            // No valid sequence is that long.
            return parameters.count > 32 ? ([], bytes.count) : nil
        }
        guard final >= 0x40 else { return ([], length - 1) }
        let key =
            if final == UInt8(ascii: "~") {
                Int(String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self))
                    .flatMap { numberedKeys[$0] }
            } else {
                cursorKeys[final]
            }
        return (key.map { [$0] } ?? [], length)
    }

    private static let cursorKeys: [UInt8: Key] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
        UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "Z"): .backTab,
    ]

    private static let numberedKeys: [Int: Key] = [
        1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    ]
}

private let escape: UInt8 = 0x1B
