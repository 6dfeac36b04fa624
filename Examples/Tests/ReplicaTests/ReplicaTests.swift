// One model in several copies, in one process and in two.

import Foundation
import ProgramSupport
import Reactive
import ReactiveCodable
import ReplicaCore
import Testing

@Suite(.alone) struct ReplicaTests {
    struct Model: Codable {
        @Observable var numbers: [String: Number] = ["a": Number(value: 0), "b": Number(value: 0)]
    }
    struct Number: Codable {
        @Observable var value: Int
        @Observable var isSet = false
    }

    /// Copies that hear of each other when the test says so.
    private final class Group {
        var log: [Entry] = []
        var copies: [Replica<Model>] = []

        init(_ count: Int) throws {
            for _ in 0..<count {
                copies.append(
                    try Replica(Model(), onError: { Issue.record($0) }) { [unowned self] in log.append($0) })
            }
        }

        func catchUp(_ index: Int, by count: Int = .max) throws {
            for entry in log.dropFirst(copies[index].agreedCount).prefix(count) { try copies[index].receive(entry) }
        }

        var pendingCount: Int { copies.reduce(0) { $0 + $1.pending.count } }

        func state(_ index: Int) throws -> JSONValue { try JSONValue(encoding: copies[index].root) }
    }

    @Test func differentValuesAreBothKeptAndOfOneTheLaterStands() throws {
        let group = try Group(2)
        let (ann, bob) = (group.copies[0].root, group.copies[1].root)
        ann.numbers["a"]?.value = 1
        bob.numbers["a"]?.isSet = true
        bob.numbers["a"]?.value = 2
        // Nobody waits: each sees its own.
        #expect(ann.numbers["a"]?.value == 1 && bob.numbers["a"]?.value == 2)
        for index in 0..<2 { try group.catchUp(index) }
        #expect(try group.state(0) == group.state(1))
        #expect(ann.numbers["a"]?.value == 2 && ann.numbers["a"]?.isSet == true)
        #expect(group.pendingCount == 0)
    }

    @Test func aWriteIntoWhatIsGoneHasNoEffect() throws {
        let group = try Group(2)
        group.copies[0].root.numbers["a"] = nil
        group.copies[1].root.numbers["a"]?.value = 5
        for index in 0..<2 { try group.catchUp(index) }
        #expect(try group.state(0) == group.state(1))
        #expect(group.copies[1].root.numbers.keys.sorted() == ["b"])
    }

    @Test func onlyWhoReadsWhatCameRuns() throws {
        let group = try Group(2)
        let bob = group.copies[1].root
        var runs = ["a": 0, "b": 0]
        let reactions = ["a", "b"].map { name in
            let number = bob.numbers[name]!
            return autorun { runs[name]! += number.value == 0 ? 1 : 10 }
        }
        defer { reactions.forEach { $0.cancel() } }
        group.copies[0].root.numbers["b"]?.value = 7
        try group.catchUp(1)
        #expect(runs == ["a": 1, "b": 11])
    }

    @Test func whatAReactionWritesInAnswerIsShared() throws {
        let group = try Group(2)
        let (ann, bob) = (group.copies[0].root, group.copies[1].root)
        let number = bob.numbers["a"]!
        let reaction = autorun { if number.value > 10 { number.isSet = true } }
        defer { reaction.cancel() }
        ann.numbers["a"]?.value = 11
        for index in [1, 0, 1] { try group.catchUp(index) }
        #expect(ann.numbers["a"]?.isSet == true)
        #expect(try group.state(0) == group.state(1))
        #expect(group.log.count == 2 && group.pendingCount == 0)
    }

    @Test(arguments: 0..<20) func whateverComesWhenAllAgreeInTheEnd(seed: UInt64) throws {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        let group = try Group(3)
        for _ in 0..<80 {
            let index = random(3)
            let root = group.copies[index].root
            let name = ["a", "b", "c", "d"][random(4)]
            switch random(6) {
            case 0: root.numbers[name] = Number(value: random(100))
            case 1: root.numbers[name] = nil
            case 2: root.numbers[name]?.value = random(100)
            case 3:
                inTransaction {
                    for key in root.numbers.keys.sorted() { root.numbers[key]?.isSet.toggle() }
                }
            case 4: try group.catchUp(index, by: random(5))
            // Sent again, as after a lost connection: it comes twice.
            default: group.copies[index].sendPending()
            }
        }
        for index in 0..<3 { try group.catchUp(index) }
        #expect(try group.state(0) == group.state(1) && group.state(1) == group.state(2))
        #expect(group.pendingCount == 0)
    }

    // MARK: - Processes

    private func start(_ arguments: String...) throws -> PipedProgram { try PipedProgram("Replicas", arguments) }

    @Test func twoProcessesShareOneModel() throws {
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8))").path
        let (path, file) = (name + ".socket", name + ".log")
        defer { for left in [path, file] { unlink(left) } }
        var log = try start("log", path, file)
        #expect(log.wait(for: "ready"))
        let ann = try start("peer", path)
        let bob = try start("peer", path)
        try ann.type("add milk Buy milk")
        let first = #"{"notes":{"milk":{"isDone":false,"text":"Buy milk"}}}"#
        #expect(ann.wait(for: first) && bob.wait(for: first))

        // Apart, both go on; together again, both have both.
        try ann.type("offline", "text milk Buy oat milk", "add bread Buy bread")
        let bread = #""bread":{"isDone":false,"text":"Buy bread"}"#
        #expect(ann.wait(for: #"{"notes":{\#(bread),"milk":{"isDone":false,"text":"Buy oat milk"}}}"#))
        try bob.type("done milk")
        #expect(bob.wait(for: #"{"notes":{"milk":{"isDone":true,"text":"Buy milk"}}}"#))
        try ann.type("online")
        let both = #"{"notes":{\#(bread),"milk":{"isDone":true,"text":"Buy oat milk"}}}"#
        #expect(ann.wait(for: both) && bob.wait(for: both))

        // What one has removed meanwhile cannot be changed by the other.
        try ann.type("offline", "text milk Buy soy milk")
        #expect(ann.wait(for: #"{"notes":{\#(bread),"milk":{"isDone":true,"text":"Buy soy milk"}}}"#))
        try bob.type("remove milk")
        let rest = #"{"notes":{\#(bread)}}"#
        #expect(bob.wait(for: rest))
        try ann.type("online")
        #expect(ann.wait(for: rest))

        // The log is killed; both go on without it, and find it again.
        log.kill()
        log = try start("log", path, file)
        try ann.type("done bread")
        try bob.type("add tea Buy tea")
        let all = #"{"notes":{"bread":{"isDone":true,"text":"Buy bread"},"tea":{"isDone":false,"text":"Buy tea"}}}"#
        #expect(ann.wait(for: all) && bob.wait(for: all))

        // One who comes later gets everything.
        let cleo = try start("peer", path)
        #expect(cleo.wait(for: all))
    }

    @Test func aLogLeavesOutALineThatWasTorn() throws {
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8))").path
        let (path, file) = (name + ".socket", URL(fileURLWithPath: name + ".log"))
        defer { for left in [path, file.path] { unlink(left) } }
        try Data("one\ntwo\nthr".utf8).write(to: file)
        let log = try start("log", path, file.path)
        #expect(log.wait(for: "ready"))
        let socket = try #require(LocalSocket.connect(to: path))
        socket.send(Data("1".utf8))
        socket.send(Data("three".utf8))
        #expect(socket.readLine(within: 20_000) == Data("two".utf8))
        #expect(socket.readLine(within: 20_000) == Data("three".utf8))
        #expect(try String(contentsOf: file, encoding: .utf8) == "one\ntwo\nthree\n")
    }

    @Test func aLineThatIsNoEntryStopsNobody() throws {
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8))").path
        let (path, file) = (name + ".socket", name + ".log")
        defer { for left in [path, file] { unlink(left) } }
        var log = try start("log", path, file)
        #expect(log.wait(for: "ready"))
        let ann = try start("peer", path)
        let first = #"{"notes":{"milk":{"isDone":false,"text":"Buy milk"}}}"#
        try ann.type("add milk Buy milk")
        #expect(ann.wait(for: first))
        let stranger = try #require(LocalSocket.connect(to: path))
        for line in ["0", "junk", "", "{}"] { stranger.send(Data(line.utf8)) }
        let bob = try start("peer", path)
        #expect(bob.wait(for: first))
        try bob.type("done milk")
        let done = #"{"notes":{"milk":{"isDone":true,"text":"Buy milk"}}}"#
        #expect(ann.wait(for: done) && bob.wait(for: done))

        // All lines are at the same places after a restart.
        log.kill()
        log = try start("log", path, file)
        #expect(log.wait(for: "ready"))
        try ann.type("text milk Buy oat milk")
        let last = #"{"notes":{"milk":{"isDone":true,"text":"Buy oat milk"}}}"#
        #expect(ann.wait(for: last) && bob.wait(for: last))
        let cleo = try start("peer", path)
        #expect(cleo.wait(for: last))

        // Who has read more than there is has read another log.
        let other = try #require(LocalSocket.connect(to: path))
        other.send(Data("100".utf8))
        other.send(Data("more".utf8))
        #expect(other.readLine(within: 20_000) == nil)
        #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("more"))
    }

    @Test func aLogDestroysNoFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("log")
        try Data("one\n".utf8).write(to: file)
        let log = try Log(in: file)
        // The arguments in the wrong order.
        #expect(throws: POSIXError(.EEXIST)) { try log.serve(at: file.path) { Issue.record("it is no socket") } }
        #expect(try String(contentsOf: file, encoding: .utf8) == "one\n")
        let long = folder.appendingPathComponent(String(repeating: "x", count: 200)).path
        #expect(throws: POSIXError(.ENAMETOOLONG)) { try log.serve(at: long) { Issue.record("it is too long") } }
        // What cannot be read is not empty.
        #expect(throws: (any Error).self) { try Log(in: folder) }
    }
}
