// Rooms of a server: their graphs, their clients, and how they are loaded, saved and unloaded. The page `Servers`
// explains them.
//
// The formatter would spread `reaction { … } onChange: { … }` over five lines; in a tour it reads better on one line.
// swift-format-ignore-file

import Foundation
import Reactive
import ReactiveCodable

extension Chapter {
    static let servers = Chapter(
        "Servers",
        [
            Sample(awaiting: "A room of a server") {
                struct RoomState: Sendable {
                    @Observable var highest = 0
                    @Observable var isOpen = true
                }
                actor Room {
                    nonisolated let graph: IndependentGraph
                    nonisolated let state: RoomState
                    nonisolated let updates: ObservedValues<String>
                    init(named name: String) {
                        let graph = IndependentGraph(named: name)
                        let state = graph.run { RoomState() }
                        (self.graph, self.state) = (graph, state)
                        updates = graph.run {
                            values(isolation: nil) { state.isOpen ? "\(state.highest)" : "closed" }
                        }
                    }
                    func bid(_ amount: Int) {
                        graph.run {
                            inTransaction {
                                if state.isOpen, amount > state.highest { state.highest = amount }
                            }
                        }
                    }
                    func close() { state.isOpen = false }
                }
                let room = Room(named: "room 7")
                let client = Task {
                    var last = ""
                    for await update in room.updates {
                        last = update
                        if update == "closed" { break }
                    }
                    return last
                }
                await room.bid(5)
                try await room.graph.when(timeout: .seconds(5)) { room.state.highest == 5 }
                await room.close()
                print(await client.value)  // prints "closed"
                room.graph.cancelReactions()
            },
            Sample("A session that follows shared state") {
                let lot = Observable("vase")
                let bids = Observable(["session 1": 0])
                let session = IndependentGraph(named: "session 1")
                let (copy, bid) = session.run { (Observable(lot.value), Observable(0)) }
                let feed = reaction { lot.value } onChange: { copy.value = $0 }
                session.run {
                    autorun { print("session 1:", copy.value) }  // prints "session 1: vase"
                    reaction { bid.value } onChange: { bids.value["session 1"] = $0 }
                }
                lot.value = "clock"  // prints "session 1: clock"
                bid.value = 5
                print(bids.value["session 1", default: 0])  // prints "5"
                feed.cancel()
                session.cancelReactions()
            },
            Sample(awaiting: "Rooms that are loaded, saved and unloaded") {
                struct Notes: Codable, Sendable { @Observable var lines: [String] = [] }
                actor Room {
                    nonisolated let graph = IndependentGraph()
                    nonisolated let notes: Notes
                    private var saving: Autosave?
                    init(savedTo file: URL) async {
                        notes = graph.run { (try? load(Notes.self, from: file)) ?? Notes() }
                        saving = autosave(notes, to: file) { error in print("not saved:", error) }
                    }
                    func unload() async {
                        do { try await saving?.flushInBackground() } catch { print("not saved:", error) }
                        saving?.cancel()
                        graph.cancelReactions()
                    }
                }
                actor Rooms {
                    private let folder: URL
                    private var open: [String: (room: Task<Room, Never>, clients: Int)] = [:]
                    private var closing: [String: Task<Void, Never>] = [:]
                    init(in folder: URL) { self.folder = folder }
                    func enter(_ name: String) async -> Room {
                        let room = open[name]?.room ?? Task { [folder, before = closing[name]] in
                            await before?.value  // A newcomer waits for a close in progress.
                            return await Room(savedTo: folder.appendingPathComponent("\(name).json"))
                        }
                        open[name] = (room, (open[name]?.clients ?? 0) + 1)
                        return await room.value
                    }
                    func leave(_ name: String) async {
                        open[name]?.clients -= 1
                        guard let (room, clients) = open[name], clients == 0 else { return }
                        open[name] = nil
                        let close = Task { await room.value.unload() }
                        closing[name] = close
                        await close.value
                        if closing[name] == close { closing[name] = nil }
                    }
                }
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Tour-\(UUID().uuidString)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(at: folder) }
                let rooms = Rooms(in: folder)
                let room = await rooms.enter("tea")
                room.notes.lines.append("milk first")
                await rooms.leave("tea")  // The last client leaves: the room is saved.
                print(await rooms.enter("tea").notes.lines.count)  // prints "1"
                await rooms.leave("tea")
            },
        ])
}
