// Conversion of text to terminal cells: the width of characters, and the removal of control characters.

/// A character that is safe to send to a terminal, and its width in cells.
package struct Glyph: Equatable {
    package let character: Character
    /// The width in cells, 1 or 2.
    package let width: Int

    /// Creates a glyph of a character that is safe to send.
    package init(character: Character, width: Int) {
        self.character = character
        self.width = width
    }

    /// Whether all terminals agree on the width. After other characters the position of the cursor is uncertain.
    package var isWidthCertain: Bool {
        let scalars = character.unicodeScalars
        guard scalars.count == 1, let scalar = scalars.first else { return false }
        return scalar.isASCII || !scalar.properties.isEmoji
    }

    /// Returns the glyphs of a text.
    ///
    /// The result cannot move the cursor, change a setting of the terminal or reorder its surroundings. Control
    /// characters become their pictures, tabs become spaces up to the next multiple of four, and invisible formatting
    /// becomes U+FFFD.
    package static func glyphs(of text: some StringProtocol) -> [Glyph] {
        var glyphs: [Glyph] = []
        var column = 0
        func append(_ character: Character) {
            let width = width(of: character)
            guard width > 0 else { return }
            glyphs.append(Glyph(character: character, width: width))
            column += width
        }
        for character in text {
            let scalars = character.unicodeScalars
            if character == "\t" {
                repeat { append(" ") } while column % 4 != 0
            } else if scalars.count <= longestCluster, scalars.allSatisfy({ !isUnsafe($0) }) {
                append(character)
            } else {
                for scalar in scalars.prefix(longestCluster) { append(Character(picture(of: scalar))) }
            }
        }
        return glyphs
    }

    /// The maximum number of scalars in a character. Longer clusters are not readable text.
    private static let longestCluster = 16

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        // Joiners, and the tags of flags, belong to their neighbours.
        case .format: !(0x200C...0x200D ~= scalar.value || 0xE0020...0xE007F ~= scalar.value)
        default: false
        }
    }

    private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard isUnsafe(scalar) else { return scalar }
        switch scalar.value {
        case 0..<0x20: return Unicode.Scalar(0x2400 + scalar.value)!
        case 0x7F: return "\u{2421}"
        default: return "\u{FFFD}"
        }
    }

    // MARK: - Width

    /// Returns the width of a character in cells: 0, 1 or 2.
    static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        let first = scalars.first!
        if first.isASCII, scalars.count == 1 { return 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if isWide(first) { return 2 }
        // An emoji because of a following U+FE0F, or a flag, which is two letters.
        if scalars.dropFirst().contains("\u{FE0F}"), first.properties.isEmoji { return 2 }
        return 0x1F1E6...0x1F1FF ~= first.value && scalars.count > 1 ? 2 : 1
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x1100 else { return false }
        if 0x1F1E6...0x1F1FF ~= scalar.value { return false }
        return scalar.properties.isEmojiPresentation || wideRanges.contains { $0.contains(scalar.value) }
    }

    /// The East Asian wide and fullwidth characters of Unicode, without the emoji.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
