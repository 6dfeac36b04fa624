// What a power failure leaves of a disk.
//
// All that was synchronised stays. Of the rest, the seed decides:
//
//     names      the changes up to some point in time stay; or each change is kept or lost on its own
//     a file     its writes stay up to a byte, perhaps in the middle of one. The file may have grown without having got
//                the bytes after that: they are zeros then

#if DEBUG
import SyncTestSupport

extension Disk.Books {
    /// The files after a power failure.
    ///
    /// - Parameter isOrdered: Whether the bytes of a file that are kept are those that were written first.
    func afterPowerFailure(isOrdered: Bool, _ random: inout some RandomNumberGenerator) -> Disk.Books {
        var result = Disk.Books()
        result.fileCount = fileCount
        result.names = namesAfterPowerFailure(&random)
        for file in Set(result.names.values).sorted() {
            guard let contents = files[file] else { continue }
            let left = contents.afterPowerFailure(isOrdered: isOrdered, &random)
            result.files[file] = Disk.File(cached: left, durable: left)
        }
        result.durableNames = result.names
        return result
    }

    private func namesAfterPowerFailure(_ random: inout some RandomNumberGenerator) -> [String: Int] {
        var names = durableNames
        let isOrdered = Int.random(in: 0..<3, using: &random) > 0
        let count = Int.random(in: 0...changes.count, using: &random)
        for (index, parts) in changes.enumerated() {
            guard isOrdered ? index < count : Bool.random(using: &random) else { continue }
            for (name, file) in parts { names[name] = file }
        }
        return names
    }
}

extension Disk.File {
    fileprivate func afterPowerFailure(isOrdered: Bool, _ random: inout some RandomNumberGenerator) -> [UInt8] {
        var left = durable
        let count = Int.random(in: 0...writes.count, using: &random)
        for (index, write) in writes.enumerated() {
            if !isOrdered, case .bytes(let bytes, let offset) = write {
                for start in stride(from: 0, to: bytes.count, by: 64) where Bool.random(using: &random) {
                    let part = Array(bytes[start..<min(start + 64, bytes.count)])
                    Disk.Write.bytes(part, at: offset + start).apply(to: &left)
                }
            } else if index < count {
                write.apply(to: &left)
            } else if index == count, case .bytes(let bytes, let offset) = write {
                let keptCount = Int.random(in: 0...bytes.count, using: &random)
                var torn = Array(bytes.prefix(keptCount))
                if Bool.random(using: &random) { torn += [UInt8](repeating: 0, count: bytes.count - keptCount) }
                Disk.Write.bytes(torn, at: offset).apply(to: &left)
            }
        }
        return left
    }
}
#endif
