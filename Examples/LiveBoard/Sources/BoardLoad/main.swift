// The load program: pages that follow and users who edit without a pause, against a server on this machine that the
// program starts.
//
//     BoardLoad [--database URI] [BOARDS] [FOLLOWERS] [EDITORS] [SECONDS]
//
// With a database, two servers share the boards. Editors use both servers, followers use the second one. One editor
// edits the first board on the first server and measures when the edit arrives on the second.
//
// The limits are 64 boards, 2,000 followers, 64 editors and 60 seconds. At the end, all answered edits must be on the
// pages, every follower must have the latest position of its board, and after `kill -9` everything must still exist.
// Otherwise the program exits with 1.

import Foundation

/// The arguments without the option, and the database from the option.
let (arguments, database): ([String], String?) = {
    let all = Array(CommandLine.arguments.dropFirst())
    return all.count > 1 && all[0] == "--database" ? (Array(all.dropFirst(2)), all[1]) : (all, nil)
}()

/// Returns the argument at an index as a number, or the default.
func argument(_ index: Int, _ name: String, _ range: ClosedRange<Int>, default value: Int) -> Int {
    guard arguments.count > index else { return value }
    guard let number = Int(arguments[index]), range.contains(number) else {
        FileHandle.standardError.write(
            Data("BoardLoad: \(name) must be a number from \(range.lowerBound) to \(range.upperBound)\n".utf8))
        exit(64)
    }
    return number
}

/// Returns a number as text with a number of digits after the point.
func text(_ number: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", number) }

/// Returns the time between two instants in seconds.
func seconds(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant = .now) -> Double {
    (end - start) / .seconds(1)
}

func measure() throws -> Bool {
    // A database still has the boards of the previous run.
    let prefix = database == nil ? "load" : "load-\(UInt32.random(in: 0 ... .max))"
    let boards = (0..<argument(0, "BOARDS", 1...(database == nil ? 64 : 20), default: 1)).map { "\(prefix)-\($0)" }
    let followerCount = argument(1, "FOLLOWERS", 0...2_000, default: 200)
    let editorCount = argument(2, "EDITORS", 1...64, default: 8)
    let duration = argument(3, "SECONDS", 1...60, default: 10)

    allowManyFiles()
    let servers = try (0..<(database == nil ? 1 : 2)).map { _ in try Server(database: database) }
    let (first, server) = (servers[0], servers[servers.count - 1])
    for board in boards { for server in servers { _ = try server.page(of: board) } }
    let memoryBefore = server.memory
    let connecting = ContinuousClock.now
    let followers = try Followers(followerCount, of: boards, port: server.port)
    try followers.waitUntilConnected()
    let connected = seconds(from: connecting)
    followers.settle()
    let memoryAfter = server.memory
    let editors = try (0..<editorCount).map { number in
        let (board, round) = (number % boards.count, number / boards.count)
        return try Editor("e\(number)", on: boards[board], port: servers[(board + round) % servers.count].port)
    }
    let probe = database == nil ? nil : try Probe(on: boards[0], from: first.port, to: server.port)
    followers.settle()

    let before = followers.received
    let start = ContinuousClock.now
    DispatchQueue.global().sync {
        let group = DispatchGroup()
        for editor in editors {
            group.enter()
            Thread.detachNewThread {
                editor.run(until: start + .seconds(duration))
                group.leave()
            }
        }
        if let probe {
            group.enter()
            Thread.detachNewThread {
                probe.run(until: start + .seconds(duration))
                group.leave()
            }
        }
        group.wait()
    }
    let time = seconds(from: start)
    followers.settle()
    let after = followers.received
    let arrival = max(time, seconds(from: start, to: after.last))
    let latencies = editors.flatMap(\.latencies).sorted()
    let problems = (editors.map(\.problem) + [probe?.problem]).compactMap { $0 }
    for problem in problems { print("problem: \(problem)") }

    func pages(at server: Server) throws -> [String: String] {
        Dictionary(uniqueKeysWithValues: try boards.map { ($0, try server.page(of: $0)) })
    }
    func losses(on pages: [String: String]) -> [String] {
        editors.enumerated().flatMap { $1.losses(on: pages[boards[$0 % boards.count]] ?? "") }
    }
    let shown = try pages(at: server)
    let lost = losses(on: shown)
    let behind = followers.behind(shown)
    let memoryEnd = server.memory
    followers.end()
    try first.killAndRestart()
    let lostByKill = losses(on: try pages(at: first))
    let statuses = servers.map { $0.terminate() }

    print("boards, followers, editors   \(boards.count), \(followerCount), \(editorCount)")
    print("edits per second, on disk    \(text(Double(latencies.count) / time, 0))")
    print(
        "answered after, ms           \(text(latencies[latencies.count / 2] * 1e3)) in the middle, "
            + "\(text(latencies[latencies.count * 99 / 100] * 1e3)) for 99 of 100"
    )
    if let delays = probe?.delays.sorted(), !delays.isEmpty {
        let (middle, high) = (text(delays[delays.count / 2] * 1e3), text(delays[delays.count * 99 / 100] * 1e3))
        print("at the other server, ms      \(middle) in the middle, \(high) for 99 of 100 (of \(delays.count))")
    }
    print(
        """
        followers connected in, s    \(text(connected))
        updates delivered per second \(text(Double(after.updates - before.updates) / arrival, 0)), \
        \(text(Double(after.bytes - before.bytes) / arrival / 1e6)) MB; \
        the last one \(text(arrival - time)) s after the last edit
        """)
    if memoryBefore > 0 {
        let perFollower = followerCount > 0 ? Double(memoryAfter - memoryBefore) / Double(followerCount) / 1024 : 0
        print(
            "memory of the server, MB     \(memoryBefore >> 20) before, \(memoryAfter >> 20) with the followers, "
                + "\(memoryEnd >> 20) at the end"
        )
        print("memory per follower, KB      \(text(perFollower))")
    }
    print("lost, followers behind       \(lost.count), \(behind)")
    print("lost by kill -9              \(lostByKill.count)")
    return lost.isEmpty && behind == 0 && lostByKill.isEmpty && statuses.allSatisfy { $0 == 0 } && problems.isEmpty
}

/// Raises the limit of open files, so that this process and the server can have all connections.
func allowManyFiles() {
    #if canImport(Darwin)
    let resource = RLIMIT_NOFILE
    #else
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var files = rlimit()
    getrlimit(resource, &files)
    files.rlim_cur = min(files.rlim_max, 8_192)
    setrlimit(resource, &files)
}

do {
    exit(try measure() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("BoardLoad: \(error)\n".utf8))
    exit(1)
}
