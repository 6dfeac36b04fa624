// The layout of a view's parts.

import TerminalHost
import Testing

@Suite struct LayoutTests {
    private func lines(_ columns: Int, _ rows: Int, _ view: View) -> [String] {
        view.canvas(Size(columns: columns, rows: rows)).lines
    }

    @Test func textThatDoesNotFitEndsInAnEllipsis() {
        #expect(lines(5, 1, text("abcde")) == ["abcde"])
        #expect(lines(5, 1, text("abcdef")) == ["abcd…"])
        #expect(lines(5, 1, text("日本語")) == ["日本…"])
        #expect(lines(4, 1, text("日本語")) == ["日…"])
        #expect(lines(1, 1, text("日本語")) == ["…"])
        #expect(lines(5, 2, text("ab\ncd\nef")) == ["ab", "cd"])
    }

    @Test func paragraphsBreakBetweenWords() {
        #expect(lines(7, 4, paragraph("one two three")) == ["one two", "three", "", ""])
        #expect(lines(6, 3, paragraph("one two three")) == ["one", "two", "three"])
        #expect(lines(4, 4, paragraph("abcdefghij kl")) == ["abcd", "efgh", "ij", "kl"])
        #expect(lines(3, 2, paragraph("日本")) == ["日", "本"])
        #expect(lines(1, 2, paragraph("日本")) == ["", ""])
    }

    @Test func flexibleViewsShareTheRemainingSpace() {
        let view = row {
            text("ab")
            box("x") { text("1") }.flexible()
            box("y") { text("2") }.flexible()
        }
        #expect(lines(15, 3, view) == ["ab┌─ x ┐┌─ y ─┐", "  │1   ││2    │", "  └────┘└─────┘"])
    }

    @Test func earlierViewsComeFirstWhenSpaceIsShort() {
        let view = column {
            text("one")
            spacer()
            text("two")
            text("three")
        }
        #expect(lines(5, 5, view) == ["one", "", "", "two", "three"])
        #expect(lines(5, 2, view) == ["one", "two"])
    }

    @Test func aRowIsAsHighAsItsHighestView() {
        let view = column {
            row(spacing: 1) {
                text("a")
                text("b\nc")
            }
            text("d")
        }
        #expect(lines(3, 3, view) == ["a b", "  c", "d"])
    }

    @Test func aScrollingListShowsTheRequestedRow() {
        func view(_ visible: Int) -> View {
            scroll(to: visible) { for number in 0..<5 { text("\(number)") } }
        }
        #expect(lines(1, 3, view(0)) == ["0", "1", "2"])
        #expect(lines(1, 3, view(2)) == ["0", "1", "2"])
        #expect(lines(1, 3, view(4)) == ["2", "3", "4"])
        #expect(lines(1, 3, view(9)) == ["0", "1", "2"])
    }

    @Test func aBarFillsTheWidth() {
        #expect(lines(10, 1, progressBar(0.5)) == ["█████░░░░░"])
        #expect(lines(4, 1, progressBar(-1)) == ["░░░░"])
        #expect(lines(4, 1, progressBar(7)) == ["████"])
        #expect(lines(4, 1, progressBar(.nan)) == ["░░░░"])
    }

    @Test func overwritingHalfOfAWideCharacterRemovesAllOfIt() {
        let view = row {
            text("日").frame(width: 1)
            text("本")
        }
        #expect(lines(3, 1, view) == ["…本"])
    }

    @Test func innerAndLaterViewsGetKeysFirst() {
        var taken: [String] = []
        func take(_ name: String, _ keys: Set<Key>) -> (Key) -> Bool {
            {
                taken.append(name)
                return keys.contains($0)
            }
        }
        let view = column {
            text("a").onKey(take("first", [.enter]))
            box("b") { text("b").onKey(take("second", [.up])) }
        }.onKey(take("outer", [.tab]))
        #expect(view.handle(.up))
        #expect(view.handle(.enter))
        #expect(view.handle(.tab))
        #expect(!view.handle(.down))
        let all = ["second", "first", "outer"]
        #expect(taken == ["second"] + ["second", "first"] + all + all)
    }
}
