// The inspector over HTTP: its pages, streams and answers, who may use them, and copies that travel in time.

import Foundation
import Testing

@Suite(.serialized, .blocking) struct InspectorRequestTests {
    private let inspector = "boards/welcome/inspector"

    /// The parts of a message that tests read.
    private struct Message: Decodable {
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

        struct Travel: Decodable {
            let position: Int
            let count: Int
            let titles: [String]
        }

        let viewer: Int?
        let nodes: [Node]?
        let travel: Travel?
    }

    /// The stream of messages for one page.
    private final class Stream {
        private let connection: RawConnection
        private var text = ""

        init(_ path: String, of server: ServerProcess) throws {
            connection = try RawConnection(port: server.port)
            connection.send("GET /\(path)/events HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        }

        /// Returns the next message. Between two messages are the sizes of the chunks of HTTP.
        func next() throws -> Message {
            while true {
                if let start = text.range(of: "data: "),
                    let end = text.range(of: "\n\n", range: start.upperBound..<text.endIndex)
                {
                    let json = text[start.upperBound..<end.lowerBound]
                    text = String(text[end.upperBound...])
                    return try JSONDecoder().decode(Message.self, from: Data(json.utf8))
                }
                let piece = connection.read(until: "\n\n")
                try #require(!piece.isEmpty, "the stream ended: \(text.prefix(300))")
                text += piece
            }
        }

        /// Reads the rest, up to the end of the response.
        func readToEnd() -> String { text + connection.read() }
    }

    private func ask(_ question: String, _ path: String, of server: ServerProcess) throws -> String {
        let headers = ["Content-Type": "application/json", "Origin": String(server.address.dropLast())]
        let answer = try server.request("\(path)/ask", method: "POST", body: question, headers: headers)
        #expect(answer.status == 200)
        return answer.body
    }

    private func setDone(_ isDone: Bool, on server: ServerProcess, id: String? = nil) throws {
        #expect(try server.send(#"{"setDone": {"card": "try", "isDone": \#(isDone)}}"#, id: id).status == 200)
    }

    @Test func thePagesAreServed() throws {
        let server = try ServerProcess()
        for (path, title, travels) in [
            (inspector, "board welcome", false), ("\(inspector)/copy", "copy of the board welcome", true),
        ] {
            let page = try server.request(path)
            #expect(page.status == 200)
            #expect(page.body.contains("{\"live\":true,\"title\":\"\(title)\",\"travels\":\(travels)}"))
        }
        let board = try server.request("boards/welcome").body
        #expect(board.contains("href=\"/\(inspector)\"") && board.contains("href=\"/\(inspector)/copy\""))
    }

    @Test func theInspectorHasTheRulesOfTheBoard() throws {
        let server = try ServerProcess()
        let json = ["Content-Type": "application/json"]
        let own = json.merging(["Origin": String(server.address.dropLast())]) { $1 }
        for path in [inspector, "\(inspector)/copy"] {
            #expect(try server.request(path, headers: ["Host": "evil.example"]).status == 421)
            #expect(try server.request("\(path)/events", headers: ["Host": "evil.example"]).status == 421)
            let embedded = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "empty"]
            #expect(try server.request("\(path)/events", headers: embedded).status == 403)
            for headers in [json, json.merging(["Origin": "http://evil.example"]) { $1 }] {
                #expect(try server.request("\(path)/ask", method: "POST", body: "{}", headers: headers).status == 403)
            }
            let plain = own.merging(["Content-Type": "text/plain"]) { $1 }
            #expect(try server.request("\(path)/ask", method: "POST", body: "{}", headers: plain).status == 415)
            let long = String(repeating: " ", count: 70_000)
            #expect(try server.request("\(path)/ask", method: "POST", body: long, headers: own).status == 413)
            #expect(try ask("no JSON", path, of: server).hasPrefix("{\"error\":"))
        }
    }

    @Test func theStreamShowsAChange() throws {
        let server = try ServerProcess()
        let stream = try Stream(inspector, of: server)
        let first = try stream.next()
        let viewer = try #require(first.viewer)
        let node = try #require(first.nodes?.first { $0.name == "done of try" })
        let question = "{\"viewer\":\(viewer),\"value\":\(node.id)}"
        #expect(try ask(question, inspector, of: server) == "{\"value\":\"false\"}")
        try setDone(true, on: server)
        while try stream.next().nodes?.contains(where: { $0.id == node.id }) != true {}
        #expect(try ask(question, inspector, of: server) == "{\"value\":\"true\"}")
        // This inspector shows the board itself, so it does not travel.
        #expect(try ask("{\"viewer\":\(viewer),\"travel\":0}", inspector, of: server).hasPrefix("{\"error\":"))
    }

    @Test func identitiesOfPagesAreHidden() throws {
        let server = try ServerProcess()
        try setDone(true, on: server, id: "secret7-1")
        for path in [inspector, "\(inspector)/copy"] {
            let stream = try Stream(path, of: server)
            let first = try stream.next()
            let viewer = try #require(first.viewer)
            for node in first.nodes ?? [] {
                let answer = try ask("{\"viewer\":\(viewer),\"value\":\(node.id)}", path, of: server)
                #expect(!node.name.contains("secret7") && !answer.contains("secret7"), "\(node.name): \(answer)")
                if node.name == "last commands" { #expect(answer == "{\"value\":\"hidden\"}") }
            }
            #expect(first.nodes?.contains { $0.name == "last commands" } == true)
        }
    }

    @Test func aCopyTravelsInTimeAndTheBoardStays() throws {
        let server = try ServerProcess()
        let path = "\(inspector)/copy"
        try setDone(true, on: server, id: "ann-1")
        let stream = try Stream(path, of: server)
        let other = try Stream(path, of: server)
        let (first, otherFirst) = try (stream.next(), other.next())
        let viewer = try #require(first.viewer)
        #expect(first.travel?.position == 1 && first.travel?.count == 1)
        #expect(first.travel?.titles == ["replace /columns/0/cards/0/isDone"])
        func isDone(_ first: Message) throws -> String {
            let node = try #require(first.nodes?.first { $0.name == "done of try" }?.id)
            return try ask("{\"viewer\":\(first.viewer ?? 0),\"value\":\(node)}", path, of: server)
        }
        #expect(try isDone(first) == "{\"value\":\"true\"}")
        #expect(try ask("{\"viewer\":\(viewer),\"travel\":0}", path, of: server) == "{}")
        #expect(try isDone(first) == "{\"value\":\"false\"}")
        while try stream.next().travel?.position != 0 {}
        // Neither the copy of a different page nor the board has changed.
        #expect(try isDone(otherFirst) == "{\"value\":\"true\"}")
        #expect(try server.request("boards/welcome").body.contains("id=\"card-try\" class=\"card done\""))
        #expect(try ask("{\"viewer\":\(viewer),\"travel\":1}", path, of: server) == "{}")
        #expect(try isDone(first) == "{\"value\":\"true\"}")
        // A later change of the board does not reach the copies.
        try setDone(false, on: server)
        #expect(try isDone(first) == "{\"value\":\"true\"}")
    }

    @Test func copiesEndWithTheirStreamsAndAreLimited() throws {
        let server = try ServerProcess()
        let path = "\(inspector)/copy"
        var streams = try (0..<20).map { _ in try Stream(path, of: server) }
        let viewers = try streams.map { try #require(try $0.next().viewer) }
        #expect(try server.request("\(path)/events").status == 503)
        streams = []
        let end = ContinuousClock.now + .seconds(patience)
        for viewer in viewers {
            while try !ask("{\"viewer\":\(viewer),\"travel\":0}", path, of: server).contains("error") {
                try #require(ContinuousClock.now < end, "the copy has not ended")
            }
        }
        #expect(try Stream(path, of: server).next().viewer != nil)
    }

    @Test func theServerEndsTheStreams() throws {
        let server = try ServerProcess()
        let streams = try [inspector, "\(inspector)/copy"].map { try Stream($0, of: server) }
        for stream in streams { #expect(try stream.next().viewer != nil) }
        #expect(server.terminate() == 0)
        for stream in streams { #expect(stream.readToEnd().hasSuffix("\r\n0\r\n\r\n")) }
    }
}
