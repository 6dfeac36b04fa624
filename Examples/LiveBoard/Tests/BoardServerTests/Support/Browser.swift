// A real browser without a window, driven over the DevTools protocol.
//
// Chromium speaks the protocol on two pipes (`--remote-debugging-pipe`): it reads from file descriptor 3 and writes to
// 4. The messages are JSON, each followed by a zero byte. A shell connects these pipes with its standard input and
// output. So only the browser is needed: no driver, no port, no additional language. The browser ends when the pipe is
// closed, however the tests end.

import Foundation
import ReactiveCodable

/// Chromium, if it is installed on this machine.
actor Browser {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Its path: the environment variable `CHROMIUM`, or a common location.
    static let path: String? = {
        let usual = [
            "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
            "/Applications/Chromium.app/Contents/MacOS/Chromium",
        ]
        let places = ProcessInfo.processInfo.environment["CHROMIUM"].map { [$0] } ?? usual
        return places.first(where: FileManager.default.isExecutableFile)
    }()

    private let process = Process()
    private let commands = Pipe()
    private let answers = Pipe()
    private let profile = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID().uuidString)")
    private var number: Int64 = 0
    private var waiting: [Int64: CheckedContinuation<JSONValue, any Error>] = [:]
    private var complaints: [String: [String]] = [:]

    init() throws {
        guard let path = Browser.path else { throw Failure(description: "there is no Chromium") }
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", #"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, path, "--headless=new",
            "--remote-debugging-pipe",
            "--user-data-dir=\(profile.path)", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-extensions", "--disable-background-networking", "--hide-scrollbars", "about:blank",
        ]
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
        let output = answers.fileHandleForReading
        Thread.detachNewThread { [weak self] in
            var rest = Data()
            while true {
                let piece = output.availableData
                if piece.isEmpty { break }
                rest += piece
                while let end = rest.firstIndex(of: 0) {
                    let message = Data(rest[..<end])
                    rest = Data(rest[(end + 1)...])
                    Task { await self?.receive(message) }
                }
            }
            Task { await self?.end() }
        }
    }

    private func receive(_ message: Data) {
        guard let message = try? JSONValue(parsing: message) else { return }
        if case .number(let id)? = message["id"],
            let continuation = waiting.removeValue(forKey: id.exactly(Int64.self) ?? 0)
        {
            if let error = message["error"] {
                continuation.resume(throwing: Failure(description: error.description))
            } else {
                continuation.resume(returning: message["result"] ?? [:])
            }
        } else if message["method"] == "Runtime.exceptionThrown" || message["method"] == "Page.javascriptDialogOpening"
        {
            complaints[message["sessionId"]?.text ?? "", default: []].append(message["params"]?.description ?? "")
        }
    }

    private func end() {
        for continuation in waiting.values {
            continuation.resume(throwing: Failure(description: "the browser has ended"))
        }
        waiting = [:]
    }

    /// Sends a command and waits for its result.
    @discardableResult
    func send(_ method: String, _ parameters: JSONValue = [:], session: String? = nil) async throws -> JSONValue {
        number += 1
        var members: [String: JSONValue] = [
            "id": .number(JSONNumber(number)), "method": .string(method), "params": parameters,
        ]
        if let session { members["sessionId"] = .string(session) }
        let id = number
        let message = JSONValue.object(JSONObject(members)).data + [0]
        return try await withCheckedThrowingContinuation { continuation in
            waiting[id] = continuation
            commands.fileHandleForWriting.write(message)
        }
    }

    /// The errors of the scripts of a page, and the dialogs that they opened.
    func complaints(of session: String) -> [String] { complaints[session] ?? [] }

    /// Opens a page with a window of its own.
    func open(_ address: String, width: Int = 1280, height: Int = 800, isPhone: Bool = false) async throws -> Page {
        let target =
            try await send("Target.createTarget", ["url": "about:blank", "newWindow": true])["targetId"]?.text ?? ""
        let session = try await send("Target.attachToTarget", ["targetId": .string(target), "flatten": true])[
            "sessionId"]?.text
        let page = Page(browser: self, session: session ?? "")
        for domain in ["Page", "Runtime"] { try await send("\(domain).enable", session: session) }
        try await send(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(JSONNumber(width)), "height": .number(JSONNumber(height)), "deviceScaleFactor": 1,
                "mobile": .bool(isPhone),
            ], session: session)
        // A page in the background would be hidden, and all pages but one are here.
        try await send("Emulation.setFocusEmulationEnabled", ["enabled": true], session: session)
        try await page.go(to: address)
        return page
    }

    /// Ends the browser.
    func close() async {
        _ = try? await send("Browser.close")
        try? commands.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: profile)
    }
}

/// A page in a browser.
struct Page {
    let browser: Browser
    let session: String

    /// Opens an address in it, and waits until it has loaded.
    func go(to address: String) async throws {
        try await browser.send("Page.navigate", ["url": .string(address)], session: session)
        try await wait(
            for: "document.readyState === 'complete' && location.href.startsWith(\(JSONValue.string(address)))")
    }

    /// Evaluates a script, and awaits its promise if it is one.
    @discardableResult
    func evaluate(_ script: String) async throws -> JSONValue {
        let answer = try await browser.send(
            "Runtime.evaluate",
            ["expression": .string(script), "awaitPromise": true, "returnByValue": true, "userGesture": true],
            session: session)
        if let exception = answer["exceptionDetails"] {
            throw Browser.Failure(
                description: "\(script): \(exception["exception"]?["description"]?.text ?? exception.description)")
        }
        return answer["result"]?["value"] ?? .null
    }

    /// Waits until an expression is true on the page.
    func wait(for condition: String) async throws {
        // A page that is being replaced cannot answer: its successor is asked.
        let deadline = ContinuousClock.now + .seconds(patience)
        while ContinuousClock.now < deadline {
            let script = """
                new Promise((resolve) => {
                    const start = performance.now();
                    const look = () => {
                        let isTrue = false;
                        try { isTrue = \(condition); } catch {}
                        const isOver = performance.now() - start > \(1000 * patience);
                        if (isTrue || isOver) resolve(!!isTrue); else setTimeout(look, 15);
                    };
                    look();
                })
                """
            if let answer = try? await evaluate(script) {
                if answer == true { return }
                break
            }
        }
        let text = (try? await evaluate("document.body.innerText"))?.text
        throw Browser.Failure(description: "\(condition) has not come true; the page shows: \(text ?? "nothing")")
    }

    /// Clicks an element.
    func click(_ selector: String) async throws {
        try await evaluate("document.querySelector(\(JSONValue.string(selector))).click()")
    }

    /// Types a text at the focus.
    func type(_ text: String) async throws {
        try await browser.send("Input.insertText", ["text": .string(text)], session: session)
    }

    /// Presses a key with modifiers.
    func press(_ key: String, code: Int, modifiers: Int = 0, text: String? = nil) async throws {
        for kind in ["keyDown", "keyUp"] {
            var members: [String: JSONValue] = [
                "type": .string(kind), "key": .string(key), "code": .string(key),
                "modifiers": .number(JSONNumber(modifiers)),
                "windowsVirtualKeyCode": .number(JSONNumber(code)),
            ]
            if let text, kind == "keyDown" { members["text"] = .string(text) }
            try await browser.send("Input.dispatchKeyEvent", .object(JSONObject(members)), session: session)
        }
    }

    /// Switches dark colours on or off.
    func setDark(_ isDark: Bool) async throws {
        try await browser.send(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": .string(isDark ? "dark" : "light")]]],
            session: session)
    }

    /// Saves a screenshot in the folder that the environment variable `SCREENSHOTS` names, if there is one.
    func capture(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["SCREENSHOTS"] else { return }
        // Transitions have ended.
        try await evaluate(
            "Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => 0)))")
        let picture = try await browser.send("Page.captureScreenshot", ["format": "png"], session: session)
        guard let data = Data(base64Encoded: picture["data"]?.text ?? "") else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try data.write(to: URL(filePath: folder).appending(path: "\(name).png"))
    }

    /// The errors of its scripts, and the dialogs that they opened.
    var complaints: [String] { get async { await browser.complaints(of: session) } }
}

extension JSONValue {
    /// Whether the value is `true`.
    var isTrue: Bool { self == true }

    /// The text of a string.
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}
