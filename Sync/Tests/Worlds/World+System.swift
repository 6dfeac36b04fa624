// The functions of the system that belong to the world: they pass on each call to the disk or the scheduler of the
// current world.

#if DEBUG
import Foundation
import SyncTestSupport
import WorldSystem

extension World {
    /// The world of the process. It has one thread.
    nonisolated(unsafe) private static var current: World?

    /// Makes this world the system of this thread.
    func beginUse() {
        if World.current == nil { Self.install() }
        World.current = self
    }

    private static func install() {
        let system = world_system(
            open: { path, flags, mode in
                guard let path, let world = World.current else { return -1 }
                guard let disk = world.disk(of: String(cString: path)) else { return world_open(path, flags, mode) }
                return disk.open(String(cString: path), flags, mode)
            },
            close: { World.current?.disk(of: $0)?.close($0) ?? world_close($0) },
            write: { descriptor, bytes, count, offset in
                guard let disk = World.current?.disk(of: descriptor) else {
                    return world_write(descriptor, bytes, count, offset)
                }
                return disk.write(descriptor, UnsafeRawBufferPointer(start: bytes, count: count), at: Int(offset))
            },
            truncate: { World.current?.disk(of: $0)?.truncate($0, Int($1)) ?? world_truncate($0, $1) },
            sync: { World.current?.disk(of: $0)?.sync($0) ?? 0 },
            rename: { old, new in
                guard let old, let new, let disk = World.current?.disk(of: String(cString: old)) else {
                    return world_rename(old, new)
                }
                return disk.rename(String(cString: old), String(cString: new))
            },
            unlink: { path in
                guard let path, let disk = World.current?.disk(of: String(cString: path)) else {
                    return world_unlink(path)
                }
                return disk.unlink(String(cString: path))
            },
            dispatch: { queue, isSerial, context, work in
                guard let work else { return }
                World.current?.scheduler.add(
                    Scheduler.Work(queue: queue, isSerial: isSerial, context: context, run: work))
            },
            random: { World.current?.fill(UnsafeMutableRawBufferPointer(start: $0, count: $1)) },
            time: { World.current?.nanoseconds ?? 0 })
        world_install(system)
    }

    private func disk(of path: String) -> Disk? {
        path.hasPrefix(folder) ? disks.last { $0.contains(path) } : nil
    }

    private func disk(of descriptor: Int32) -> Disk? { disks.last { $0.owns(descriptor) } }

    /// The nanoseconds since 1970.
    private var nanoseconds: Int {
        let (seconds, attoseconds) = scheduler.now.components
        return (1_700_000_000 + Int(seconds)) * 1_000_000_000 + Int(attoseconds) / 1_000_000_000
    }

    private func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: systemChance.next()) }
    }
}
#endif
