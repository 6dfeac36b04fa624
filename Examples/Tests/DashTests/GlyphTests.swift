// The characters of a text that reach a terminal, and their width.

import TerminalHost
import Testing

@Suite struct GlyphTests {
    private func shown(_ text: String) -> String { String(Glyph.glyphs(of: text).map(\.character)) }
    private func width(_ text: String) -> Int { Glyph.glyphs(of: text).reduce(0) { $0 + $1.width } }

    @Test func controlsBecomePictures() {
        #expect(shown("\u{1B}[31mred\u{7}\u{7F}\0") == "␛[31mred␇␡␀")
        #expect(shown("a\r\nb\n") == "a␍␊b␊")
        #expect(shown("\u{9B}31m") == "\u{FFFD}31m")
    }

    @Test func charactersThatReorderOrHideTextAreReplaced() {
        #expect(shown("a\u{202E}b\u{2066}c\u{200B}d\u{FEFF}") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}")
        #expect(shown("a\u{2028}b\u{2029}") == "a\u{FFFD}b\u{FFFD}")
    }

    @Test func noScalarOfAnyTextIsAControl() {
        for value in UInt32(0)..<0x3000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)", "a\(scalar)", "\(scalar)b", "a\u{301}\(scalar)"] {
                let isClean = shown(text).unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
                #expect(isClean, "U+\(String(value, radix: 16))")
            }
        }
    }

    @Test func tabsReachTheNextMultipleOfFour() {
        #expect(shown("\ta\tbcd\te") == "    a   bcd e")
        #expect(shown("日\t|") == "日  |")
    }

    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("한국", 4), ("ｱ", 1), ("Ａ", 2), ("─█…", 3),
        ("😀", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("👍🏽", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("\u{301}", 0), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2),
        ("नि", 1), ("1\u{FE0F}\u{20E3}", 2),
    ])
    func aTextIsAsWideAsItsCharacters(text: String, cells: Int) {
        #expect(width(text) == cells)
    }

    @Test func aCharacterOfManyScalarsIsCut() {
        let heap = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(shown(heap).unicodeScalars.count <= 16)
        #expect(width(heap) == 1)
    }
}
