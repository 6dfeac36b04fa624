// Updates of pages, and the files on the disk.

import BoardCore
import Foundation
import ReactiveCodable
import Testing

@Suite struct SessionTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString)")

    private func withSession(_ body: (Session) async throws -> Void) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let session = try await Session(named: "board", file: folder.appending(path: "board.json"))
        try await body(session)
        try await session.close()
    }

    /// Returns a session with the files that a server killed now would leave. It uses a copy, because a session saves
    /// to the original.
    private func sessionOfSavedBoard() async throws -> Session {
        for suffix in ["json", "json.journal"] {
            try FileManager.default.copyItem(
                at: folder.appending(path: "board.\(suffix)"), to: folder.appending(path: "copy.\(suffix)"))
        }
        return try await Session(named: "board", file: folder.appending(path: "copy.json"))
    }

    private func id(_ text: String) -> ItemID { ItemID(text)! }

    /// A page that applies its updates, as the script does.
    private struct Follower {
        private(set) var page = PageUpdate()
        private(set) var seen: Position?
        private(set) var wholes = 0

        mutating func catchUp(with session: Session) async throws -> [PageUpdate] {
            var updates: [PageUpdate] = []
            for message in await session.messages(after: seen) {
                let update = try JSONDecoder().decode(PageUpdate.self, from: Data(message.json.utf8))
                seen = message.position
                updates.append(update)
                if message.isWhole {
                    wholes += 1
                    page = update
                    continue
                }
                page.html.merge(update.html) { $1 }
                for place in update.placed { put(place) }
                for id in update.removed {
                    page.html[id] = nil
                    take(id)
                }
            }
            return updates
        }

        private mutating func put(_ place: Placement) {
            take(place.element)
            let list = page.children[place.list] ?? []
            let index = place.after.map { list.firstIndex(of: $0).map { $0 + 1 } ?? -1 } ?? 0
            page.children[place.list, default: []].insert(place.element, at: index)
        }

        private mutating func take(_ id: String) {
            for list in page.children.keys { page.children[list]?.removeAll { $0 == id } }
        }
    }

    @Test func onlyChangesAreSent() async throws {
        try await withSession { session in
            var ann = Follower()
            _ = try await ann.catchUp(with: session)
            #expect(ann.wholes == 1 && ann.page.html.keys.filter { $0.hasPrefix("card-") }.count == 5)

            try await session.perform(
                .editCard(
                    card: id("try"), title: nil, note: Edit(from: "Each change appears in both windows.", to: "")))
            #expect(try await ann.catchUp(with: session).map { $0.html.keys.sorted() } == [["card-try"]])
            #expect(try await ann.catchUp(with: session).isEmpty)

            try await session.perform(.moveCard(card: id("try"), column: id("done"), before: nil))
            let move = try await ann.catchUp(with: session)[0]
            #expect(move.html.keys.sorted() == ["head-done", "head-to-do"])
            #expect(move.placed == [Placement("card-try", in: "cards-done", after: "card-start")])
            #expect(move.removed == [] && move.children == [:])

            try await session.perform(.setDone(card: id("try"), isDone: true))
            #expect(try await ann.catchUp(with: session)[0].html.keys.sorted() == ["card-try", "head-done", "heading"])

            // A command without an effect sends nothing.
            try await session.perform(.setDone(card: id("try"), isDone: true))
            #expect(try await ann.catchUp(with: session).isEmpty)
        }
    }

    /// For any number of cards, only the changed one is sent, rendered and saved.
    @Test func oneCardAmongAThousandIsOneChange() async throws {
        try await withSession { session in
            for number in 0..<1_000 {
                try await session.perform(.addCard(card: id("c\(number)"), column: id("doing"), title: "\(number)"))
            }
            try await session.save()
            var ann = Follower()
            _ = try await ann.catchUp(with: session)
            var saved = try journal().count

            /// Returns the update that one command sends, and the patch that it adds to the file.
            func change(_ command: Command) async throws -> (update: PageUpdate, patch: String) {
                try await session.perform(command)
                try await session.save()
                let updates = try await ann.catchUp(with: session)
                #expect(updates.count == 1)
                let lines = try journal()
                #expect(lines.count == saved + 1)
                saved = lines.count
                return (updates[0], lines.last.map(String.init) ?? "")
            }
            func operations(_ patch: String) -> Int { patch.components(separatedBy: #""op""#).count - 1 }

            let tick = try await change(.setDone(card: id("c500"), isDone: true))
            #expect(tick.update.html.keys.sorted() == ["card-c500", "head-doing", "heading"])
            #expect(tick.update.placed == [])
            #expect(tick.patch.contains(#"{"op":"replace","path":"/columns/1/cards/501/isDone","value":true}"#))
            #expect(operations(tick.patch) == 1)

            let up = try await change(.moveCard(card: id("c900"), column: id("doing"), before: id("c100")))
            #expect(up.update.html == [:] && up.update.removed == [])
            #expect(up.update.placed == [Placement("card-c900", in: "cards-doing", after: "card-c99")])
            #expect(up.patch.contains(#"{"from":"/columns/1/cards/901","op":"move","path":"/columns/1/cards/101"}"#))
            #expect(operations(up.patch) == 1)

            let away = try await change(.moveCard(card: id("c300"), column: id("done"), before: nil))
            #expect(away.update.html.keys.sorted() == ["head-doing", "head-done"] && away.update.removed == [])
            #expect(away.update.placed == [Placement("card-c300", in: "cards-done", after: "card-start")])
            #expect(operations(away.patch) <= 2)

            let removal = try await change(.removeCard(card: id("c7")))
            #expect(removal.update.html.keys.sorted() == ["head-doing", "heading"] && removal.update.placed == [])
            #expect(removal.update.removed == ["card-c7"])
            #expect(operations(removal.patch) <= 2)
        }
    }

    /// The lines of the board's journal.
    private func journal() throws -> [Substring] {
        try String(contentsOf: folder.appending(path: "board.json.journal"), encoding: .utf8).split(separator: "\n")
    }

    /// Random commands, and pages that update from time to time. However far they are behind, in the end they equal a
    /// new page.
    @Test(arguments: 0..<8) func aFollowerThatCatchesUpShowsTheSameBoard(seed: UInt64) async throws {
        try await withSession { session in
            var random = Random(state: seed)
            var followers = [Follower(), Follower(), Follower()]
            var cards = ["try", "drag", "edit", "kill", "start"].map(id)
            var columns = ["to-do", "doing", "done"].map(id)
            for step in 0..<200 {
                let card = cards.randomElement(using: &random) ?? id("none")
                let column = columns.randomElement(using: &random) ?? id("none")
                let command: Command
                switch Int.random(in: 0..<12, using: &random) {
                case 0...1:
                    cards.append(id("c\(step)"))
                    command = .addCard(card: cards.last!, column: column, title: "card \(step)")
                case 2...4:
                    command = .moveCard(
                        card: card, column: column,
                        before: Bool.random(using: &random) ? cards.randomElement(using: &random) : nil)
                case 5: command = .setDone(card: card, isDone: .random(using: &random))
                case 6: command = .removeCard(card: card)
                case 7:
                    columns.append(id("n\(step)"))
                    command = .addColumn(column: columns.last!, title: "column \(step)")
                case 10: command = .restoreCard(card: card)
                case 11: command = .restoreColumn(column: column)
                case 8: command = .moveColumn(column: column, before: columns.randomElement(using: &random))
                default: command = .removeColumn(column: column)
                }
                do {
                    try await session.perform(command)
                } catch is Refusal {}
                for index in followers.indices where Int.random(in: 0...(index * 6), using: &random) == 0 {
                    _ = try await followers[index].catchUp(with: session)
                }
            }
            var new = Follower()
            _ = try await new.catchUp(with: session)
            for index in followers.indices {
                _ = try await followers[index].catchUp(with: session)
                #expect(followers[index].wholes == 1)
                let shown = new.page
                for (list, children) in shown.children {
                    #expect(followers[index].page.children[list] ?? [] == children, "\(list)")
                }
                for (element, html) in shown.html where !element.hasPrefix("column-") {
                    #expect(followers[index].page.html[element] == html, "\(element)")
                }
            }
        }
    }

    @Test func aFollowerThatIsTooFarBehindGetsTheWholeBoard() async throws {
        try await withSession { session in
            var ann = Follower()
            _ = try await ann.catchUp(with: session)
            let texts = ["", String(repeating: "long ", count: 700)]
            for number in 0..<400 {
                let edit = Edit(from: texts[number % 2], to: texts[(number + 1) % 2])
                try await session.perform(
                    .editCard(
                        card: id("kill"), title: nil,
                        note: number == 0 ? Edit(from: "It is all still here.", to: texts[1]) : edit))
            }
            let updates = try await ann.catchUp(with: session)
            #expect(ann.wholes == 2 && updates.count == 1)
        }
    }

    @Test func followersAreNotifiedAndReleased() async throws {
        try await withSession { session in
            let pulses = try #require(await session.follow())
            var iterator = pulses.makeAsyncIterator()
            _ = await iterator.next()
            try await session.perform(.setDone(card: id("try"), isDone: true))
            #expect(await iterator.next()?.isOver == false)
            await session.endFollowing()
            #expect(await iterator.next()?.isOver == true)
            #expect(await session.followerCount == 1)
            await session.unfollow()
            #expect(await session.followerCount == 0)
        }
    }

    /// Many concurrent commands, each with cards of its own: all cards are in the board and in its file.
    @Test func concurrentCommandsLoseNothing() async throws {
        try await withSession { session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in 0..<8 {
                    group.addTask {
                        for number in 0..<25 {
                            let card = ItemID("p\(person)-\(number)")!
                            try await session.perform(
                                .addCard(card: card, column: ItemID("doing")!, title: "\(number)"))
                            try await session.perform(.setDone(card: card, isDone: true))
                            try await session.save()
                        }
                    }
                }
                try await group.waitForAll()
            }
            let other = try await sessionOfSavedBoard()
            let page = await other.page.markup
            for person in 0..<8 {
                for number in 0..<25 { #expect(page.contains("id=\"card-p\(person)-\(number)\" class=\"card done\"")) }
            }
            try await other.close()
        }
    }

    @Test func changesThatDoNotShowAreSavedToo() async throws {
        try await withSession { session in
            // Pages do not show control characters.
            var title = "Doing"
            for new in ["a\u{1}", "a\u{2}", "a\u{3}"] {
                try await session.perform(.editColumn(column: id("doing"), title: Edit(from: title, to: new)))
                try await session.save()
                title = new
                let saved = try load(Board.self, from: folder.appending(path: "board.json"))
                #expect(saved.columns[1].title == new)
            }
        }
    }

    @Test func aRepeatedCommandLeavesLaterChanges() async throws {
        try await withSession { session in
            let tick = Command.setDone(card: id("try"), isDone: true)
            try await session.perform(tick, id: CommandID("ann-1"))
            try await session.perform(.setDone(card: id("try"), isDone: false), id: CommandID("ann-2"))
            try await session.perform(tick, id: CommandID("ann-1"))
            let isDone = try await JSONDecoder().decode(Board.self, from: session.contents()).columns[0].cards[0].isDone
            #expect(!isDone)
            // Refused commands may be repeated.
            let move = Command.moveCard(card: id("try"), column: id("new"), before: nil)
            await #expect(throws: Refusal.self) { try await session.perform(move, id: CommandID("ann-3")) }
            try await session.perform(.addColumn(column: id("new"), title: "New"), id: CommandID("bob-1"))
            try await session.perform(move, id: CommandID("ann-3"))
            #expect(try await JSONDecoder().decode(Board.self, from: session.contents()).columns[3].cards.count == 1)
            try await session.save()
        }
    }

    /// A page gets no answer, because the server is killed; it repeats its command with the next server.
    @Test func aRepeatedCommandAfterAKillLeavesLaterChanges() async throws {
        try await withSession { session in
            try await session.perform(.removeCard(card: id("try")), id: CommandID("ann-7"))
            try await session.save()
            let next = try await sessionOfSavedBoard()
            try await next.perform(.restoreCard(card: id("try")), id: CommandID("bob-1"))
            try await next.perform(.removeCard(card: id("try")), id: CommandID("ann-7"))
            #expect(try await JSONDecoder().decode(Board.self, from: next.contents()).columns[0].cards.count == 3)
            try await next.perform(.removeCard(card: id("try")), id: CommandID("ann-8"))
            #expect(try await JSONDecoder().decode(Board.self, from: next.contents()).columns[0].cards.count == 2)
            try await next.close()
        }
    }

    @Test func aFolderHasOneServer() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let link = folder.deletingLastPathComponent().appending(path: "link-\(UUID().uuidString)")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
        defer { try? FileManager.default.removeItem(at: link) }
        var boards: Boards? = try Boards(in: folder)
        for name in [folder, link] {
            #expect {
                _ = try Boards(in: name)
            } throws: {
                "\($0)" == """
                    another LiveBoard serves the boards in \(name.path); stop it, or choose a different folder with \
                    --folder
                    """
            }
        }
        let problems = await boards?.close()
        #expect(problems == [])
        boards = nil
        _ = try Boards(in: link)
    }

    @Test func onlyTheOwnerMayReadBoards() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let boards = try Boards(in: folder)
        let session = try await boards.session(named: "a")
        for isDone in [true, false] {
            try await session.perform(.setDone(card: id("try"), isDone: isDone))
            try await session.save()
            for name in ["a.json", "a.json.journal"] {
                #expect(try permissions(folder.appending(path: name)) == 0o600, "\(name)")
            }
        }
        #expect(try permissions(folder) == 0o700)
        let problems = await boards.close()
        #expect(problems == [])
    }

    private func permissions(_ file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test func temporaryFilesOfAKilledServerAreRemovedAndNothingElse() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let left = [".a.json.saving", ".never-saved.json.saving", ".b.json.1234.saving"]
        let others = [
            ".a.txt.saving", ".A_b.json.saving", ".a.json.x.saving", "a.json.saving", ".a.json.saving~",
            ".c.json.saving",
            ".saving", "a.json",
        ]
        for name in left + others { try Data("half".utf8).write(to: folder.appending(path: name)) }
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: ".d.json.saving").path, withDestinationPath: "a.json")
        try FileManager.default.createDirectory(
            at: folder.appending(path: ".e.json.saving"), withIntermediateDirectories: false)
        // A thread is writing this one.
        let writing = try FileHandle(forWritingTo: folder.appending(path: ".c.json.saving"))
        #expect(flock(writing.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        _ = try Boards(in: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == Set(others + [".d.json.saving", ".e.json.saving"]))
        try writing.close()
    }

    @Test func aBoardWithoutFollowersIsUnloaded() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let boards = try Boards(in: folder, limit: 2)
        let followed = try await boards.session(named: "a")
        _ = await followed.follow()
        let left = try await boards.session(named: "b")
        try await left.perform(.setDone(card: id("try"), isDone: true))
        _ = await (try boards.session(named: "c")).follow()
        await #expect(throws: IsClosed.self) {
            try await left.perform(.setDone(card: id("try"), isDone: false))
        }
        #expect(try load(Board.self, from: folder.appending(path: "b.json")).columns[0].cards[0].isDone)
        await #expect(throws: Boards.Problem.full) { try await boards.session(named: "b") }
        await followed.unfollow()
        let again = try await boards.session(named: "b")
        #expect(await again.page.markup.contains("id=\"card-try\" class=\"card done\""))
        let problems = await boards.close()
        #expect(problems == [])
    }

    /// While a thread writes the file, it reports the outcome to the graph that others change, so renders may be later
    /// than their commands.
    @Test(.timeLimit(.minutes(15))) func changesDuringAWriteReachAllFollowers() async throws {
        try await withSession { session in
            // As long as saving has never failed, its outcome is no change.
            try FileManager.default.removeItem(at: folder)
            try await session.perform(.setDone(card: id("try"), isDone: true))
            await #expect(throws: (any Error).self) { try await session.save() }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in 0..<8 {
                    group.addTask {
                        let card = ItemID("p\(person)")!
                        let columns = ["to-do", "doing", "done"].compactMap { ItemID($0) }
                        try await session.perform(.addCard(card: card, column: columns[0], title: "\(person)"))
                        for number in 0..<30 {
                            try await session.perform(.moveCard(card: card, column: columns[number % 3], before: nil))
                            try await session.save()
                        }
                    }
                }
                try await group.waitForAll()
            }
            var ann = Follower()
            while true {
                _ = try await ann.catchUp(with: session)
                let page = await session.page.markup
                let lists = ann.page.children.filter { $0.key.hasPrefix("cards-") }
                let isShown = lists.allSatisfy { list, cards in
                    let cards = cards.map { ann.page.html[$0] ?? "?" }.joined()
                    return page.contains("id=\"\(list)\" class=\"cards\">\(cards)</ol>")
                }
                if isShown, lists.values.joined().count == 13 { break }
                await Task.yield()
            }
        }
    }

    /// A file of a server that saved each board as a whole.
    @Test func aCopyTravelsInTimeAndIsFreed() async throws {
        try await withSession { session in
            try await session.perform(.setDone(card: id("try"), isDone: true), id: CommandID("ann-1"))
            try await session.perform(.setDone(card: id("try"), isDone: false), id: CommandID("ann-2"))
            let before = try JSONValue(parsing: await session.contents())
            weak var copy: BoardCopy?
            do {
                let open = try await session.copy()
                copy = open
                let inspector = await open.inspector()
                #expect(await inspector.answer(to: #"{"travel": 0}"#) == "{}")
                #expect(await inspector.answer(to: #"{"travel": 2}"#) == "{}")
                await open.close()
            }
            #expect(copy == nil)
            #expect(try JSONValue(parsing: await session.contents()) == before)
        }
    }

    @Test func aFileOfAnEarlierVersionIsReadAndFollowed() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "board.json")
        let text = """
            {
              "columns" : [
                {"cards" : [
                  {"id" : "c1", "isDone" : false, "note" : "", "title" : "One"},
                  {"id" : "c2", "isDone" : true, "note" : "of two", "title" : "Two"}
                ], "id" : "a", "title" : "A"},
                {"cards" : [], "id" : "b", "title" : "B"}
              ],
              "lastCommands" : ["ann-7", "no command", "bob-2"],
              "removals" : [
                {"card" : {"_0" : {"id" : "c3", "isDone" : false, "note" : "", "title" : "Three"},
                  "before" : "c2", "column" : "a"}},
                {"column" : {"_0" : {"cards" : [], "id" : "c", "title" : "C"}}}
              ],
              "title" : "T"
            }
            """
        try Data(text.utf8).write(to: file)
        let session = try await Session(named: "board", file: file)
        // Already done.
        try await session.perform(.removeCard(card: id("c1")), id: CommandID("ann-7"))
        try await session.perform(.restoreCard(card: id("c3")), id: CommandID("ann-8"))
        try await session.perform(.restoreColumn(column: id("c")), id: CommandID("bob-3"))
        try await session.close()
        let board = try load(Board.self, from: file)
        #expect(board.columns.map(\.id.description) == ["a", "b", "c"] && board.removals.isEmpty)
        #expect(board.columns[0].cards.map(\.title) == ["One", "Three", "Two"] && board.columns[0].cards[2].isDone)
        #expect(board.lastCommands.map(\.description) == ["ann-8", "bob-3"])
    }

    @Test func aFileThatIsNoBoardIsNotChanged() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "board.json")
        let column = #"{"id": "a", "title": "A", "cards": []}"#
        let boards = try Boards(in: folder)
        for text in [#"{"title": 7}"#, "", #"{"title": "T", "columns": [\#(column), \#(column)]}"#] {
            try Data(text.utf8).write(to: file)
            await #expect(throws: (any Error).self) { try await boards.session(named: "board") }
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
        await #expect(throws: Boards.Problem.name) { try await boards.session(named: "../board") }
    }
}

/// Random numbers that a seed determines.
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
