// Load: pages that follow, and people who edit without a pause, against a server of its own on this machine.
//
//     BoardLoad [BOARDS] [FOLLOWERS] [EDITORS] [SECONDS]
//
// It is bounded: at most 64 boards, 2,000 followers, 64 editors and 60 seconds. In the end everything that was answered must be on the pages,
// every follower must have come as far as its board, and after `kill -9` everything must be there again. Else it exits with 1.

import Foundation

/// The number at a place among the arguments, or the default.
func argument(_ index: Int, _ name: String, _ range: ClosedRange<Int>, default value: Int) -> Int {
    guard CommandLine.arguments.count > index else { return value }
    guard let number = Int(CommandLine.arguments[index]), range.contains(number) else {
        FileHandle.standardError.write(
            Data("BoardLoad: \(name) is a number from \(range.lowerBound) to \(range.upperBound)\n".utf8))
        exit(64)
    }
    return number
}

/// A number with so many digits behind the point.
func text(_ number: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", number) }

/// How long something took.
func seconds(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant = .now) -> Double {
    (end - start) / .seconds(1)
}

func measure() throws -> Bool {
    let boards = (0..<argument(1, "BOARDS", 1...64, default: 1)).map { "load-\($0)" }
    let followerCount = argument(2, "FOLLOWERS", 0...2_000, default: 200)
    let editorCount = argument(3, "EDITORS", 1...64, default: 8)
    let duration = argument(4, "SECONDS", 1...60, default: 10)

    allowManyFiles()
    let server = try Server()
    for board in boards { _ = try server.page(of: board) }
    let memoryBefore = server.memory
    let connecting = ContinuousClock.now
    let followers = try Followers(followerCount, of: boards, port: server.port)
    try followers.waitUntilConnected()
    let connected = seconds(from: connecting)
    followers.settle()
    let memoryAfter = server.memory
    let editors = try (0..<editorCount).map { try Editor("e\($0)", on: boards[$0 % boards.count], port: server.port) }
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
        group.wait()
    }
    let time = seconds(from: start)
    followers.settle()
    let after = followers.received
    let arrival = max(time, seconds(from: start, to: after.last))
    let latencies = editors.flatMap(\.latencies).sorted()
    for problem in editors.compactMap(\.problem) { print("problem: \(problem)") }

    func pages() throws -> [String: String] {
        Dictionary(uniqueKeysWithValues: try boards.map { ($0, try server.page(of: $0)) })
    }
    func losses(on pages: [String: String]) -> [String] {
        editors.enumerated().flatMap { $1.losses(on: pages[boards[$0 % boards.count]] ?? "") }
    }
    let shown = try pages()
    let lost = losses(on: shown)
    let behind = followers.behind(shown)
    let memoryEnd = server.memory
    followers.end()
    try server.killAndRestart()
    let lostByKill = losses(on: try pages())
    let status = server.terminate()

    print("boards, followers, editors   \(boards.count), \(followerCount), \(editorCount)")
    print("edits per second, on disk    \(text(Double(latencies.count) / time, 0))")
    print(
        "answered after, ms           \(text(latencies[latencies.count / 2] * 1e3)) in the middle, \(text(latencies[latencies.count * 99 / 100] * 1e3)) for 99 of 100"
    )
    print(
        """
        followers connected in, s    \(text(connected))
        updates delivered per second \(text(Double(after.updates - before.updates) / arrival, 0)), \
        \(text(Double(after.bytes - before.bytes) / arrival / 1e6)) MB; the last one \(text(arrival - time)) s after the last edit
        """)
    if memoryBefore > 0 {
        let perFollower = followerCount > 0 ? Double(memoryAfter - memoryBefore) / Double(followerCount) / 1024 : 0
        print(
            "memory of the server, MB     \(memoryBefore >> 20) before, \(memoryAfter >> 20) with the followers, \(memoryEnd >> 20) at the end"
        )
        print("memory per follower, KB      \(text(perFollower))")
    }
    print("lost, followers behind       \(lost.count), \(behind)")
    print("lost by kill -9              \(lostByKill.count)")
    return lost.isEmpty && behind == 0 && lostByKill.isEmpty && status == 0 && editors.allSatisfy { $0.problem == nil }
}

/// Lets this process and the server have as many connections as are asked for.
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
