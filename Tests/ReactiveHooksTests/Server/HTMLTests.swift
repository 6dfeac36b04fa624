// Rendering on a server.

import ReactiveHooks
import Testing

extension HooksTests {
    @Suite struct HTMLTests {
        @Test func interpolatedTextIsEscaped() {
            let name = "<b title='x'>\"Q&A\"</b>"
            let html: HTML = "<p>\(name)</p>"
            #expect(html.markup == "<p>&lt;b title=&#39;x&#39;&gt;&quot;Q&amp;A&quot;&lt;/b&gt;</p>")
        }

        @Test func aCombiningMarkDoesNotHideABracket() {
            let html: HTML = "\("<\u{301}script>")"
            #expect(!html.markup.unicodeScalars.contains("<"))
        }

        @Test func interpolatedHTMLIsKept() {
            let rows = ["a", "<"].map { HTML("<li>\($0)</li>") }
            let html: HTML = "<ul>\(rows)</ul>\(HTML(markup: "<hr>"))\(1.5)"
            #expect(html.markup == "<ul><li>a</li><li>&lt;</li></ul><hr>1.5")
        }

        @Test func textOfAnyLengthAndLanguageIsKeptByteForByte() {
            let texts = [
                "", "a", "fünfzehn Bytes?", "日本語 & 한국어", "👩‍👩‍👧 <3", "<", "&&",
                "plain text without anything special in it",
            ]
            for text in texts {
                var escaped = ""
                for scalar in text.unicodeScalars {
                    switch scalar {
                    case "&": escaped += "&amp;"
                    case "<": escaped += "&lt;"
                    default: escaped.unicodeScalars.append(scalar)
                    }
                }
                let html: HTML = "[\(text)|\(text[...])|\(1.5)]"
                #expect(html.markup == "[\(escaped)|\(escaped)|1.5]")
                #expect(HTML(text: text).markup == escaped)
                #expect(HTML(text: text[...]) == HTML(markup: escaped))
                #expect((HTML(text: text) + "!").description == escaped + "!")
            }
        }

        @Test func keptPiecesOfMarkupDoNotChange() {
            // Small pieces, which share memory, and one that exceeds it, also in a nested literal.
            var kept: [HTML] = []
            let long = String(repeating: "<", count: 400)
            let page = renderToString {
                let rows: [HTML] = (0..<200).map { row in
                    let cell: HTML = "<td>\(row)</td>"
                    let line: HTML = "<tr>\(cell)\(row % 50 == 7 ? long : "-")\(HTML(text: "&"))</tr>"
                    kept += [cell, line]
                    return line
                }
                kept.append("<table>\(rows)</table>")
                return kept[kept.count - 1]
            }
            var expected = ""
            for row in 0..<200 {
                let cell = "<td>\(row)</td>"
                let middle = row % 50 == 7 ? String(repeating: "&lt;", count: 400) : "-"
                #expect(kept[2 * row].markup == cell)
                #expect(kept[2 * row + 1].markup == "<tr>\(cell)\(middle)&amp;</tr>")
                expected += "<tr>\(cell)\(middle)&amp;</tr>"
            }
            #expect(page == "<table>\(expected)</table>")
            #expect(kept[400].markup == page)
        }

        @Test func aCopyOfAnInterpolationIsWrittenOnItsOwn() {
            func check() {
                var a = HTML.StringInterpolation(literalCapacity: 30, interpolationCount: 0)
                a.appendLiteral("common ")
                var b = a
                a.appendLiteral("a")
                b.appendLiteral("b")
                a.appendLiteral("a")
                let (first, second) = (HTML(stringInterpolation: a), HTML(stringInterpolation: b))
                a.appendLiteral("!")
                #expect(first.markup == "common aa")
                #expect(second.markup == "common b")
                #expect(HTML(stringInterpolation: a).markup == "common aa!")
            }
            check()
            _ = renderToString {
                check()
                return ""
            }
        }

        @Test func piecesAreEqualByTheirMarkup() {
            let a: HTML = "<p>\(1)</p>"
            var b: HTML = ""
            _ = renderToString {
                _ = "something else" as HTML
                b = "<p>\("1")</p>"
                return b
            }
            #expect(a == b)
            #expect(a.hashValue == b.hashValue)
            #expect(a != "<p>2</p>")
            #expect(a != "<p>1</p> ")
            #expect(("" as HTML) == HTML(text: ""))
        }

        @Test func numbersAreTheirDigits() {
            for number in [0, 7, -7, 10, 1_234_567_890, .max, .min] {
                let html: HTML = "\(number)"
                #expect(html.markup == String(number))
            }
        }

        @Test func aComponentRendersInOnePassWithoutEffects() {
            var renders = 0
            var effects = 0
            let html = renderToString {
                renders += 1
                let count = useState(1)
                let phase = useAsync(.once) {
                    effects += 1
                    return "loaded"
                }
                useEffect {
                    effects += 1
                    return { effects += 1 }
                }
                let items: [HTML] = ["x", "&"].map { item in
                    HookScope(id: item) { "<li>\(item) \(useState(2).wrappedValue)</li>" }
                }
                return "<h1>\(count.wrappedValue)</h1>\(items)\(phase.isRunning ? "…" : "?")"
            }
            #expect(html == "<h1>1</h1><li>x 2</li><li>&amp; 2</li>…")
            #expect((renders, effects) == (1, 0))
        }

        @Test func layoutEffectsDoNotRunEither() {
            var log: [String] = []
            let page = renderToString {
                useLayoutEffect {
                    log.append("layout")
                    return { log.append("undo") }
                }
                return "page"
            }
            #expect(page == "page")
            #expect(log.isEmpty)
        }

        @Test func stateSetInTheRenderIsNotRendered() {
            let html = renderToString {
                let count = useState(1)
                defer { count.wrappedValue += 1 }
                return "\(count.wrappedValue)"
            }
            #expect(html == "1")
        }

        @Test func theBodyGetsTheEnvironment() {
            let html = renderToString {
                "\(useContext(Context<String>.self))"
            } environment: {
                $0[Context<String>.self] = "<Ann>"
            }
            #expect(html == "&lt;Ann&gt;")
        }
    }
}
