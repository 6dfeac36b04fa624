// A program that saves until it is killed or runs out of space. Tests of saving start it and check the remaining files.
//
//     AutosaveVictim edit FILE           changes and saves forever; prints the number of each saved change
//     AutosaveVictim die FILE STEP       kills itself before a step of the second save: open, write, sync, replace,
//                                        syncFolder
//     AutosaveVictim journal FILE        the same with a journal, which is compacted often
//     AutosaveVictim step FILE NUMBER    saves with a journal, and kills itself before the step with this number;
//                                        prints the number of each saved change
//     AutosaveVictim full FILE BYTES     can write files of this many bytes only; prints the errors of saving
//     AutosaveVictim undo FILE LOG       continues a history, undoes all, and saves both

import Foundation
import Reactive
import ReactiveCodable

struct Document: Codable {
    @Observable var number = 0
    /// The number, repeated as often as its value, up to the limit.
    @Observable var copies: [Int] = []
    @Observable var isDone = false

    mutating func advance(limit: Int = 1_000) {
        inTransaction {
            number += 1
            copies = Array(repeating: number, count: number % limit)
        }
    }
}

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

// If the tests that started it were killed, nothing else ends it.
alarm(100)

let arguments = CommandLine.arguments
let url = URL(fileURLWithPath: arguments[2])

switch arguments[1] {
case "edit":
    var document = (try? load(Document.self, from: url)) ?? Document()
    let autosave = autosave(document, to: url, schedule: .immediate)
    while true {
        document.advance()
        if document.number.isMultiple(of: 3) {
            try autosave.flush()
            say("\(document.number)")
        }
    }
case "journal":
    var document = (try? load(Document.self, from: url)) ?? Document()
    let autosave = autosave(document, to: AtomicFile(path: url.path), as: .journal, minimumJournalSize: 1_000)
    while true {
        document.advance(limit: 30)
        if document.number.isMultiple(of: 3) {
            try autosave.flush()
            say("\(document.number)")
        }
    }
case "step":
    var document = (try? load(Document.self, from: url)) ?? Document()
    let last = Int(arguments[3]) ?? 0
    let count = Observable(0)
    var file = AtomicFile(path: url.path)
    file.pieceSize = 100
    file.failure = { _ in
        count.value += 1
        // Not `==`: two threads may count at the same time.
        if count.value >= last { kill(getpid(), SIGKILL) }
        return nil
    }
    let autosave = autosave(
        document, to: file, as: .journal, minimumJournalSize: 2_000, schedule: .custom { _ in })
    while true {
        document.advance(limit: 30)
        try autosave.flush()
        say("\(document.number)")
    }
case "die":
    var document = Document()
    let saves = Observable(0)
    var file = AtomicFile(path: url.path)
    file.pieceSize = 100
    file.failure = { step in
        let name = "\(step)".prefix { $0 != "(" }
        if saves.value == 1, name == arguments[3], step != .write(offset: 0) { kill(getpid(), SIGKILL) }
        return nil
    }
    let autosave = autosave(document, to: file, schedule: .custom { _ in })
    for _ in 0..<100 { document.advance() }
    try autosave.flush()
    saves.value = 1
    document.advance()
    try autosave.flush()
case "full":
    signal(SIGXFSZ, SIG_IGN)
    let bytes = rlim_t(arguments[3]) ?? 0
    var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
    #if canImport(Darwin)
    setrlimit(RLIMIT_FSIZE, &limit)
    #else
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #endif
    let document = Document()
    let autosave = autosave(document, to: url, schedule: .custom { _ in })
    for size in [10, 100_000, 20] {
        document.copies = Array(repeating: size, count: size)
        do {
            try autosave.flush()
            say("saved")
        } catch {
            say("\(error)")
        }
    }
case "undo":
    let document = try load(Document.self, from: url)
    let logURL = URL(fileURLWithPath: arguments[3])
    let history = try History(document, log: load(from: logURL))
    let autosave = autosave(document, to: url, schedule: .custom { _ in })
    while history.canUndo { try history.undo() }
    try autosave.flush()
    try JSONEncoder().encode(history.log).write(to: logURL)
default:
    exit(2)
}
