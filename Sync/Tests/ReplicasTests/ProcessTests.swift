// One model in several copies, in one process and in two.

import Foundation
import ProgramSupport
import Reactive
import ReactiveCodable
@testable import ReplicaCore
import Testing

@Suite(.alone) struct ReplicaTests {
    struct Model: Codable {
        @Observable var numbers: [String: Number] = ["a": Number(value: 0), "b": Number(value: 0)]
        @Observable var order: [Int] = []
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

    @Test func whatIsPendingStaysTheSameObjectWhenSomethingElseComes() throws {
        let group = try Group(2)
        let (ann, bob) = (group.copies[0].root, group.copies[1].root)
        bob.numbers["c"] = Number(value: 3)
        let pending = try #require(bob.numbers["c"])
        ann.numbers["a"]?.value = 1
        ann.numbers["d"] = Number(value: 4)
        for entry in group.log where entry.author != group.log[0].author { try group.copies[1].receive(entry) }
        pending.value = 5
        #expect(bob.numbers["c"]?.value == 5 && bob.numbers["a"]?.value == 1 && bob.numbers["d"]?.value == 4)
        #expect(group.copies[1].pending.count == 2)
    }

    @Test func aConflictIsOneChangeForObservers() throws {
        let group = try Group(2)
        let (ann, bob) = (group.copies[0].root, group.copies[1].root)
        let number = try #require(bob.numbers["a"])
        var seen: [Int] = []
        let reaction = autorun { seen.append(number.value) }
        defer { reaction.cancel() }
        ann.numbers["a"]?.value = 1
        number.value = 2
        number.value = 3
        for index in 0..<2 { try group.catchUp(index) }
        // What came is below what is pending.
        #expect(seen == [0, 2, 3])
        #expect(try group.state(0) == group.state(1))
        #expect(ann.numbers["a"]?.value == 3)
    }

    @Test func whatIsOnTopOfALostChangeLeavesTheModelIfItDoesNotFit() throws {
        let group = try Group(2)
        let bob = group.copies[1].root
        inTransaction {
            bob.numbers["a"]?.value = 7
            bob.numbers["b"]?.value = 7
        }
        bob.numbers["a"]?.isSet = true
        group.copies[0].root.numbers["b"] = nil
        // Ann's entry is the first in the log.
        group.log.append(contentsOf: group.log.prefix(2))
        group.log.removeFirst(2)
        for index in 0..<2 { try group.catchUp(index) }
        #expect(try group.state(0) == group.state(1))
        #expect(bob.numbers["a"]?.value == 0 && bob.numbers["a"]?.isSet == true)
        #expect(bob.numbers["b"] == nil && group.pendingCount == 0)
    }

    @Test(arguments: [true, false]) func anAnswerInTheSameTransactionIsShared(isOlder: Bool) throws {
        let model = Model()
        let number = try #require(model.numbers["a"])
        func answer() -> Reaction { autorun { if number.value > 10 { number.value = 10 } } }
        var reactions = isOlder ? [answer()] : []
        defer { reactions.forEach { $0.cancel() } }
        var log: [Entry] = []
        let bob = try Replica(model, onError: { Issue.record($0) }) { log.append($0) }
        let ann = try Replica(Model(), onError: { Issue.record($0) }) { log.append($0) }
        if !isOlder { reactions.append(answer()) }
        bob.root.numbers["b"]?.value = 1
        ann.root.numbers["a"]?.value = 11
        var index = 0
        while index < log.count {
            try #require(log.count < 10)
            for copy in [ann, bob] { try copy.receive(log[index]) }
            index += 1
        }
        #expect(log.count == 3)
        #expect(ann.root.numbers["a"]?.value == 10 && number.value == 10)
        #expect(ann.pending.isEmpty && bob.pending.isEmpty)
    }

    /// What the copies must be, from the log and what is pending alone: documents, as a whole, each time.
    private func expected(_ group: Group, _ index: Int) throws -> JSONValue {
        func result(_ document: JSONValue, _ entry: Entry) -> JSONValue {
            guard let changed = try? entry.patch.applying(to: document), (try? changed.decoded(as: Model.self)) != nil
            else { return document }
            return changed
        }
        var document = try JSONValue(encoding: Model())
        var numbers: [String: Int] = [:]
        let copy = group.copies[index]
        for entry in group.log.prefix(copy.agreedCount) where entry.number > numbers[entry.author, default: 0] {
            numbers[entry.author] = entry.number
            document = result(document, entry)
        }
        return copy.pending.reduce(document, result)
    }

    @Test(arguments: 0..<20) func allAgreeWhateverComesWhen(seed: UInt64) throws {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        let group = try Group(3)
        for step in 0..<80 {
            let index = random(3)
            let root = group.copies[index].root
            let name = ["a", "b", "c", "d"][random(4)]
            switch random(8) {
            case 0: root.numbers[name] = Number(value: random(100))
            case 1: root.numbers[name] = nil
            case 2: root.numbers[name]?.value = random(3)
            case 3:
                inTransaction {
                    for key in root.numbers.keys.sorted() { root.numbers[key]?.isSet.toggle() }
                }
            case 4:
                // An array has places, not things; whatever it becomes, it becomes for all.
                inTransaction {
                    root.order.insert(random(9), at: random(root.order.count + 1))
                    if random(2) == 0 { root.order.remove(at: random(root.order.count)) }
                    if random(3) == 0 { root.numbers[name]?.value = random(3) }
                }
            case 5, 6: try group.catchUp(index, by: random(5))
            // Sent again, as after a lost connection: it comes twice.
            default: group.copies[index].sendPending()
            }
            try #require(try group.state(index) == expected(group, index), "seed \(seed), step \(step)")
        }
        for index in 0..<3 { try group.catchUp(index) }
        #expect(try group.state(0) == group.state(1) && group.state(1) == group.state(2), "seed \(seed)")
        #expect(group.pendingCount == 0)
    }

    @Test func patchesMayBeExchangedIfNeitherTouchesTheOther() throws {
        func overlap(_ left: JSONPatch, _ right: JSONPatch) -> Bool {
            let both = Footprint(left).overlaps(Footprint(right))
            #expect(Footprint(right).overlaps(Footprint(left)) == both)
            return both
        }
        func replace(_ path: String) throws -> JSONPatch { [.replace(path: try JSONPointer(path), value: 1)] }
        func add(_ path: String) throws -> JSONPatch { [.add(path: try JSONPointer(path), value: 1)] }
        #expect(try !overlap(replace("/a/x"), replace("/a/y")))
        #expect(try overlap(replace("/a/x"), replace("/a/x")))
        #expect(try overlap(replace("/a"), replace("/a/x")))
        #expect(try overlap(replace(""), replace("/a/x")))
        #expect(try !overlap(replace("/a/1"), replace("/a/2")))
        // What is inserted moves what is behind it.
        #expect(try overlap(add("/a/1"), replace("/a/2/x")))
        #expect(try overlap(add("/a/-"), add("/a/-")))
        #expect(try !overlap(add("/a/x"), add("/a/y")))
        #expect(try overlap([.move(from: JSONPointer("/a/x"), path: JSONPointer("/b"))], replace("/a/x/y")))
        #expect(try overlap([.copy(from: JSONPointer("/a"), path: JSONPointer("/b"))], replace("/a/x/y")))
        #expect(try overlap([.test(path: JSONPointer("/a"), value: 1)], replace("/a")))
        #expect(try !overlap([], replace("")))
        var union = Footprint([])
        union.formUnion(Footprint(try replace("/a/x"), try replace("/a/y")))
        #expect(try union.overlaps(Footprint(replace("/a/y/z"))) && !union.overlaps(Footprint(replace("/a/z"))))
    }

    // MARK: - Processes

    private func start(_ arguments: String...) throws -> PipedProgram { try PipedProgram("Replicas", arguments) }

    /// The line that a peer prints for a note.
    private func line(_ name: String, _ text: String, isDone: Bool = false) -> String {
        #"{"\#(name)":{"isDone":\#(isDone),"text":"\#(text)"}}"#
    }

    /// Whether all peers print these lines, in order, and have the same notes then.
    private func all(_ peers: [PipedProgram], print lines: String..., have notes: String) throws -> Bool {
        for peer in peers {
            for line in lines where !peer.wait(for: line) { return false }
            try peer.type("show")
            guard peer.wait(for: #"{"notes":{\#(notes)}}"#) else { return false }
        }
        return true
    }

    @Test func twoProcessesShareOneModel() throws {
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8))").path
        let (path, file) = (name + ".socket", name + ".log")
        defer { for left in [path, file] { unlink(left) } }
        var log = try start("log", path, file)
        #expect(log.wait(for: "ready"))
        let ann = try start("peer", path)
        let bob = try start("peer", path)
        try ann.type("add milk Buy milk")
        let milk = #""milk":{"isDone":false,"text":"Buy milk"}"#
        #expect(try all([ann, bob], print: line("milk", "Buy milk"), have: milk))

        // Apart, both continue; together again, both have both.
        try ann.type("offline", "text milk Buy oat milk", "add bread Buy bread")
        let bread = #""bread":{"isDone":false,"text":"Buy bread"}"#
        #expect(
            try all(
                [ann], print: line("milk", "Buy oat milk"), line("bread", "Buy bread"),
                have: #"\#(bread),"milk":{"isDone":false,"text":"Buy oat milk"}"#))
        try bob.type("done milk")
        #expect(bob.wait(for: line("milk", "Buy milk", isDone: true)))
        try ann.type("online")
        let both = #"\#(bread),"milk":{"isDone":true,"text":"Buy oat milk"}"#
        #expect(try all([ann], print: line("milk", "Buy oat milk", isDone: true), have: both))
        #expect(
            try all([bob], print: line("milk", "Buy oat milk", isDone: true), line("bread", "Buy bread"), have: both))

        // What one has removed meanwhile cannot be changed by the other.
        try ann.type("offline", "text milk Buy soy milk")
        #expect(ann.wait(for: line("milk", "Buy soy milk", isDone: true)))
        try bob.type("remove milk")
        #expect(bob.wait(for: #"{"milk":null}"#))
        try ann.type("online")
        #expect(try all([ann], print: #"{"milk":null}"#, have: bread))

        // The log is killed; both continue without it, and find it again.
        log.kill()
        log = try start("log", path, file)
        try ann.type("done bread")
        #expect(ann.wait(for: line("bread", "Buy bread", isDone: true)))
        #expect(bob.wait(for: line("bread", "Buy bread", isDone: true)))
        try bob.type("add tea Buy tea")
        let rest = #""bread":{"isDone":true,"text":"Buy bread"},"tea":{"isDone":false,"text":"Buy tea"}"#
        #expect(try all([ann, bob], print: line("tea", "Buy tea"), have: rest))

        // One who comes later gets everything.
        let cleo = try start("peer", path)
        #expect(try all([cleo], print: line("tea", "Buy tea"), have: rest))
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
        let first = line("milk", "Buy milk")
        try ann.type("add milk Buy milk")
        #expect(ann.wait(for: first))
        let stranger = try #require(LocalSocket.connect(to: path))
        for line in ["0", "junk", "", "{}"] { stranger.send(Data(line.utf8)) }
        let bob = try start("peer", path)
        #expect(bob.wait(for: first))
        try bob.type("done milk")
        let done = line("milk", "Buy milk", isDone: true)
        #expect(ann.wait(for: done) && bob.wait(for: done))

        // All lines are at the same places after a restart.
        log.kill()
        log = try start("log", path, file)
        #expect(log.wait(for: "ready"))
        try ann.type("text milk Buy oat milk")
        let last = line("milk", "Buy oat milk", isDone: true)
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

    @Test func noLineOfAPeerKillsTheOthers() throws {
        let name = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(8))").path
        let (path, file) = (name + ".socket", name + ".log")
        defer { for left in [path, file] { unlink(left) } }
        let log = try start("log", path, file)
        #expect(log.wait(for: "ready"))
        let ann = try start("peer", path)
        let bob = try start("peer", path)
        try ann.type("add milk Buy milk")
        #expect(ann.wait(for: line("milk", "Buy milk")) && bob.wait(for: line("milk", "Buy milk")))
        // Each copy doubles the document.
        let copies = (0..<63).map { #"{"op":"copy","from":"/notes","path":"/notes/copy\#($0)"}"# }
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        let patches = [
            copies.joined(separator: ","), #"{"op":"add","path":"/notes/deep","value":\#(deep)}"#,
            #"{"op":"replace","path":"/notes","value":1}"#, #"{"op":"remove","path":""}"#,
            #"{"op":"move","from":"/notes","path":"/notes/milk"}"#,
            #"{"op":"remove","path":"/notes/\#(String(repeating: "/", count: 10_000))"}"#,
        ]
        let stranger = try #require(LocalSocket.connect(to: path))
        stranger.send(Data("0".utf8))
        for (index, patch) in patches.enumerated() {
            let number = index == patches.count - 1 ? Int.max : index + 1
            stranger.send(Data(#"{"author":"stranger","number":\#(number),"patch":[\#(patch)]}"#.utf8))
        }
        try bob.type("done milk")
        let milk = #""milk":{"isDone":true,"text":"Buy milk"}"#
        #expect(try all([ann, bob], print: line("milk", "Buy milk", isDone: true), have: milk))
        let cleo = try start("peer", path)
        #expect(try all([cleo], print: line("milk", "Buy milk", isDone: true), have: milk))
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
