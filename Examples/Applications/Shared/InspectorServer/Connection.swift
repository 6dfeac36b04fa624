// A connection with a browser: one request and one response, on the thread of the connection.

import Foundation

/// A request.
struct Request {
    var method: String
    /// The path without the query.
    var path: String
    /// The headers. Their names are in lower case.
    var headers: [String: String] = [:]
    var body = ""
}

/// The reason why a request is refused.
struct Refusal: Error {
    let status: String
    let reason: String

    init(_ status: String, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// A connection, used by one thread. It is closed when it is released.
final class Connection {
    static let maximumHead = 16 * 1024
    static let maximumBody = 64 * 1024

    private let socket: Int32
    private var unread: [UInt8] = []

    /// Takes over a socket.
    init(_ socket: Int32) {
        self.socket = socket
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        setLimit(SO_RCVTIMEO, seconds: 10)
        // A browser that reads nothing for this time is disconnected.
        setLimit(SO_SNDTIMEO, seconds: 30)
        #if canImport(Darwin)
        var isOn: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit {
        // Closing a socket with unread bytes discards the response. So the rest of the request is read, up to a limit.
        shutdown(socket, Int32(SHUT_WR))
        setLimit(SO_RCVTIMEO, seconds: 1)
        var rest = 16
        while rest > 0, receive(65_536) { rest -= 1 }
        close(socket)
    }

    private func setLimit(_ option: Int32, seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    // MARK: - The request

    /// Reads the request.
    func readRequest() throws(Refusal) -> Request {
        let end = try readHead()
        let lines = unread[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self)
        }
        unread.removeFirst(end + 4)
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3, !words[0].isEmpty, words[1].hasPrefix("/"), words[2].hasPrefix("HTTP/1.") else {
            throw Refusal("400 Bad Request", "the first line is not one of HTTP/1.1")
        }
        var request = Request(method: words[0], path: String(words[1].prefix { $0 != "?" }))
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let first = parts[0].first, !first.isWhitespace else {
                throw Refusal("400 Bad Request", "a line of the head is not a header")
            }
            let name = parts[0].lowercased()
            let old = request.headers.updateValue(parts[1].trimmingCharacters(in: .whitespaces), forKey: name)
            // With two of these, a proxy might use a different one.
            guard old == nil || !["host", "origin", "content-length"].contains(name) else {
                throw Refusal("400 Bad Request", "a request can have only one \(name)")
            }
        }
        try readBody(of: &request)
        return request
    }

    /// Reads until `unread` has the head, and returns its length without the empty line at its end.
    private func readHead() throws(Refusal) -> Int {
        while true {
            if let end = unread.firstRange(of: Array("\r\n\r\n".utf8)) {
                guard end.lowerBound <= Self.maximumHead else { break }
                return end.lowerBound
            }
            guard unread.count <= Self.maximumHead else { break }
            guard receive(4096) else { throw Refusal("400 Bad Request", "the request ends in its head") }
        }
        throw Refusal("431 Request Header Fields Too Large", "a head can have at most \(Self.maximumHead) bytes")
    }

    private func readBody(of request: inout Request) throws(Refusal) {
        guard request.headers["transfer-encoding"] == nil else {
            throw Refusal("400 Bad Request", "a body needs a Content-Length")
        }
        let digits = request.headers["content-length"] ?? "0"
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw Refusal("400 Bad Request", "the Content-Length is not a number")
        }
        guard let length = Int(digits), length <= Self.maximumBody else {
            throw Refusal("413 Content Too Large", "a body can have at most \(Self.maximumBody) bytes")
        }
        while unread.count < length {
            guard receive(length - unread.count) else { throw Refusal("400 Bad Request", "the request ends early") }
        }
        guard let body = String(bytes: unread[..<length], encoding: .utf8) else {
            throw Refusal("400 Bad Request", "the body is not UTF-8")
        }
        request.body = body
        unread = []
    }

    /// Appends bytes to `unread`. Returns whether there were any.
    private func receive(_ limit: Int) -> Bool {
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = -1
        repeat { count = recv(socket, &bytes, limit, 0) } while count < 0 && errno == EINTR
        guard count > 0 else { return false }
        unread += bytes[..<count]
        return true
    }

    // MARK: - The response

    /// Sends a response.
    func send(_ body: String, type: String, status: String = "200 OK") {
        if sendHead(type: type, status: status, length: body.utf8.count) { send(body) }
    }

    /// Sends the head of a response. Returns whether the browser is still there.
    func sendHead(type: String, status: String = "200 OK", length: Int?) -> Bool {
        send(
            """
            HTTP/1.1 \(status)\r
            Content-Type: \(type)\r
            \(length.map { "Content-Length: \($0)\r\n" } ?? "")\
            Cache-Control: no-store\r
            X-Content-Type-Options: nosniff\r
            Content-Security-Policy: frame-ancestors 'none'\r
            Connection: close\r
            \r

            """)
    }

    /// Sends a text. Returns whether the browser is still there.
    @discardableResult
    func send(_ text: String) -> Bool {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.send(socket, part.baseAddress, part.count, flags)
                guard count > 0 || errno == EINTR else { return false }
                rest = rest.dropFirst(max(count, 0))
            }
            return true
        }
    }

    // MARK: - Waiting

    /// Runs a task and waits for its result. If the browser closes the connection first, cancels the task and returns
    /// `nil`.
    func wait<Result: Sendable>(for work: @escaping @Sendable () async -> Result) -> Result? {
        let outcome = Outcome<Result>()
        let task = Task {
            outcome.value = await work()
            outcome.isKnown.signal()
        }
        while outcome.isKnown.wait(timeout: .now() + .milliseconds(500)) == .timedOut {
            if isClosed {
                task.cancel()
                return nil
            }
        }
        return outcome.value
    }

    /// Whether the browser has closed the connection.
    private var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }
}

/// The result of a task, for a thread that waits for it.
private final class Outcome<Value>: @unchecked Sendable {
    // Sendable because the task writes the value before it signals, and the thread reads it afterwards.
    var value: Value?
    let isKnown = DispatchSemaphore(value: 0)
}
