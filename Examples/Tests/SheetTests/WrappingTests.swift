// Lines that are too long for a terminal.

import Conversation
import Testing

@Suite struct WrappingTests {
    @Test func aLineThatFitsStaysAsItIs() {
        #expect("".wrapped(to: 10) == [""])
        #expect("   3 × A   1.50".wrapped(to: 15) == ["   3 × A   1.50"])
    }

    @Test func aLongLineIsCutBetweenWords() {
        #expect("one two three four".wrapped(to: 10) == ["one two", "  three", "  four"])
        #expect("one two   ".wrapped(to: 8) == ["one two"])
        #expect("one two three".wrapped(to: 7) == ["one two", "  three"])
    }

    @Test func whatIsCutOffGoesBelowTheSecondColumn() {
        #expect("list    print all products".wrapped(to: 18) == ["list    print all", "        products"])
        // Unless less than half of the width would be left.
        #expect("list          print all".wrapped(to: 20) == ["list          print", "  all"])
    }

    @Test func aWordThatIsTooLongIsCut() {
        #expect("abcdefgh ij".wrapped(to: 5) == ["abcde", "  fgh", "  ij"])
        #expect("abc".wrapped(to: 1) == ["a", "b", "c"])
    }

    @Test func wideCharactersTakeTwoColumns() {
        #expect("抹茶入り玄米茶".wrapped(to: 9) == ["抹茶入り", "  玄米茶"])
        #expect("茶".wrapped(to: 1) == ["茶"])
    }
}
