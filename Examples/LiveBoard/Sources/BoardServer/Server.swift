// The server: the boards of a folder or a database over HTTP, until it is told to stop.

import BoardCore
import Foundation
import Hummingbird
import Logging
import NIOCore
import ReactivePostgres
import ServiceLifecycle

/// How a server is run.
package struct ServerOptions: Sendable {
    /// The address to listen on. Only this machine can reach the default.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 for a free one.
    package var port = 8080
    /// Where the boards are saved.
    package var folder = URL(fileURLWithPath: "boards")
    /// The database that keeps the boards instead of the folder, as `PostgresLog` understands it.
    package var database: String?
    /// Names under which browsers may call the server, besides those of this machine and `host`.
    package var names: Set<HostName> = []

    /// Creates the defaults.
    package init() {}

    fileprivate var allNames: Set<HostName> {
        names.union(["localhost", "127.0.0.1", "::1", host].compactMap(HostName.init(option:)))
    }
}

/// Somebody else listens there.
package struct PortIsTaken: Error, CustomStringConvertible {
    let port: Int

    /// What to do about it.
    package var description: String {
        "port \(port) is taken, perhaps by another LiveBoard; stop it, or choose a different port with --port"
    }
}

/// The server had to stop before everything was on the disk.
package struct NotSaved: Error, CustomStringConvertible {
    let problems: [String]

    /// Which boards, and why.
    package var description: String { "not saved: " + problems.joined(separator: "; ") }
}

/// The boards of a database.
///
/// - Throws: If the database does not know the role or the password, or refuses the tables. One that cannot be reached is
///   asked again whenever somebody opens a board.
private func boards(of database: String) async throws -> Boards {
    var options = PostgresLog.Options()
    // Whoever opens a board or sends a command waits.
    options.connectTimeout = .seconds(3)
    options.responseTimeout = .seconds(5)
    options.pollInterval = .seconds(1)
    let log: @Sendable (String) async throws -> PostgresLog = { [options] name in
        // Other programs may keep documents of their own there.
        try await PostgresLog(database, document: "LiveBoard/\(name)", options: options)
    }
    _ = try await log("")
    return Boards(log: log)
}

/// Serves boards until the process gets SIGTERM or SIGINT; then lets the pages go, and saves.
///
/// - Parameters:
///   - options: How.
///   - onReady: Gets the address when the first request may come.
/// - Throws: Why it could not start, such as ``FolderIsTaken`` and ``PortIsTaken``, or what could not be saved in the
///   end.
package func serveBoards(_ options: ServerOptions, onReady: @escaping @Sendable (String) -> Void) async throws {
    let boards =
        if let database = options.database { try await boards(of: database) } else { try Boards(in: options.folder) }
    var logger = Logger(label: "LiveBoard")
    logger.logLevel = .warning
    let application = Application(
        router: router(for: boards, names: options.allNames),
        // A connection that sends nothing and gets nothing for so long is closed. Pages that follow get a sign of life more often.
        server: .http1(configuration: .init(idleTimeout: .seconds(60))),
        // All pages come back at once after a restart. Who finds the queue full waits for a second and more.
        configuration: ApplicationConfiguration(
            address: .hostname(options.host, port: options.port), backlog: Limits.pages),
        services: [Heartbeat(boards: boards)],
        onServerRunning: { channel in
            let host = options.host.contains(":") ? "[\(options.host)]" : options.host
            onReady("http://\(host):\(channel.localAddress?.port ?? options.port)/")
        },
        logger: logger)
    var services = ServiceGroupConfiguration(
        services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    // A page that does not read would hold up the end for ever.
    services.maximumGracefulShutdownDuration = .seconds(5)
    var failure: (any Error)?
    do {
        try await ServiceGroup(configuration: services).run()
    } catch is CancellationError {
        // Those who did not let go were cut off.
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
        failure = PortIsTaken(port: options.port)
    } catch {
        failure = error
    }
    let problems = await boards.close()
    if let failure { throw failure }
    guard problems.isEmpty else { throw NotSaved(problems: problems) }
}
