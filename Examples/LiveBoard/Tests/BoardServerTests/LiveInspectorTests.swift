// The live inspector in a real browser: changes with their causes, values, large graphs, keys, and a phone.

import Foundation
import Reactive
import ReactiveInspector
import Testing

@Suite(.serialized, .blocking, .enabled(if: Browser.path != nil, "there is no Chromium here; set CHROMIUM to its path"))
struct LiveInspectorTests {
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
    private func open(_ html: String, in browser: Browser, width: Int = 1280, height: Int = 760) async throws -> Page {
        let file = FileManager.default.temporaryDirectory.appending(path: "graph-\(UUID().uuidString).html")
        try html.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await browser.open(file.absoluteString, width: width, height: height, isPhone: width < 500)
    }

    /// Selects a run that the write of a node has caused, and returns the chain of its causes.
    private func chain(ofRunBecauseOf name: String, on page: Page) async throws -> String {
        let isCause = "(cause) => cause.kind === 'write' && cause.node?.name === '\(name)'"
        let run = "events.find((event) => event.kind === 'run' && [...causesOf(event)].some(\(isCause)))"
        try await page.wait(for: "\(run) !== undefined")
        try await page.evaluate("selectEvent(\(run)); 0")
        try await page.wait(for: "details.querySelectorAll('.chain button').length > 1")
        let script = "[...details.querySelectorAll('.chain button')].map((button) => button.textContent).join(' → ')"
        return try await page.evaluate(script).text ?? ""
    }

    @Test func aChangeOfABoardAppearsWithItsCauses() async throws {
        try await withBrowser { browser in
            let server = try ServerProcess()
            let page = try await browser.open(server.address + "boards/welcome/inspector", width: 1280, height: 760)
            try await page.wait(for: "nodes.some((node) => node.name === 'done of kill')")
            _ = try server.send(#"{"setDone": {"card": "kill", "isDone": true}}"#)
            let chain = try await chain(ofRunBecauseOf: "done of kill", on: page)
            #expect(chain.contains("write done of kill"), "\(chain)")
            #expect(try await page.evaluate("drawTimeline() > 0").isTrue)
            try await page.capture("inspector-causes")
            // Its value, on demand.
            try await page.evaluate("select(nodes.find((node) => node.name === 'done of kill')); 0")
            try await page.wait(for: "details.querySelector('pre')?.textContent === 'true'")
            // The last change alone: perhaps that the board was saved.
            try await page.evaluate("setMode('last'); updateScene(); 0")
            #expect(try await page.evaluate("scene.boxes.length > 0").isTrue)
            try await page.capture("inspector-last-change")
            #expect(await page.complaints == [])
        }
    }

    @Test func aCopyOfABoardTravelsInTime() async throws {
        try await withBrowser { browser in
            let server = try ServerProcess()
            // The history begins when the board is opened.
            let board = try await browser.open(server.address + "boards/welcome")
            try await board.wait(for: "document.querySelector('#card-kill') !== null")
            _ = try server.send(#"{"setDone": {"card": "kill", "isDone": true}}"#)
            try await board.wait(for: "document.querySelector('#card-kill').classList.contains('done')")
            let page = try await browser.open(
                server.address + "boards/welcome/inspector/copy", width: 1280, height: 760)
            try await page.wait(for: "!travel.box.hidden && travel.count > 0")
            let isDone = "select(nodes.find((node) => node.name === 'done of kill')); 0"
            try await page.evaluate(isDone)
            try await page.wait(for: "details.querySelector('pre')?.textContent === 'true'")
            try await page.click("#back")
            try await page.wait(for: "travel.position === travel.count - 1")
            try await page.wait(for: "details.querySelector('pre')?.textContent === 'false'")
            #expect(try await page.evaluate("document.getElementById('step').textContent.length > 0").isTrue)
            try await page.capture("inspector-travel")
            #expect(await page.complaints == [])
            // The board itself stays.
            #expect(try await board.evaluate("document.querySelector('#card-kill').classList.contains('done')").isTrue)
        }
    }

    @Test func theTimelineStandsStillWhilePaused() async throws {
        try await withBrowser { browser in
            let server = try ServerProcess()
            let page = try await browser.open(server.address + "boards/welcome/inspector", width: 1280, height: 760)
            try await page.wait(for: "nodes.length > 0")
            _ = try server.send(#"{"setDone": {"card": "kill", "isDone": true}}"#)
            try await page.wait(for: "events.some((event) => event.node?.name === 'done of kill')")
            try await page.evaluate("pause(true); window.pausedAt = timeline.from; window.known = events.length; 0")
            _ = try server.send(#"{"setDone": {"card": "kill", "isDone": false}}"#)
            try await page.wait(for: "events.length > known")
            #expect(try await page.evaluate("timeline.from === pausedAt").isTrue)
            #expect(await page.complaints == [])
        }
    }

    @Test func aPageThatLostItsServerSaysSo() async throws {
        try await withBrowser { browser in
            let server = try ServerProcess()
            let page = try await browser.open(server.address + "boards/welcome/inspector", width: 1280, height: 760)
            try await page.wait(for: "nodes.length > 0")
            server.kill()
            try await page.wait(for: "!document.getElementById('notice').hidden")
            try server.restart()
            try await page.wait(for: "document.getElementById('notice').hidden && nodes.length > 0")
        }
    }

    /// A sheet: cells at one source location, sums of rows, and one sum of all.
    private func sheet(rows: Int, columns: Int) -> String {
        let graph = IndependentGraph(named: "sheet")
        defer { graph.cancelReactions() }
        return graph.run {
            let cells = (0..<rows * columns).map { Observable($0, named: "cell \($0)") }
            let sums = (0..<rows).map { row in
                Computed(named: "row \(row)") {
                    (0..<columns).reduce(0) { $0 + cells[row * columns + $1].value }
                }
            }
            let total = Computed(named: "sum of all") { sums.reduce(0) { $0 + $1.value } }
            autorun(named: "screen") { _ = total.value }
            inTransaction { cells[7].value = -1 }
            return Diagnostics.graph().html
        }
    }

    @Test(arguments: [(10, 1), (100, 99), (1_000, 99)])
    func aLargeGraphOpensReadable(rows: Int, columns: Int) async throws {
        let html = sheet(rows: rows, columns: columns)
        try await withBrowser { browser in
            let page = try await open(html, in: browser)
            try await page.wait(for: "scene.boxes.length > 0 && draw().nodes > 0")
            #expect(try await page.evaluate("scene.boxes.length").description != "0")
            #expect(try await page.evaluate("scene.boxes.length <= 150").isTrue)
            // Names are at least 11 pixels high.
            #expect(try await page.evaluate("view.scale * 13 >= 11").isTrue)
            let titles = try await page.evaluate("scene.boxes.map(boxTitle).join()").text ?? ""
            let group = rows * columns < 150 ? "" : "cell · " + (rows * columns == 9_900 ? "9,900" : "99,000")
            #expect(group.isEmpty || titles.contains(group), "\(titles)")
            // The neighbourhood of the sum: some rows, and a box for the others.
            try await page.evaluate("choose(nodes.find((node) => node.name === 'sum of all')); setMode('near'); 0")
            try await page.wait(for: "mode === 'near' && scene.boxes.length > 1 && scene.boxes.length <= 41")
            // The last change: one cell, its row, the sum and the reaction.
            try await page.evaluate("select(null); setMode('last'); updateScene(); 0")
            let change = try await page.evaluate("scene.boxes.map(boxTitle).sort().join()").text
            #expect(change == "cell 7,row \(7 / columns),screen,sum of all")
            try await page.capture("inspector-\(rows * columns)")
            #expect(await page.complaints == [])
        }
    }

    @Test func aLongChainIsNoSliver() async throws {
        let graph = IndependentGraph(named: "chain")
        let html = graph.run {
            let first = Observable(0, named: "first")
            var last = Computed(named: "link 0") { first.value }
            for index in 1..<1_000 {
                let previous = last
                last = Computed(named: "link \(index)") { previous.value + 1 }
            }
            let end = last
            autorun(named: "end") { _ = end.value }
            return Diagnostics.graph().html
        }
        graph.cancelReactions()
        try await withBrowser { browser in
            let page = try await open(html, in: browser)
            try await page.wait(for: "draw().nodes > 0")
            #expect(try await page.evaluate("view.scale * 13 >= 11").isTrue)
        }
    }

    @Test func keysDoEverything() async throws {
        let html = sheet(rows: 100, columns: 99)
        try await withBrowser { browser in
            let page = try await open(html, in: browser)
            try await page.wait(for: "scene.boxes.length > 0")
            try await page.press("/", code: 191, text: "/")
            try await page.wait(for: "document.activeElement === search")
            try await page.type("sum of all")
            try await page.wait(for: "document.querySelector('#summary').textContent.startsWith('1 node of ')")
            try await page.press("Enter", code: 13, text: "\r")
            try await page.wait(for: "selected?.name === 'sum of all'")
            try await page.evaluate("document.getElementById('graph').focus(); 0")
            try await page.press("2", code: 50, text: "2")
            try await page.wait(for: "mode === 'near'")
            try await page.press("ArrowLeft", code: 37)
            try await page.press("Enter", code: 13, text: "\r")
            try await page.wait(for: "selected?.name !== 'sum of all'")
            try await page.press("?", code: 191, text: "?")
            try await page.wait(for: "document.getElementById('help').open")
            try await page.press("Escape", code: 27)
            try await page.wait(for: "!document.getElementById('help').open")
            #expect(await page.complaints == [])
        }
    }

    @Test func aPhoneNeedsNoHorizontalScrolling() async throws {
        let html = sheet(rows: 100, columns: 99)
        try await withBrowser { browser in
            let page = try await open(html, in: browser, width: 390, height: 844)
            try await page.wait(for: "scene.boxes.length > 0")
            #expect(try await page.evaluate("document.documentElement.scrollWidth === 390").isTrue)
            let small = """
                [...document.querySelectorAll('button')].filter((button) => {
                    const { width, height } = button.getBoundingClientRect();
                    return width > 0 && (width < 40 || height < 40);
                }).map((button) => button.textContent).join()
                """
            #expect(try await page.evaluate(small) == "")
            try await page.capture("inspector-phone")
        }
    }

    @Test(arguments: [("prefers-contrast", "more"), ("forced-colors", "active")])
    func namesContrastWithTheirBackground(feature: String, value: String) async throws {
        let html = sheet(rows: 10, columns: 3)
        try await withBrowser { browser in
            let page = try await open(html, in: browser)
            try await browser.send(
                "Emulation.setEmulatedMedia", ["features": [["name": .string(feature), "value": .string(value)]]],
                session: page.session)
            try await page.wait(for: "matchMedia('(\(feature): \(value))').matches && draw().nodes > 0")
            // The ratio of WCAG between the text of nodes and their background.
            let ratio = """
                (() => {
                    const luminance = (color) => {
                        const [r, g, b] = color.match(/[\\d.]+/g).map((part) => part / 255)
                            .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
                        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                    };
                    const [a, b] = [luminance(colors.text), luminance(colors.panel)].sort((a, b) => b - a);
                    return (a + 0.05) / (b + 0.05) >= 7;
                })()
                """
            try await page.wait(for: ratio)
        }
    }
}
