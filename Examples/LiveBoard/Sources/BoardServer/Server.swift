// The server: serves the boards of a folder or a database over HTTP until it is stopped.

import BoardCore
import Foundation
import Hummingbird
import Logging
import NIOCore
import Reactive
import ReactivePostgres
import ServiceLifecycle

/// The options of a server.
package struct ServerOptions: Sendable {
    /// The address to listen on. Only this machine can reach the default.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 for a free one.
    package var port = 8080
    /// The folder for the boards.
    package var folder = URL(fileURLWithPath: "boards")
    /// The connection string of a database for the boards, in the form that `PostgresLog` accepts. `nil` for a folder.
    package var database: String?
    /// Names under which browsers may call the server, besides those of this machine and `host`.
    package var names: Set<HostName> = []

    /// Creates default options.
    package init() {}

    fileprivate var allNames: Set<HostName> {
        names.union(["localhost", "127.0.0.1", "::1", host].compactMap(HostName.init(option:)))
    }
}

/// Another program listens on the port.
package struct PortIsTaken: Error, CustomStringConvertible {
    let port: Int

    /// The message for the user.
    package var description: String {
        "port \(port) is taken, perhaps by another LiveBoard; stop it, or choose a different port with --port"
    }
}

/// The server stopped before everything was saved.
package struct NotSaved: Error, CustomStringConvertible {
    let problems: [String]

    /// The boards that were not saved, with the reasons.
    package var description: String { "not saved: " + problems.joined(separator: "; ") }
}

/// Returns the boards of a database.
///
/// - Throws: If the database refuses the role, the password or the tables. If the database cannot be reached, the
///   server tries again when a board is opened.
private func boards(of database: String) async throws -> Boards {
    var options = PostgresLog.Options()
    // Users who open a board or send a command wait for the connection.
    options.connectTimeout = .seconds(3)
    options.responseTimeout = .seconds(5)
    options.pollInterval = .seconds(1)
    let log: @Sendable (String) async throws -> PostgresLog = { [options] name in
        // A prefix, because other programs may keep documents in the same database.
        try await PostgresLog(database, document: "LiveBoard/\(name)", options: options)
    }
    _ = try await log("")
    return Boards(log: log)
}

/// Serves boards until the process receives SIGTERM or SIGINT; then ends the connections of the pages and saves.
///
/// - Parameters:
///   - options: The options.
///   - onReady: Called with the address when the server accepts requests.
/// - Throws: The reason why it could not start, such as ``FolderIsTaken`` or ``PortIsTaken``, or ``NotSaved``.
package func serveBoards(_ options: ServerOptions, onReady: @escaping @Sendable (String) -> Void) async throws {
    let boards =
        if let database = options.database { try await boards(of: database) } else { try Boards(in: options.folder) }
    Diagnostics.describe = describeWithoutSecrets
    var logger = Logger(label: "LiveBoard")
    logger.logLevel = .warning
    let application = Application(
        router: router(for: boards, names: options.allNames),
        // A connection without traffic for this time is closed. Pages that follow get a heartbeat more often.
        server: .http1(configuration: .init(idleTimeout: .seconds(60))),
        // After a restart all pages reconnect at the same time. A client that finds the queue full waits a second or
        // more.
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
    // A page that does not read would delay the end for ever.
    services.maximumGracefulShutdownDuration = .seconds(5)
    var failure: (any Error)?
    do {
        try await ServiceGroup(configuration: services).run()
    } catch is CancellationError {
        // Clients that did not close their connection were disconnected.
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
        failure = PortIsTaken(port: options.port)
    } catch {
        failure = error
    }
    let problems = await boards.close()
    if let failure { throw failure }
    guard problems.isEmpty else { throw NotSaved(problems: problems) }
}
