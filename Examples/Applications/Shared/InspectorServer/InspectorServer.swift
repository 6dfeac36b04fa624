// A tiny HTTP server that shows the inspector of a program to browsers on this machine.
//
//     browser ──▶ listener ──▶ a thread per connection: one request, one response, close
//
//     GET  /         the page
//     GET  /events   server-sent events, until the browser closes the connection
//     POST /ask      the answer to a question
//
// The threads use blocking sockets, so a slow browser delays only its own thread. Tasks only wait for the inspector.
//
// A page of a different site can make the browser send requests to this machine. It may not read the state, so two
// headers are checked. `Host` must be this server, because a foreign name may resolve to this machine (DNS rebinding).
// `Origin`, if there is one, must be this server's, and `Sec-Fetch-Site` must not be that of a different page: an image
// of a foreign page could otherwise start a recording.

import Foundation
package import ReactiveInspector

/// A server of one inspector. It serves until the program ends.
package struct InspectorServer: Sendable {
    /// The port that it listens on.
    package let port: UInt16
    private let listener: Int32
    private let inspector: Inspector
    private let names: Set<String>

    /// The address of the page.
    package var address: String { "http://127.0.0.1:\(port)/" }

    /// Starts a server on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - inspector: The inspector to serve.
    ///   - port: The port; 0 for a free one.
    /// - Throws: ``PortError`` if the port cannot be used.
    package init(of inspector: Inspector, port: UInt16) throws {
        (listener, self.port) = try Self.listen(port)
        self.inspector = inspector
        let names = ["127.0.0.1", "localhost"]
        // Browsers leave out the default port.
        self.names = Set(names.map { [port = self.port] in "\($0):\(port)" } + (self.port == 80 ? names : []))
        Thread.detachNewThread { [self] in acceptConnections() }
    }

    private static func listen(_ port: UInt16) throws(PortError) -> (Int32, UInt16) {
        #if canImport(Darwin)
        let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var isOn: Int32 = 1
        // Otherwise the port of a program that has just ended would be in use for a minute.
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        let hasFailed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) != 0 || Foundation.listen(listener, 16) != 0
                    || getsockname(listener, $0, &size) != 0
            }
        }
        guard !hasFailed else {
            let code = errno
            close(listener)
            throw PortError(port: port, code: code)
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private func acceptConnections() {
        while true {
            let socket = accept(listener, nil, nil)
            if socket >= 0 {
                Thread.detachNewThread { serve(Connection(socket)) }
            } else if errno != EINTR, errno != ECONNABORTED {
                // Too many files are open.
                usleep(100_000)
            }
        }
    }

    private func serve(_ connection: Connection) {
        do throws(Refusal) {
            let request = try connection.readRequest()
            try check(request)
            switch (request.method, request.path) {
            case ("GET", "/"): connection.send(inspector.page, type: "text/html; charset=utf-8")
            case ("GET", "/events"): sendEvents(to: connection)
            case ("POST", "/ask"):
                guard let answer = connection.wait(for: { await inspector.answer(to: request.body) }) else { return }
                connection.send(answer, type: "application/json")
            case (_, "/"), (_, "/events"), (_, "/ask"):
                throw Refusal("405 Method Not Allowed", "\(request.path) has no method \(request.method)")
            default: throw Refusal("404 Not Found", "there is no page at this address")
            }
        } catch {
            connection.send("\(error.reason)\n", type: "text/plain; charset=utf-8", status: error.status)
        }
    }

    private func check(_ request: Request) throws(Refusal) {
        guard let host = request.headers["host"] else { throw Refusal("400 Bad Request", "a request needs a Host") }
        guard names.contains(host.lowercased()) else {
            throw Refusal("403 Forbidden", "the inspector is at \(address) only")
        }
        if let origin = request.headers["origin"], !names.contains(where: { "http://\($0)" == origin.lowercased() }) {
            throw Refusal("403 Forbidden", "the request comes from a page of a different server")
        }
        if let site = request.headers["sec-fetch-site"], !["same-origin", "none"].contains(site.lowercased()) {
            throw Refusal("403 Forbidden", "the request comes from a page of a different server")
        }
    }

    private func sendEvents(to connection: Connection) {
        let events = inspector.events()
        guard connection.sendHead(type: "text/event-stream", length: nil) else { return }
        while let event = connection.wait(for: { () -> String? in
            var iterator = events.makeAsyncIterator()
            return await iterator.next()
        }) {
            guard let event, connection.send("data: \(event)\n\n") else { return }
        }
    }
}

/// The reason why a server cannot use a port.
package struct PortError: Error, CustomStringConvertible {
    let port: UInt16
    let code: Int32

    /// The reason, and the option that changes the port.
    package var description: String {
        let reason = code == EADDRINUSE ? "is in use" : "cannot be used: \(String(cString: strerror(code)))"
        return "port \(port) \(reason); choose a different one with --inspect, or a free one with --inspect 0"
    }
}
