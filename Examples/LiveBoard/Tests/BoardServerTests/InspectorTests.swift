// The page that shows a graph, in a real browser: of a board, of 10,000 nodes, and of nodes with malicious names.

import BoardCore
import Foundation
import Reactive
import ReactiveInspector
import Testing

@Suite(.serialized, .blocking, .enabled(if: Browser.path != nil, "there is no Chromium here; set CHROMIUM to its path"))
struct InspectorTests {
    private func withBrowser(_ body: (Browser) async throws -> Void) async throws {
        let browser = try Browser()
        do {
            try await body(browser)
        } catch {
            await browser.close()
            throw error
        }
        await browser.close()
    }

    /// Writes a graph's page to a file and opens it.
    private func open(_ html: String, in browser: Browser) async throws -> Page {
        let file = FileManager.default.temporaryDirectory.appending(path: "graph-\(UUID().uuidString).html")
        try html.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await browser.open(file.absoluteString, width: 1280, height: 760)
    }

    /// Returns how many pixels of the drawing differ from the first one.
    private let drawn = """
        (() => {
            const { width, height } = canvas;
            const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
            return pixels.reduce((count, pixel) => count + (pixel !== pixels[0]), 0);
        })()
        """

    @Test func theGraphOfABoardShowsChanges() async throws {
        try await withBrowser { browser in
            let file = FileManager.default.temporaryDirectory.appending(path: "board-\(UUID().uuidString).json")
            defer { for end in ["", ".journal"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
            let session = try await Session(named: "welcome", file: file)
            try await session.perform(.setDone(card: #require(ItemID("kill")), isDone: true))
            let page = try await open(await session.graphSnapshot().html, in: browser)
            try await session.close()
            try await page.wait(for: "\(drawn) > 1000")
            try await page.evaluate("search.value = 'heading'; search.dispatchEvent(new Event('input'))")
            try await page.click("#details button")
            try await page.wait(for: "details.querySelector('h1').textContent === 'heading'")
            let cause = try await page.evaluate("details.querySelector('li code').textContent").text ?? ""
            // A sum is a view and a computed that reads it, with one name.
            let names = cause.components(separatedBy: " → ").reduce(into: [String]()) { names, name in
                if names.last != name { names.append(name) }
            }
            #expect(names.prefix(2) == ["done of kill", "progress of doing"], "\(cause)")
            #expect(names.last?.hasPrefix("progress of the board") == true, "\(cause)")
            // Other nodes have not changed. The journal, which recorded the change, changed last.
            let changed = try await page.evaluate(
                """
                (() => {
                    const { ranBeforeAt, ranAt } = nodes.find((node) => node.name === "heading");
                    const isRecent = (node) => node.changedAt > ranBeforeAt && node.changedAt <= ranAt;
                    return nodes.filter(isRecent).map((node) => node.name).join();
                })()
                """
            ).text
            #expect(changed?.contains("done of kill") == true, "\(changed ?? "")")
            #expect(changed?.contains("to-do") == false, "\(changed ?? "")")
            try await page.evaluate("select(nodes.find((node) => node.name === 'heading'))")
            try await page.capture("inspector")
            #expect(await page.complaints == [])
        }
    }

    @Test(arguments: ["inspector", "inspector/copy"]) func aPageMayReadTheStreamAndAsk(path: String) async throws {
        try await withBrowser { browser in
            let server = try ServerProcess()
            let page = try await browser.open(server.address + "boards/welcome/\(path)", width: 1280, height: 760)
            try await page.evaluate(
                """
                window.received = [];
                window.source = new EventSource(location.pathname + "/events");
                source.onmessage = (event) => received.push(JSON.parse(event.data));
                0
                """)
            try await page.wait(for: "received.length > 0 && received[0].viewer > 0")
            try await page.evaluate(
                """
                const [{ viewer, nodes: [[value]] }] = received;
                const body = JSON.stringify({ viewer, value });
                const headers = { "content-type": "application/json" };
                fetch(location.pathname + "/ask", { method: "POST", headers, body })
                    .then((response) => response.json()).then((answer) => { window.answer = answer; });
                0
                """)
            try await page.wait(for: "window.answer && Object.keys(answer).length === 1")
        }
    }

    /// 6,000 sources, 3,900 computeds in layers, 100 reactions.
    @Test func tenThousandNodesAreShown() async throws {
        let graph = IndependentGraph(named: "large")
        let html = graph.run {
            let sources = (0..<6_000).map { Observable($0, named: "source \($0)") }
            var layer: [Computed<Int>] = (0..<1_300).map { index in
                Computed(named: "sum \(index)") { (0..<5).reduce(0) { $0 + sources[(index * 5 + $1) % 6_000].value } }
            }
            var all = layer
            for depth in 1..<3 {
                let previous = layer
                layer = (0..<1_300).map { index in
                    Computed(named: "level \(depth), \(index)") {
                        previous[index].value &+ previous[(index + 7) % 1_300].value
                    }
                }
                all += layer
            }
            for index in 0..<100 {
                autorun(named: "reaction \(index)") { for number in 0..<13 { _ = layer[index * 13 + number].value } }
            }
            inTransaction { for index in 0..<20 { sources[index].value = -1 } }
            return Diagnostics.graph().html
        }
        graph.cancelReactions()
        try await withBrowser { browser in
            let page = try await open(html, in: browser)
            try await page.wait(for: "\(drawn) > 10000")
            // At first the screen shows a group for each source location, and the links between them.
            #expect(try await page.evaluate("Object.values(draw()).join()") == "4,4")
            try await page.capture("inspector-10000")
            // Enlarged, too.
            try await page.evaluate("zoom(1 / view.scale); 0")
            #expect(try await page.evaluate("draw().nodes === 4").isTrue)
            #expect(try await page.evaluate("\(drawn) > 10000").isTrue)
            try await page.evaluate("search.value = 'reaction 42'; search.dispatchEvent(new Event('input'))")
            try await page.wait(for: "document.querySelector('#summary').textContent === '1 node of 10,000'")
            try await page.evaluate("search.focus()")
            try await page.press("Enter", code: 13, text: "\r")
            try await page.wait(for: "selected?.name === 'reaction 42' && related.size > 50")
            try await page.evaluate(
                "recent.checked = true; search.value = 'source'; recent.dispatchEvent(new Event('change'))")
            try await page.wait(for: "document.querySelector('#summary').textContent === '20 nodes of 10,000'")
            #expect(await page.complaints == [])
        }
    }

    @Test func namesAreTextOnly() async throws {
        let names = [
            "</script><script>document.title = 'owned'</script>", "<img src=x onerror=\"document.title = 'owned'\">",
        ]
        let graph = IndependentGraph()
        let html = graph.run {
            let sources = names.map { Observable(1, named: $0) }
            autorun(named: "reader") { for source in sources { _ = source.value } }
            return Diagnostics.graph().html
        }
        graph.cancelReactions()
        try await withBrowser { browser in
            let page = try await open(html, in: browser)
            try await page.wait(for: "\(drawn) > 100")
            try await page.click("#details button")
            try await page.wait(for: "details.querySelectorAll('li').length === 2")
            let shown = try await page.evaluate(
                "[...details.querySelectorAll('li button span:first-child')].map((item) => item.textContent).join()")
            #expect(shown.text == names.joined(separator: ","))
            #expect(try await page.evaluate("document.title") == "Dependency graph")
            #expect(await page.complaints == [])
        }
    }
}
