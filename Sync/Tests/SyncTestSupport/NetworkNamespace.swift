// A network namespace: a second machine on this one, as far as the network is concerned.
//
//     this machine, `address` ──veth── a namespace with programs of its own
//
// Setting the link down is a partition: packets are lost, and no connection is closed. It needs Linux, `ip`, and the
// right to administer the network. A watchdog (sh) creates namespace and link. It removes both when the test process
// ends for any reason, because then the pipe from it is closed.

import Foundation

/// A network namespace with a link to this machine, which is removed with the test process at the latest.
package final class NetworkNamespace: Sendable {
    /// Whether namespaces can be created here, for the trait `.enabled(if:)`. Prints a message once if they cannot.
    package static let areAvailable: Bool = {
        do {
            try NetworkNamespace().remove()
            return true
        } catch {
            print("network namespaces cannot be created here: tests of a partition are skipped (\(error))")
            return false
        }
    }()

    private static let count = Locked(0)

    /// The address of this machine at its end of the link.
    package let address: String

    private let name: String
    private let link: String
    private let watchdog: Process
    private let pipe: Pipe

    /// Creates a namespace and a link.
    ///
    /// - Throws: ``PostgresServer/Failure`` with the report of `ip`.
    package init() throws {
        let process = Int(ProcessInfo.processInfo.processIdentifier)
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        name = "sync-\(process)-\(number)"
        // At most 15 bytes.
        link = "sync\(process % 1_000_000)-\(number)"
        // Four addresses per namespace, of those that are reserved for network tests.
        let network = "198.\(18 + process / 256 % 2).\(process % 256)"
        address = "\(network).\(number * 4 % 256 + 1)"
        let other = "\(network).\(number * 4 % 256 + 2)"
        let script = """
            name=$1; link=$2; address=$3; other=$4
            trap '' INT
            trap '{ ip link del "$link"; ip netns del "$name"; } > /dev/null 2>&1' EXIT
            set -e
            exec 2>&1
            ip netns add "$name"
            ip link add "$link" type veth peer name eth0 netns "$name"
            ip addr add "$address/30" dev "$link"
            ip -n "$name" addr add "$other/30" dev eth0
            ip -n "$name" link set lo up
            ip -n "$name" link set eth0 up
            ip link set "$link" up
            echo ready
            exec > /dev/null 2>&1
            read -r word
            """
        (watchdog, pipe) = (Process(), Pipe())
        let output = Pipe()
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        watchdog.executableURL = URL(fileURLWithPath: "/bin/sh")
        watchdog.arguments = ["-c", script, "watchdog", name, link, address, other]
        watchdog.standardInput = pipe
        watchdog.standardOutput = output
        watchdog.standardError = FileHandle.nullDevice
        try watchdog.run()
        let report = try output.fileHandleForReading.readToEnd() ?? Data()
        let text = String(decoding: report, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text == "ready" else {
            remove()
            throw PostgresServer.Failure(text)
        }
    }

    /// The command that runs a command in the namespace, as the same process.
    package func running(_ command: [String]) -> [String] { ["/usr/bin/env", "ip", "netns", "exec", name] + command }

    /// Connects the namespace with this machine, or disconnects it.
    package func setLink(isUp: Bool) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["ip", "link", "set", link, isUp ? "up" : "down"]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw PostgresServer.Failure("the link cannot be set") }
    }

    /// Removes namespace and link. Programs that still run in the namespace stay disconnected.
    package func remove() {
        try? pipe.fileHandleForWriting.close()
        watchdog.waitUntilExit()
    }
}
