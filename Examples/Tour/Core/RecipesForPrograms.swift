// Recipes, part four: waiting, importing, phases, settings and flags. The page `Recipes` of the guide explains them.
//
// The formatter would spread short closures over several lines; in a recipe they read better as one.
// swift-format-ignore-file

import Foundation
import Reactive
import ReactiveAtoms
import ReactiveCodable
import ReactiveCollections

extension Chapter {
    /// The recipes on whole programs.
    static let programRecipes: [Sample] = [
        Sample(awaiting: "Wait for a condition, but not forever") {
            let clock = HandClock()
            let isConnected = Observable(false)
            func connect() async throws -> String {
                do {
                    try await when(timeout: .seconds(5), clock: clock) { isConnected.value }
                    return "connected"
                } catch is WhenTimeoutError {
                    return "no connection after 5 seconds"
                }
            }
            async let first = connect()
            isConnected.value = true
            print(try await first)  // prints "connected"
            isConnected.value = false
            async let second = connect()
            await clock.advance(by: .seconds(5))
            print(try await second)  // prints "no connection after 5 seconds"
        },
        Sample("Import a file and render once") {
            struct BadLine: Error {}
            let prices = ObservableDictionary<String, Double>()
            let label = ObserverScope { "\(prices.count) prices" } onRender: { print($0) }  // prints "0 prices"
            func importPrices(_ text: String) throws {
                try inTransaction {
                    for line in text.split(separator: "\n") {
                        let parts = line.split(separator: ",").map(String.init)
                        guard parts.count == 2, let price = Double(parts[1]) else { throw BadLine() }
                        prices[parts[0]] = price
                    }
                }
            }
            try importPrices("pear,2\napple,3\nplum,4")  // prints "3 prices"
            do {
                try importPrices("fig,5\ndate")
            } catch {
                print(error, prices.count)  // prints "BadLine() 3"
            }
            label.cancel()
        },
        Sample("Allow only legal state transitions") {
            final class Player {
                enum Phase { case stopped, playing, paused }
                enum Command { case play, pause, stop }
                @Observable private(set) var phase = Phase.stopped
                func phase(after command: Command) -> Phase? {
                    switch (phase, command) {
                    case (.stopped, .play), (.paused, .play): .playing
                    case (.playing, .pause): .paused
                    case (.playing, .stop), (.paused, .stop): .stopped
                    default: nil
                    }
                }
                func perform(_ command: Command) { phase = phase(after: command) ?? phase }
            }
            let player = Player()
            let canPause = Computed { player.phase(after: .pause) != nil }
            let button = autorun { print("Pause:", canPause.value ? "on" : "off") }  // prints "Pause: off"
            player.perform(.pause)  // ignored
            player.perform(.play)  // prints "Pause: on"
            button.cancel()
        },
        Sample("Read commands in a loop") {
            struct Diary: Codable { @Observable var lines: [String] = [] }
            func writeDiary(in url: URL, nextLine: () -> String?) throws {
                let diary = (try? load(Diary.self, from: url)) ?? Diary()
                let history = History(diary)
                let saving = autosave(diary, to: url)
                let count = autorun { print(diary.lines.count, "lines") }  // prints "0 lines"
                while let line = nextLine() {
                    if line == "undo" {
                        do { try history.undo() } catch { print(error) }
                    } else {
                        diary.lines.append(line)
                    }
                }
                count.cancel()
                try saving.flush()
                saving.cancel()
            }
            let url = temporaryFile()
            defer { try? FileManager.default.removeItem(at: url) }
            var input = ["undo", "one", "two"]
            try writeDiary(in: url) { input.popLast() }  // prints "1 lines", "2 lines", "1 lines"
        },
        Sample(awaiting: "Read commands while tasks deliver") {
            func lines(_ nextLine: @escaping @Sendable () -> String?) -> AsyncStream<String> {
                AsyncStream { stream in
                    Thread.detachNewThread {
                        while let line = nextLine() { stream.yield(line) }
                        stream.finish()
                    }
                }
            }
            let input = Observable(["two", "one"])
            for await line in lines({ input.value.popLast() }) { print(line) }  // prints "one", "two"
        },
        Sample(awaiting: "Send changes to a browser (server-sent events)") {
            struct Auction: Sendable {
                @Observable var highest = 0
                @Observable var isOpen = true
            }
            func event(_ text: String) -> String {
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                return lines.map { "data: \($0)\n" }.joined() + "\n"
            }
            func sendEvents(of auction: Auction, write: (String) async throws -> Void) async throws {
                for await bid in values(isolation: nil, of: { auction.isOpen ? auction.highest : nil }) {
                    guard let bid else { break }
                    try await write(event("highest bid: \(bid)"))
                }
            }
            let auction = Auction()
            let lastEvent = Observable("")
            let response = Task {
                try await sendEvents(of: auction) { event in
                    print(event, terminator: "")
                    lastEvent.value = event
                }
                print("the response ends")
            }
            try await when { lastEvent.value.contains("0") }  // prints "data: highest bid: 0", ""
            auction.highest = 5
            try await when { lastEvent.value.contains("5") }  // prints "data: highest bid: 5", ""
            response.cancel()  // The browser has closed the page.
            try await response.value  // prints "the response ends"
        },
        Sample(awaiting: "Send each event, and a sign of life") {
            let clock = HandClock()
            struct Chat: Sendable { @Observable var messages: [String] = [] }
            func sendMessages(
                of chat: Chat, after last: Int, write: (String) async throws -> Void
            ) async throws {
                var sent = min(max(last, 0), chat.messages.count)
                while true {
                    do {
                        try await when(timeout: .seconds(15), clock: clock) { [sent] in
                            chat.messages.count > sent
                        }
                    } catch is WhenTimeoutError {
                        try await write(": ping\n\n")
                    }
                    for message in chat.messages.dropFirst(sent) {
                        sent += 1
                        try await write("id: \(sent)\ndata: \(message)\n\n")
                    }
                }
            }
            func body(of chat: Chat, after last: Int) -> AsyncStream<String> {
                AsyncStream { continuation in
                    let sending = Task {
                        try? await sendMessages(of: chat, after: last) { continuation.yield($0) }
                        continuation.finish()
                    }
                    continuation.onTermination = { _ in sending.cancel() }
                }
            }
            let chat = Chat()
            var response = body(of: chat, after: 0).makeAsyncIterator()
            await clock.advance(by: .seconds(15))
            print(await response.next() ?? "", terminator: "")  // prints ": ping", ""
            chat.messages = ["hello", "goodbye"]
            print(await response.next() ?? "", terminator: "")  // prints "id: 1", "data: hello", ""
            print(await response.next() ?? "", terminator: "")  // prints "id: 2", "data: goodbye", ""
        },
        Sample("Send patches to each client") {
            struct Plan: Codable, Sendable {
                @Observable var title = "Trip"
                @Observable var days: [String] = []
            }
            struct Feed: Sendable {
                let plan = Plan()
                private let recorder: PatchRecorder<Plan>
                @Observable private(set) var patches: [String] = []
                init() {
                    recorder = PatchRecorder(plan, isolation: nil) { [_patches] change in
                        _patches.value.append((try? change.get().description) ?? "reload")
                    }
                }
                func join() throws -> (document: String, count: Int) {
                    var joined = ("", 0)
                    _ = try recorder.exchange {
                        joined = (try JSONValue(encoding: plan).description, patches.count)
                        return nil  // Nothing is written.
                    }
                    return joined
                }
            }
            let feed = Feed()
            feed.plan.title = "Italy"
            let (document, count) = try feed.join()
            print(document)
            // prints:
            // {"days":[],"title":"Italy"}
            inTransaction {
                feed.plan.days.append("Rome")
                feed.plan.title = "Rome"
            }
            for patch in feed.patches.dropFirst(count) { print(patch) }
            // prints:
            // [{"op":"add","path":"/days/0","value":"Rome"},{"op":"replace","path":"/title","value":"Rome"}]
        },
        Sample("Remember settings between launches") {
            let url = temporaryFile()
            defer { try? FileManager.default.removeItem(at: url) }
            struct Settings: Codable {
                @Observable var theme = "light"
                @Observable var fontSize = 12
            }
            let settings = (try? load(Settings.self, from: url)) ?? Settings()
            let saving = autosave(settings, to: url) { error in print("not saved:", error) }
            settings.theme = "dark"
            settings.fontSize += 1
            try saving.flush()  // before the program ends
            let next = try load(Settings.self, from: url)
            print(next.theme, next.fontSize)  // prints "dark 13"
            saving.cancel()
        },
        Sample("Switch a feature on in a test") {
            enum Checkout {
                static var region: Atom<String> { atom("us") }
                static var isShort: Selector<Bool> { selector { accessor in try accessor.get(region) == "nz" } }
                static var pages: Selector<Int> { selector { accessor in try accessor.get(isShort) ? 1 : 3 } }
            }
            let appStore = RecoilStore()
            let testStore = RecoilStore()
            testStore.override(Checkout.isShort, value: true)
            print(try appStore.get(Checkout.pages), try testStore.get(Checkout.pages))  // prints "3 1"
            testStore.removeOverride(of: Checkout.isShort)
            print(try testStore.get(Checkout.pages))  // prints "3"
        },
    ]
}
