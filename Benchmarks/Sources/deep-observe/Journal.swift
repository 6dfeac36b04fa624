// One write to a field until it is on the disk, by a journal, compared with the minimum that a disk needs: appending
// 100 bytes and waiting for them. Both are measured in real time, in turn, on files of the same folder.

import Foundation
import Reactive
import ReactiveCodable

/// The table `journal`.
enum Journal {
    static func print(_ sizes: [Int]) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("deep-observe-\(getpid())")
        try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var table = ScalingTable(sizes)
        for size in sizes { measure(size, in: folder, &table) }
        table.print("journal")
    }

    private static func measure(_ size: Int, in folder: URL, _ table: inout ScalingTable) {
        let list = ItemList(size)
        let items = list.items
        let raw = folder.appendingPathComponent("raw")
        try! Data().write(to: raw)
        let file = try! FileHandle(forWritingTo: raw)
        let bytes = Data(repeating: UInt8(ascii: "x"), count: 100)
        let url = folder.appendingPathComponent("list-\(size).json")
        let autosave = autosave(list, to: url, as: .journal)
        defer { autosave.cancel() }
        let beginning = BenchmarkClock.wall.now
        try! autosave.flush()
        table.set("the first save, of the whole document", size, text(BenchmarkClock.wall.now - beginning))
        var samples: (disk: [Double], journal: [Double]) = ([], [])
        for number in 0..<200 {
            var start = BenchmarkClock.wall.now
            try! file.write(contentsOf: bytes)
            try! file.synchronize()
            samples.disk.append(BenchmarkClock.wall.now - start)
            start = BenchmarkClock.wall.now
            items[index(number, size)].title = "saved \(number)"
            try! autosave.flush()
            samples.journal.append(BenchmarkClock.wall.now - start)
        }
        let (disk, journal) = (Samples(samples.disk), Samples(samples.journal))
        table.set("append 100 bytes, `fsync`", size, disk)
        table.set("write a field, `flush()`", size, journal)
        table.set(
            "ratio", size, String(format: "%.2f / %.2f", journal.minimum / disk.minimum, journal.median / disk.median))
    }
}
