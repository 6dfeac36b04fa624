// `GraphSnapshot.html`: a page that contains the graph, for names of any content.

import Foundation
import Reactive
import ReactiveInspector
import TestSupport
import Testing

@Suite(.ownGraph, .timeLimit) struct PageTests {
    @Test func noNameCanBreakOutOfThePage() {
        let names = [
            "</script><script>alert(1)</script>", "<!--", "]]>", "a \"quoted\" \\ name\n", "\u{2028}\u{0}&amp;",
            "plain",
        ]
        let sources = names.map { Observable(1, named: $0) }
        let r = autorun(named: "html.r") { for source in sources { _ = source.value } }
        defer { r.cancel() }
        let html = Diagnostics.graph().html
        let data = html.split(separator: "id=\"data\">")[1].prefix { $0 != "<" }
        #expect(html.contains("\(data)</script>"))
        #expect(html.components(separatedBy: "<script").count == 10 && !html.contains("alert(1)<"))
        #expect(!data.contains { $0 == ">" || $0 == "&" || $0.isNewline || $0 == "\u{2028}" })
        let json = try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        let found = (json?["nodes"] as? [[Any]])?.compactMap { $0[1] as? String } ?? []
        #expect(names.allSatisfy(found.contains))
    }

    @Test func anEmptyGraphHasAPage() {
        #expect(IndependentGraph().run { Diagnostics.graph().html }.contains(#"{"changes":"#))
    }

    @Test func thePageContainsItsStyleAndItsScript() {
        let html = IndependentGraph().run { Diagnostics.graph().html }
        #expect(html.contains("<style>\n:root {\n"))
        let scripts = html.components(separatedBy: "<script>\n// ").dropFirst()
        #expect(scripts.count == 8 && scripts.allSatisfy { $0.contains("\"use strict\";\n") })
        #expect(html.hasSuffix("</script>\n</body>\n</html>\n"))
    }
}
