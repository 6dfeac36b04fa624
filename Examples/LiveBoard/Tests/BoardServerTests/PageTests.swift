// The whole application: a server in a process of its own, and users at a real browser.

import Foundation
import ReactiveCodable
import Testing

@Suite(.serialized, .blocking, .enabled(if: Browser.path != nil, "there is no Chromium here; set CHROMIUM to its path"))
struct PageTests {
    private func withBrowser(_ body: (ServerProcess, Browser) async throws -> Void) async throws {
        let server = try ServerProcess()
        let browser = try Browser()
        do {
            try await body(server, browser)
        } catch {
            await browser.close()
            throw error
        }
        await browser.close()
    }

    private func open(
        _ browser: Browser, _ server: ServerProcess, width: Int = 1280, height: Int = 720, isPhone: Bool = false
    ) async throws -> Page {
        let page = try await browser.open(
            server.address + "boards/welcome", width: width, height: height, isPhone: isPhone)
        try await page.wait(for: "document.querySelector('#connection').dataset.state === 'live'")
        return page
    }

    private let titles = "[...document.querySelectorAll('.card .title')].map((title) => title.textContent).join('|')"

    @Test func aChangeOnOnePageAppearsOnTheOther() async throws {
        try await withBrowser { server, browser in
            let ann = try await open(browser, server, height: 440)
            let bob = try await open(browser, server)

            // Ann adds a card with the keyboard, and continues typing in the same field.
            try await ann.evaluate("document.querySelector('#column-doing .new-card input').focus()")
            try await ann.type("Write the invitations")
            try await ann.press("Enter", code: 13, text: "\r")
            try await bob.wait(for: "\(titles).includes('Write the invitations')")
            try await ann.wait(for: "\(titles).includes('Write the invitations')")
            #expect(try await ann.evaluate("document.activeElement.closest('.new-card') !== null") == true)

            // Bob ticks it; the totals follow.
            try await bob.evaluate(
                "[...document.querySelectorAll('#cards-doing .card')].at(-1).querySelector('input').click()")
            try await ann.wait(for: "document.querySelector('#heading').textContent.includes('2 of 6 done')")
            try await ann.wait(for: "document.querySelector('#head-doing .count').textContent === '1/2'")

            // Ann moves a card with the keyboard, and the focus follows it.
            try await ann.evaluate("document.querySelector('#edit-try').focus()")
            try await ann.press("ArrowRight", code: 39, modifiers: 1)
            try await bob.wait(for: "document.querySelector('#cards-doing #card-try') !== null")
            try await ann.wait(for: "document.querySelector('#cards-doing #card-try') !== null")
            #expect(try await ann.evaluate("document.activeElement.id") == "edit-try")

            // Bob drags one.
            try await bob.evaluate(
                """
                (() => {
                    const data = new DataTransfer();
                    const fire = (target, type, clientY) => target.dispatchEvent(
                        new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data, clientY }));
                    const card = document.querySelector("#card-drag");
                    const above = document.querySelector("#card-start").getBoundingClientRect().top;
                    fire(card, "dragstart", 0);
                    fire(document.querySelector("#card-start"), "dragover", above + 1);
                    fire(document.querySelector("#card-start"), "drop", above + 1);
                    fire(card, "dragend", 0);
                })()
                """)
            try await ann.wait(
                for: """
                    [...document.querySelectorAll('#cards-done .card')].map((card) => card.id).join()
                        === 'card-drag,card-start'
                    """
            )
            try await ann.evaluate("document.activeElement.blur()")
            try await ann.capture("desktop")
            for page in [ann, bob] { #expect(await page.complaints == []) }
            _ = server.terminate()
        }
    }

    @Test func twoEditsOfOneTextAreBothKept() async throws {
        try await withBrowser { server, browser in
            let ann = try await open(browser, server)
            let bob = try await open(browser, server)
            for page in [ann, bob] { try await page.click("#edit-edit") }
            let title = "document.querySelector('#editor [name=title]')"
            try await ann.evaluate("\(title).value = 'Please click me to edit me'")
            try await bob.evaluate("\(title).value = 'Click me to edit me now'")
            for page in [ann, bob] { try await page.click("#editor [value=save]") }
            // They did not change the same words: the edits are merged.
            for page in [ann, bob] {
                // Only Ann has changed the first letter.
                try await page.wait(
                    for: "\(titles).includes('lick me to edit me now') && \(titles).includes('Please ')")
            }

            // Now they have: Bob's edit is refused, and he sees both texts.
            for page in [ann, bob] { try await page.click("#edit-kill") }
            try await ann.evaluate("\(title).value = 'Stop the server'")
            try await ann.click("#editor [value=save]")
            try await ann.wait(for: "\(titles).includes('Stop the server')")
            try await bob.wait(for: "\(titles).includes('Stop the server')")
            try await bob.evaluate("\(title).value = 'Pull the plug'")
            try await bob.click("#editor [value=save]")
            try await bob.wait(
                for: """
                    document.querySelector('#editor').open
                        && document.querySelector('.problem').textContent.includes('Stop the server')
                    """
            )
            #expect(try await bob.evaluate("\(title).value") == "Pull the plug")
            try await bob.capture("conflict")
            try await bob.click("#editor [value=save]")
            try await ann.wait(for: "\(titles).includes('Pull the plug')")
        }
    }

    @Test func aKilledServerLosesNothing() async throws {
        try await withBrowser { server, browser in
            let ann = try await open(browser, server)
            let bob = try await open(browser, server)
            let answer = try server.send(#"{"addCard": {"card": "c1", "column": "doing", "title": "before"}}"#)
            #expect(answer.status == 200)
            server.kill()
            for page in [ann, bob] {
                try await page.wait(for: "document.querySelector('#connection').dataset.state === 'lost'")
            }

            // Commands wait meanwhile, and unfinished input stays.
            try await ann.evaluate("document.querySelector('#column-done .new-card input').value = 'half a tho'")
            try await ann.click("#done-kill")
            try await ann.wait(for: "document.querySelector('#connection').textContent === 'offline, 1 waiting'")
            try await ann.capture("offline")
            try server.restart()
            for page in [ann, bob] {
                try await page.wait(for: "document.querySelector('#connection').dataset.state === 'live'")
                try await page.wait(for: "document.querySelector('#card-kill').classList.contains('done')")
                try await page.wait(for: "\(titles).includes('before')")
            }
            #expect(
                try await ann.evaluate("document.querySelector('#column-done .new-card input').value") == "half a tho")
            #expect(server.terminate() == 0)
            let saved = try load(JSONValue.self, from: server.folder.appending(path: "welcome.json"))
            #expect(saved.description.contains("before"))
            for page in [ann, bob] { #expect(await page.complaints == []) }
        }
    }

    @Test func textTypedWhileTheServerIsDownStaysVisibleAndIsSentOnce() async throws {
        try await withBrowser { server, browser in
            let ann = try await open(browser, server, height: 440)
            let bob = try await open(browser, server)
            func add(_ title: String, in form: String) async throws {
                try await ann.evaluate("document.querySelector('\(form) input').focus()")
                try await ann.type(title)
                try await ann.press("Enter", code: 13, text: "\r")
            }
            server.kill()
            for page in [ann, bob] {
                try await page.wait(for: "document.querySelector('#connection').dataset.state === 'lost'")
            }
            // A card; a column with a card in it; and an edit of that card, and of a title that the server knows.
            try await add("Buy <b>milk</b>", in: "#column-doing .new-card")
            try await add("Later", in: ".new-column")
            try await add("Sleep", in: ".column.waiting .new-card")
            try await ann.click(".column.waiting .card [data-edit]")
            try await ann.evaluate("document.querySelector('#editor [name=note]').value = 'at last'")
            try await ann.click("#editor [value=save]")
            try await ann.click("#edit-done")
            try await ann.evaluate("document.querySelector('#editor [name=title]').value = 'Finished'")
            try await ann.click("#editor [value=save]")
            let board = """
                [...document.querySelectorAll('.column')].map((column) =>
                    column.querySelector('h2').textContent + ': ' + [...column.querySelectorAll('.text')].map((card) => card.innerText).join('; ')).join(' | ')
                """
            let expected = try await ann.evaluate(board)
            let tail = "| Doing: Kill the server and start it again\nIt is all still here.; Buy <b>milk</b> | "
            #expect(
                expected.text?.hasSuffix("\(tail)Finished: Start the board | Later: Sleep\nat last") == true,
                "\(expected)")
            #expect(try await ann.evaluate("document.querySelector('#connection').textContent") == "offline, 5 waiting")
            try await ann.evaluate("document.activeElement.blur()")
            try await ann.capture("away")

            // The page sends it when the server returns, and again if there is no answer.
            try await ann.evaluate(
                """
                (() => {
                    const real = window.fetch;
                    window.keys = [];
                    window.fetch = async (...all) => {
                        const answer = await real(...all);
                        keys.push(all[1].headers["Idempotency-Key"]);
                        if (keys.length === 1) throw new Error("lost");
                        return answer;
                    };
                })()
                """)
            try server.restart()
            try await ann.wait(for: "!outbox.length && !document.querySelector('.waiting')")
            for page in [ann, bob] { try await page.wait(for: "\(board) === \(JSONText.quoted(expected.text ?? ""))") }
            #expect(
                try await ann.evaluate("keys.map((key) => key.replace(page, '')).join()") == "-1,-1,-2,-3,-4,-5")
            try await bob.go(to: server.address + "boards/welcome")
            #expect(try await bob.evaluate(board) == expected)
            for page in [ann, bob] { #expect(await page.complaints == []) }
        }
    }

    /// The page got an answer to its command, but no update; and then the command was undone.
    @Test func outdatedStateIsRemovedFromThePage() async throws {
        try await withBrowser { server, browser in
            let ann = try await open(browser, server)
            // She gets no updates, only the answer to her command.
            try await ann.evaluate("disconnect(); window.reconnect = connect; connect = () => {}")
            try await ann.evaluate("document.querySelector('#column-doing .new-card input').focus()")
            try await ann.type("Come and go")
            try await ann.press("Enter", code: 13, text: "\r")
            try await ann.wait(for: "!outbox.length && document.querySelector('.waiting')")
            let card = try await ann.evaluate("document.querySelector('.waiting').dataset.card").text ?? ""
            #expect(try server.send(#"{"removeCard": {"card": "\#(card)"}}"#).status == 200)
            try await ann.evaluate("connect = window.reconnect; 0")
            try await ann.wait(for: "!\(titles).includes('Come and go')")
        }
    }

    @Test func aRemovalCanBeUndone() async throws {
        try await withBrowser { server, browser in
            let ann = try await open(browser, server, height: 440)
            let bob = try await open(browser, server)
            let cards = "[...document.querySelectorAll('#cards-to-do .card')].map((card) => card.id).join()"
            let columns = "[...document.querySelectorAll('.column')].map((column) => column.id).join()"
            let removal = "document.querySelector('#removal')"
            #expect(try server.send(#"{"setDone": {"card": "drag", "isDone": true}}"#).status == 200)
            func remove(_ id: String) async throws {
                try await ann.click("#edit-\(id)")
                try await ann.click("#editor [value=remove]")
            }
            try await remove("drag")
            try await ann.wait(for: "\(removal).checkVisibility() && \(removal).textContent.includes('Drag me to')")
            try await remove("edit")
            for page in [ann, bob] { try await page.wait(for: "\(cards) === 'card-try'") }
            try await ann.wait(for: "\(removal).textContent.includes('Click me to edit me')")
            try await ann.capture("removal")

            // Last removal first, each at its old position.
            try await ann.evaluate("document.querySelector('#undo').focus()")
            try await ann.click("#undo")
            for page in [ann, bob] { try await page.wait(for: "\(cards) === 'card-try,card-edit'") }
            #expect(try await ann.evaluate("document.activeElement.id") == "undo")
            try await ann.click("#undo")
            for page in [ann, bob] {
                try await page.wait(for: "\(cards) === 'card-try,card-drag,card-edit'")
                #expect(try await page.evaluate("document.querySelector('#done-drag').checked") == true)
            }
            #expect(try await ann.evaluate("document.activeElement.id") == "edit-drag")
            #expect(try await ann.evaluate("\(removal).checkVisibility()") == false)

            // A column, also after a restart of the server.
            #expect(try server.send(#"{"moveCard": {"card": "kill", "column": "done"}}"#).status == 200)
            try await ann.wait(for: "document.querySelector('#cards-done #card-kill')")
            try await remove("doing")
            for page in [ann, bob] { try await page.wait(for: "\(columns) === 'column-to-do,column-done'") }
            try await ann.wait(for: "\(removal).checkVisibility()")
            server.kill()
            try server.restart()
            try await ann.click("#undo")
            for page in [ann, bob] {
                try await page.wait(for: "\(columns) === 'column-to-do,column-doing,column-done'")
            }

            // A refused removal cannot be undone; a card that two users have removed is restored once.
            try await remove("done")
            try await ann.wait(for: "document.querySelector('#editor').open && !document.querySelector('.waiting')")
            #expect(try await ann.evaluate("\(removal).checkVisibility()") == false)
            try await ann.click("#editor [value=cancel]")
            try await remove("try")
            try await ann.wait(for: "\(removal).checkVisibility()")
            try await ann.click("#forget")
            #expect(try await ann.evaluate("\(removal).checkVisibility()") == false)
            for page in [ann, bob] { #expect(await page.complaints == []) }
        }
    }

    @Test func aWrongAddressShowsAPage() async throws {
        try await withBrowser { server, browser in
            let page = try await browser.open(server.address + "boards/no_such_name", width: 800, height: 400)
            #expect(try await page.evaluate("document.title") == "Not found – LiveBoard")
            #expect(try await page.evaluate("document.body.innerText").text?.contains("1 to 40 letters") == true)
            try await page.capture("wrong-address")
            try await page.click("main a")
            try await page.wait(for: "document.querySelector('#connection').dataset.state === 'live'")
            #expect(await page.complaints == [])
        }
    }

    @Test func userInputIsTextOnly() async throws {
        try await withBrowser { server, browser in
            let page = try await open(browser, server)
            let hostile = [
                #"<script>document.title = "owned"</script>"#, #"<img src=x onerror="document.title = 'owned'">"#,
                #"" autofocus onfocus="document.title = 'owned'" x=""#, "</button></li><h1>big</h1>",
                "&lt;b&gt; 'single' `back`",
            ]
            for (index, title) in hostile.enumerated() {
                let command: JSONText = ["addCard": ["card": "h\(index)", "column": "doing", "title": title]]
                #expect(try server.send(command.text).status == 200)
                try await page.wait(
                    for: "document.querySelector('#card-h\(index) .title').textContent === \(JSONText.quoted(title))")
            }
            // The other texts, too.
            func edit(_ command: String, _ field: String, _ id: [String: JSONValue], from base: String, to text: String)
                throws
            {
                var members = id
                members[field] = ["base": .string(base), "text": .string(text)]
                #expect(
                    try server.send(JSONValue.object(JSONObject([command: .object(JSONObject(members))])).description)
                        .status == 200)
            }
            let text = { (selector: String) in "document.querySelector('\(selector)').textContent" }
            let (script, image) = (hostile[0], hostile[1])
            try edit("editBoard", "title", [:], from: "Welcome", to: script)
            try edit("editColumn", "title", ["column": "done"], from: "Done", to: image)
            try edit("editCard", "note", ["card": "kill"], from: "It is all still here.", to: script)
            let others = [("#edit-board", script), ("#edit-done", image), ("#card-kill .note", script)]
            for (selector, shown) in others {
                try await page.wait(for: "\(text(selector)) === \(JSONText.quoted(shown))")
            }
            // Also as the server renders it at first.
            try await page.go(to: server.address + "boards/welcome")
            for (index, title) in hostile.enumerated() {
                try await page.wait(
                    for: "document.querySelector('#card-h\(index) .title').textContent === \(JSONText.quoted(title))")
                #expect(
                    try await page.evaluate("document.querySelector('#done-h\(index)').ariaLabel")
                        == .string("Done: \(title)"))
            }
            for (selector, shown) in others {
                try await page.wait(for: "\(text(selector)) === \(JSONText.quoted(shown))")
            }
            #expect(try await page.evaluate("document.title") == .string("\(script) – LiveBoard"))
            #expect(
                try await page.evaluate(
                    "document.querySelectorAll('main img, main script, .bar script, main h1').length") == 0)
            #expect(await page.complaints == [])
        }
    }

    @Test func refusedInputStaysVisible() async throws {
        try await withBrowser { server, browser in
            let page = try await open(browser, server)
            #expect(try server.send(#"{"addColumn": {"column": "new", "title": "New"}}"#).status == 200)
            try await page.wait(for: "document.querySelector('#column-new') !== null")
            // Another user removes the column, and the page has not received it yet.
            try await page.evaluate("disconnect()")
            #expect(try server.send(#"{"removeColumn": {"column": "new"}}"#).status == 200)
            let field = "document.querySelector('#column-new .new-card input')"
            try await page.evaluate("\(field).focus()")
            try await page.type("Do not lose me")
            try await page.press("Enter", code: 13, text: "\r")
            let complaints = "[...document.querySelectorAll('#complaints p')].map((item) => item.innerText).join()"
            try await page.wait(for: "\(complaints).includes('Do not lose me')")
            #expect(try await page.evaluate("\(field).value") == "Do not lose me")
            #expect(try await page.evaluate("\(titles).includes('Do not lose me')") == false)
            try await page.capture("refused")
            // One by one, if there are several. They stay, because the words may exist nowhere else: here the whole
            // column is removed.
            try await page.evaluate("\(field).value = 'Nor me'; \(field).form.requestSubmit()")
            try await page.evaluate("\(field).value = 'Nor me either'; \(field).form.requestSubmit()")
            try await page.wait(for: "!outbox.length && \(complaints).includes('Nor me either')")
            try await page.evaluate("connect()")
            try await page.wait(for: "!\(field)")
            try await page.click("#done-start")
            try await page.wait(for: "!outbox.length && document.querySelector('#card-start:not(.done)')")
            #expect(
                try await page.evaluate(
                    "document.querySelector('#complaints').innerText.match(/[DN]o[a-z ]* me( either)?/g).join()")
                    == "Do not lose me,Nor me,Nor me either")
            for _ in 0..<3 { try await page.click("#complaints button") }
            #expect(try await page.evaluate("\(complaints)") == "")
            // An error of a proxy for a server that is down is no answer; an answer removes the notice.
            try await page.evaluate(
                """
                (() => {
                    const real = window.fetch;
                    let count = 0;
                    window.fetch = (...all) =>
                        ++count > 2 ? real(...all) : Promise.resolve(new Response("", { status: 502 }));
                })()
                """)
            try await page.click("#done-kill")
            let stuck = "document.querySelector('#stuck').checkVisibility()"
            try await page.wait(for: "outbox.length && \(stuck)")
            try await page.wait(for: "!outbox.length && !\(stuck)")
            #expect(try server.request("boards/welcome").body.contains("id=\"card-kill\" class=\"card done\""))
            #expect(await page.complaints == [])
        }
    }

    @Test func aPageNoticesASilentServer() async throws {
        try await withBrowser { server, browser in
            let page = try await open(browser, server)
            server.setStopped(true)
            try await page.evaluate("patience = 300")
            let state = "document.querySelector('#connection').dataset.state"
            try await page.wait(for: "\(state) === 'lost'")
            server.setStopped(false)
            try await page.evaluate("patience = 50000")
            try await page.wait(for: "\(state) === 'live'")
        }
    }

    @Test func thePageFitsAPhone() async throws {
        try await withBrowser { server, browser in
            let page = try await open(browser, server, width: 390, height: 780, isPhone: true)
            #expect(try await page.evaluate("document.documentElement.scrollWidth <= innerWidth") == true)
            #expect(
                try await page.evaluate("document.querySelector('.column').getBoundingClientRect().right <= innerWidth")
                    == true)
            try await page.capture("phone")
            try await page.setDark(true)
            try await page.capture("phone-dark")
            try await page.click("#edit-edit")
            #expect(
                try await page.evaluate("document.querySelector('#editor').getBoundingClientRect().right <= innerWidth")
                    == true)
            try await page.capture("phone-editor")
        }
    }
}
