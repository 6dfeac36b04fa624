// Decoding of bytes into keys.

import ProgramSupport
import TerminalHost
import Testing

@Suite struct KeyDecoderTests {
    static let samples: [(String, [Key])] = [
        ("a Z", [.character("a"), .character(" "), .character("Z")]),
        ("é日😀", [.character("é"), .character("日"), .character("😀")]),
        ("\r\n\t\u{7F}\u{8}", [.enter, .enter, .tab, .backspace, .backspace]),
        ("\u{3}\u{1A}", [.control("c"), .control("z")]),
        ("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]),
        ("\u{1B}[1;5A\u{1B}[Z\u{1B}[H\u{1B}[4~", [.up, .backTab, .home, .end]),
        ("\u{1B}[3~\u{1B}[5~\u{1B}[6;2~\u{1B}[2~", [.delete, .pageUp, .pageDown, .insert]),
        ("\u{1B}x\u{1B}é", [.alt("x"), .character("é")]),
        ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}[200~a\u{1B}[?1;2c\u{1B}[99~b", [.character("a"), .character("b")]),
    ]

    @Test(arguments: samples)
    func bytesBecomeKeysInSlicesOfAnySize(text: String, keys: [Key]) {
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            var decoder = KeyDecoder()
            var decoded: [Key] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                decoded += decoder.decode(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(decoded == keys)
            #expect(!decoder.isWaiting)
        }
    }

    @Test func aLoneEscapeIsAKeyWhenNothingFollows() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == [.escape])
        #expect(!decoder.isWaiting)
        #expect(decoder.decode([0x41]) == [.character("A")])
    }

    @Test func anIncompleteSequenceIsDropped() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B, 0x5B, 0x31]) == [])
        #expect(decoder.flush() == [])
        #expect(decoder.decode(Array("q".utf8)) == [.character("q")])
    }

    @Test func bytesThatAreNotTextAreDropped() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xFF, 0x61, 0xC3, 0x28, 0x62]) == [.character("a"), .character("("), .character("b")])
        #expect(decoder.decode([0xC2, 0x9B, 0x41]) == [.character("A")])
    }

    @Test func randomBytesNeverStopTheDecoder() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<200 {
            var decoder = KeyDecoder()
            for _ in 0..<20 {
                let count = Int.random(in: 0...20, using: &random)
                _ = decoder.decode((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            }
            _ = decoder.decode(Array(repeating: 0x30, count: 80))
            _ = decoder.flush()
            #expect(decoder.decode(Array("q".utf8)) == [.character("q")])
        }
    }
}
