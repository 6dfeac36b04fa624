// Merges of texts.

import Testing

@testable import ReactiveSync

@Suite("Text merge")
struct TextMergeTests {
    private func merged(_ base: String, _ current: String, _ edited: String) -> String? {
        let one = TextMerge.merged(base: base, current: current, edited: edited)
        // The order of both changes does not matter.
        #expect(one == TextMerge.merged(base: base, current: edited, edited: current))
        return one
    }

    @Test func changesOfDifferentRangesAreMerged() {
        #expect(merged("Buy milk", "Buy oat milk", "Buy milk today") == "Buy oat milk today")
        #expect(merged("one two three", "1 two three", "one two 3") == "1 two 3")
        #expect(merged("one two three", "two three", "one two") == "two")
    }

    @Test func oneChangeMayBeBetweenTwoOfTheOther() {
        #expect(merged("a b c d e", "A b c d E", "a b C d e") == "A b C d E")
        #expect(merged("a b c d e f g", "A b c D e f G", "a B c d e F g") == "A B c D e F G")
    }

    @Test func changesOfOneRangeConflict() {
        #expect(merged("Buy milk", "Buy oat milk", "Buy soy milk") == nil)
        #expect(merged("abc", "axc", "ayc") == nil)
        // One removes a range that the other changes.
        #expect(merged("one two three", "one three", "one tWo three") == nil)
        // Ranges that touch.
        #expect(merged("abcd", "aXcd", "abYd") == nil)
        #expect(merged("", "x", "y") == nil)
    }

    @Test func equalChangesAreAppliedOnce() {
        #expect(merged("a b c", "A b c", "A b c") == "A b c")
        #expect(merged("a b c d e", "A b C d e", "A b c d E") == "A b C d E")
    }

    @Test func anUnchangedTextTakesTheOtherChange() {
        #expect(merged("a", "a", "b") == "b")
        #expect(merged("a", "b", "a") == "b")
        #expect(merged("", "", "") == "")
        #expect(merged("a", "", "a") == "")
    }

    @Test func charactersStayWhole() {
        // Both families and both skin tones share scalars, but they are not mixed.
        #expect(merged("👨‍👩‍👧", "👨‍👩‍👦", "👩‍👩‍👧") == nil)
        #expect(merged("👍", "👍🏽", "👍🏿") == nil)
        #expect(merged("x👨‍👩‍👧y", "X👨‍👩‍👧y", "x👨‍👩‍👦y") == nil)
        #expect(merged("x 👨‍👩‍👧 y", "X 👨‍👩‍👧 y", "x 👨‍👩‍👦 y") == "X 👨‍👩‍👦 y")
        // Flags are pairs, not single letters.
        #expect(merged("🇩🇪 🇫🇷", "🇩🇰 🇫🇷", "🇩🇪 🇫🇮") == "🇩🇰 🇫🇮")
        #expect(merged("🇩🇪🇫🇷", "🇩🇪🇫🇷🇮🇹", "🇪🇸 🇩🇪🇫🇷") == "🇪🇸 🇩🇪🇫🇷🇮🇹")
        // A combining mark belongs to its letter.
        #expect(merged("e f", "e\u{301} f", "e\u{300} f") == nil)
        #expect(merged("e f", "e\u{301} f", "e g") == "e\u{301} g")
        #expect(merged("a\r\nb", "a\nb", "a\r\nc") == nil)
    }

    @Test func normalFormsAreDifferentTexts() throws {
        let text = try #require(
            TextMerge.merged(base: "\u{e9} b", current: "e\u{301} b", edited: "\u{e9} c"))
        #expect(Array(text.unicodeScalars) == Array("e\u{301} c".unicodeScalars))
    }

    @Test func textsWithLargeDifferencesMergeByOneRange() {
        let base = String(repeating: "abcdefghij", count: 300)
        let rewritten = "x" + String(base.reversed())
        #expect(merged(base + " end", rewritten + " end", base + " END") == rewritten + " END")
        #expect(merged(base, rewritten, base + "!") == nil || merged(base, rewritten, base + "!") == rewritten + "!")
    }

    @Test func mergesKeepTheInsertionsOfBoth() {
        for seed in UInt64(0)..<500 {
            var random = DocumentRandom(seed: seed)
            let base = (0..<random.below(30)).map { _ in random.pick(["a", "b", "é", "👍🏽", "\n"]) }
            func change(_ letter: String) -> [String] {
                var text = base
                for _ in 0..<random.below(4) {
                    if random.oneIn(2), !text.isEmpty {
                        text.remove(at: random.below(text.count))
                    } else {
                        text.insert(letter, at: random.below(text.count + 1))
                    }
                }
                return text
            }
            let (one, two) = (change("1"), change("2"))
            guard let merged = merged(base.joined(), one.joined(), two.joined()) else { continue }
            // Each insertion is in the result as often as in its change.
            #expect(merged.count { $0 == "1" } == one.count { $0 == "1" }, "seed \(seed)")
            #expect(merged.count { $0 == "2" } == two.count { $0 == "2" }, "seed \(seed)")
            let kept = base.count - (base.count - one.count { $0 != "1" }) - (base.count - two.count { $0 != "2" })
            #expect(merged.count { $0 != "1" && $0 != "2" } >= kept, "seed \(seed)")
        }
    }
}
