// A client with raw sockets, for requests that no correct browser sends.

import Foundation
import InspectorServer
import ProgramSupport
import Testing

/// A connection to a server on this machine.
final class Client {
    private let socket: Int32
    private let port: UInt16
    private var unread = Data()

    init(port: UInt16) throws {
        self.port = port
        // The other end may be closed during a write.
        signal(SIGPIPE, SIG_IGN)
        #if canImport(Darwin)
        socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #else
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0, "no connection to port \(port)")
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// Sends bytes. The server may refuse before it has read all of them.
    func send(_ bytes: some Sequence<UInt8>) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends nothing more.
    func endSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Sends the head of a request. A header with the value `nil` is left out.
    func send(_ line: String, headers: [String: String?] = [:], body: String = "") {
        var all: [String: String?] = ["Host": "127.0.0.1:\(port)"]
        if !body.isEmpty { all["Content-Length"] = "\(body.utf8.count)" }
        let lines = all.merging(headers) { $1 }.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
        send("\(line) HTTP/1.1\r\n\(lines.joined())\r\n\(body)".utf8)
    }

    /// Returns everything up to a text, or up to the end of the response.
    func read(until end: String? = nil) -> String {
        while true {
            if let range = end.flatMap({ unread.range(of: Data($0.utf8)) }) {
                defer { unread = Data(unread[range.upperBound...]) }
                return String(decoding: unread[..<range.upperBound], as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = Foundation.read(socket, &bytes, bytes.count)
            guard count > 0 else {
                defer { unread = Data() }
                return String(decoding: unread, as: UTF8.self)
            }
            unread += bytes[..<count]
        }
    }

    /// Returns the next event of a stream.
    func event() throws -> Message {
        let text = read(until: "\n\n")
        try #require(text.hasPrefix("data: {") && text.hasSuffix("}\n\n"), "\(text.prefix(300))")
        return try JSONDecoder().decode(Message.self, from: Data(text.dropFirst("data: ".count).utf8))
    }

    /// Opens the stream of events and reads the head of the response.
    static func stream(port: UInt16) throws -> Client {
        let client = try Client(port: port)
        client.send("GET /events")
        let head = client.read(until: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.contains("\r\nContent-Type: text/event-stream\r\n"))
        return client
    }

    /// Sends a request.
    ///
    /// - Returns: The status and the body.
    static func request(
        _ line: String, port: UInt16, headers: [String: String?] = [:], body: String = ""
    ) throws -> (status: Int, body: String) {
        let client = try Client(port: port)
        client.send(line, headers: headers, body: body)
        return client.response()
    }

    /// Returns the status and the body of the response.
    func response() -> (status: Int, body: String) {
        let text = read()
        let words = text.prefix(40).split(separator: " ")
        let body = text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) }
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0, body ?? "")
    }

    /// Asks a question, and returns the answer.
    static func ask(_ question: String, port: UInt16) throws -> String {
        try request("POST /ask", port: port, headers: ["Origin": "http://127.0.0.1:\(port)"], body: question).body
    }
}

/// The parts of a message that tests read.
struct Message: Decodable {
    /// A node: its id, kind and name; the rest is skipped.
    struct Node: Decodable {
        let id: Int
        let name: String

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            id = try container.decode(Int.self)
            _ = try container.decode(Int.self)
            name = try container.decode(String.self)
        }
    }

    /// The position in the history.
    struct Travel: Decodable, Equatable {
        let position: Int
        let count: Int
    }

    let viewer: Int?
    let nodes: [Node]?
    let travel: Travel?
}
