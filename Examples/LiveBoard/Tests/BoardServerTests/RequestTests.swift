// Answers of the server to clients that are not its own pages.

import Foundation
import Testing

@Suite(.serialized, .blocking) struct RequestTests {
    private let command = #"{"setDone": {"card": "try", "isDone": true}}"#

    @Test func foreignPagesAreRefused() throws {
        let server = try ServerProcess()
        let path = "boards/welcome/commands"
        let json = ["Content-Type": "application/json"]
        for origin in ["http://evil.example", "null", server.address.replacing("127.0.0.1", with: "localhost")] {
            let answer = try server.request(
                path, method: "POST", body: command, headers: json.merging(["Origin": origin]) { $1 })
            #expect(answer.status == 403, "\(origin)")
        }
        #expect(try server.request(path, method: "POST", body: command, headers: json).status == 403)
        #expect(try server.request("boards/welcome", headers: ["Host": "evil.example"]).status == 421)
        let plain = ["Content-Type": "text/plain", "Origin": String(server.address.dropLast())]
        #expect(try server.request(path, method: "POST", body: command, headers: plain).status == 415)
        #expect(try server.send(command).status == 200)
    }

    @Test func responsesMayNotBeEmbeddedInForeignPages() throws {
        let server = try ServerProcess()
        func status(_ site: String, _ destination: String) throws -> Int {
            try server.request(
                "boards/a", headers: ["Sec-Fetch-Site": site, "Sec-Fetch-Dest": destination]
            ).status
        }
        #expect(try status("cross-site", "image") == 403)
        #expect(try status("same-site", "iframe") == 403)
        #expect(!FileManager.default.fileExists(atPath: server.folder.appending(path: "a.json").path))
        // A link from a foreign page; and requests of the page itself.
        #expect(try status("cross-site", "document") == 200)
        #expect(try status("same-origin", "empty") == 200)
        #expect(try status("none", "document") == 200)
    }

    @Test func aRepeatedCommandRunsOnce() throws {
        let server = try ServerProcess()
        #expect(try server.send(command, id: "ann-1").status == 200)
        #expect(try server.send(#"{"setDone": {"card": "try", "isDone": false}}"#, id: "bob-1").status == 200)
        #expect(try server.send(command, id: "ann-1").status == 200)
        // The next server recognises it, too.
        server.kill()
        try server.restart()
        #expect(try server.send(command, id: "ann-1").status == 200)
        #expect(try server.request("boards/welcome").body.contains("id=\"card-try\" class=\"card\""))
        #expect(try server.send(command, id: "no identity").status == 400)
    }

    @Test func oversizedAndInvalidCommandsAreRefused() throws {
        let server = try ServerProcess()
        // Keeps the board loaded: a command that arrives while an idle board is unloaded is asked to repeat.
        let page = try RawConnection(port: server.port)
        defer { withExtendedLifetime(page) {} }
        page.send("GET /boards/welcome/events HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        #expect(page.read(until: "event: whole").contains("200 OK"))
        let title = String(repeating: "x", count: 70_000)
        #expect(try server.send(#"{"addCard": {"card": "a", "column": "doing", "title": "\#(title)"}}"#).status == 413)
        #expect(
            try server.send(#"{"addCard": {"card": "a", "column": "doing", "title": "\#(title.prefix(300))"}}"#).status
                == 422)
        for body in ["", "{", "[]", "{\"nothing\": {}}", #"{"removeCard": {"card": "../../etc"}}"#, "\u{0}"] {
            #expect(try server.send(body).status == 400, "\(body)")
        }
        #expect(try server.send(#"{"setDone": {"card": "nobody", "isDone": true}}"#).status == 409)
        for name in ["%2e%2e%2fsecret", "a_b", String(repeating: "a", count: 41)] {
            #expect(try server.request("boards/\(name)").status == 404, "\(name)")
        }
        #expect(try server.send(command).status == 200)
    }

    @Test func theServerEndsOnRequest() throws {
        let server = try ServerProcess()
        let page = try RawConnection(port: server.port)
        page.send("GET /boards/welcome/events HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        #expect(page.read(until: "event: whole").contains("200 OK"))
        #expect(try server.send(command).status == 200)
        #expect(server.terminate() == 0)
        // The server has ended the stream instead of breaking the connection.
        #expect(page.read().hasSuffix("\r\n0\r\n\r\n"))
    }

    @Test func theServerEndsAlthoughAFollowerDoesNotRead() throws {
        let server = try ServerProcess()
        let note = String(repeating: "x", count: 100_000)
        let cards = (0..<100).map { #"{"id": "c\#($0)", "title": "t", "note": "\#(note)", "isDone": false}"# }
        let board =
            #"{"title": "B", "columns": [{"id": "a", "title": "A", "cards": [\#(cards.joined(separator: ","))]}]}"#
        try Data(board.utf8).write(to: server.folder.appending(path: "big.json"))
        let page = try RawConnection(port: server.port)
        page.send("GET /boards/big/events HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        #expect(page.read(until: "event: whole").contains("200 OK"))
        // The pending data exceed all buffers of the connection.
        #expect(try server.send(#"{"setDone": {"card": "c1", "isDone": true}}"#, to: "big").status == 200)
        #expect(server.terminate() == 0)
        withExtendedLifetime(page) {}
    }

    @Test func theServerReportsChangesThatItCouldNotSave() throws {
        let server = try ServerProcess()
        #expect(try server.send(command).status == 200)
        try FileManager.default.removeItem(at: server.folder)
        #expect(try server.send(#"{"setDone": {"card": "try", "isDone": false}}"#).status == 503)
        #expect(server.terminate() == 1)
    }

    @Test func aTakenPortAndAWrongArgumentAreExplained() throws {
        let server = try ServerProcess()
        let folder = server.folder.appending(path: "other").path
        let taken = try ServerProcess.complaint(of: "--port", "\(server.port)", "--folder", folder)
        #expect(taken.status == 1 && taken.text.hasPrefix("LiveBoard: port \(server.port) is taken"))
        let wrong = try ServerProcess.complaint(of: "--port", "http")
        #expect(wrong.status == 64 && wrong.text.contains("a number from 0 to 65535"))
        let name = try ServerProcess.complaint(of: "--name", "http://board.example")
        #expect(name.status == 64 && name.text.contains("http://board.example is not a name"))
    }

    /// Two servers on one folder would overwrite each other's boards.
    @Test func aSecondServerOnTheSameFolderIsRefused() throws {
        let server = try ServerProcess()
        #expect(try server.send(command).status == 200)
        for path in [server.folder.path, server.folder.path + "/../" + server.folder.lastPathComponent] {
            let second = try ServerProcess.complaint(of: "--port", "0", "--folder", path)
            #expect(second.status == 1)
            #expect(
                second.text.contains("another LiveBoard serves the boards in"))
        }
        // A killed server releases the folder; and its temporary files are removed.
        server.kill()
        let left = server.folder.appending(path: ".other.json.saving")
        try Data("half".utf8).write(to: left)
        try server.restart()
        #expect(!FileManager.default.fileExists(atPath: left.path))
        #expect(try server.request("boards/welcome").body.contains("id=\"card-try\" class=\"card done\""))
    }

    @Test func theWholeHostIsCompared() throws {
        let server = try ServerProcess(names: ["Board.Example", "2001:DB8:0:0::7"])
        let port = server.port
        let own = [
            "localhost", "LOCALHOST:\(port)", "localhost.:\(port)", "127.0.0.1", "[::1]:\(port)", "[0:0:0:0:0:0:0:1]",
            "localhost:1",
            "board.example", "BOARD.example.:443", "[2001:db8::7]",
        ]
        for host in own {
            #expect(try server.request("boards/welcome", headers: ["Host": host]).status == 200, "\(host)")
        }
        let foreign = [
            "localhost.evil.com", "evil.com", "localhost.evil.com:\(port)", "evil.localhost", "xlocalhost",
            "127.0.0.1.evil.com",
            "127.0.0.11", "[::2]", "::1", "localhost..evil.com",
        ]
        for host in foreign {
            let answer = try server.request("boards/welcome", headers: ["Host": host])
            #expect([421, 400].contains(answer.status), "\(host)")
        }
        let malformed = [
            "[::1].evil.com", "[::1]evil.com", "[::1", "[localhost]", "[::1]:", "[::1]:80:80", "localhost:80.evil.com",
            "localhost:",
            "localhost:x", "localhost:65536", "localhost:+80", "localhost..", ".localhost", ".", "", "user@localhost",
            "localhost, evil.com", "localhost/", "localho\u{17F}t", "[::1%25lo]",
        ]
        for host in malformed {
            #expect(try server.request("boards/welcome", headers: ["Host": host]).status == 400, "\(host)")
        }
    }

    @Test func aRequestHasOneHostAndOneOrigin() throws {
        let server = try ServerProcess()
        let own = "127.0.0.1:\(server.port)"
        func status(_ lines: String...) throws -> Int? {
            let connection = try RawConnection(port: server.port)
            connection.send(
                "GET /boards/welcome HTTP/1.1\r\n\((lines + ["Connection: close"]).map { "\($0)\r\n" }.joined())\r\n")
            return Int(connection.read().split(separator: " ").dropFirst().first ?? "")
        }
        #expect(try status("Host: \(own)") == 200)
        #expect(try status("Host: \(own)", "Host: evil.example") == 400)
        #expect(try status("Host: evil.example", "hOST: \(own)") == 400)
        #expect(try status("Host: \(own)", "Host: \(own)") == 400)
        #expect(try status() == 400)
        let connection = try RawConnection(port: server.port)
        connection.send(
            """
            POST /boards/welcome/commands HTTP/1.1\r\nHost: \(own)\r\nOrigin: http://\(own)\r\n\
            Origin: http://evil.example\r\nContent-Type: application/json\r\n\
            Content-Length: \(command.utf8.count)\r\nConnection: close\r\n\r\n\(command)
            """)
        #expect(connection.read().hasPrefix("HTTP/1.1 403"))
    }

    @Test func errorsAreShownAsAPage() throws {
        let server = try ServerProcess()
        let accept = ["Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"]
        try Data("{".utf8).write(to: server.folder.appending(path: "broken.json"))
        let expected = [
            ("boards/a_b", 404, "The name of a board must be 1 to 40 letters, digits and hyphens."),
            ("boards/%3Cscript%3E", 404, "The name of a board must be"),
            ("boards/a_b/inspector", 404, "The name of a board must be"),
            ("nothing", 404, "There is no page at this address."),
            ("boards/", 404, "There is no page at this address."),
            ("boards/welcome/nothing", 404, "There is no page at this address."),
            ("boards/broken", 500, "The board cannot be opened; the server&#39;s log has the reason."),
        ]
        for (path, status, text) in expected {
            let page = try server.request(path, headers: accept)
            #expect(page.status == status && page.body.hasPrefix("<!doctype html>"), "\(path): \(page)")
            #expect(page.body.contains("<p>\(text)") && !page.body.contains("<script>"), "\(path): \(page)")
            // Scripts get errors in a form that scripts can read.
            let json = try server.request(path)
            #expect(json.status == status && json.body.hasPrefix(#"{"reason":""#), "\(path): \(json)")
        }
        let stranger = try server.request("boards/a", headers: accept.merging(["Host": "Board.example:80"]) { $1 })
        #expect(stranger.status == 421 && stranger.body.contains("start it with --name board.example."))
        #expect(try server.request("boards/welcome", method: "HEAD").status == 200)
        #expect(try server.request("boards/a_b", method: "HEAD").status == 404)
        #expect(try server.request("boards/welcome/events", method: "HEAD").status == 200)
    }

    @Test func aPageThatReconnectsGetsTheMissedChanges() throws {
        let server = try ServerProcess()
        let first = try server.events()
        let position = try #require(first.split(separator: "id: ").last?.prefix { $0 != "\n" })
        #expect(try server.send(command).status == 200)
        let missed = try server.events(after: String(position))
        #expect(missed.contains("event: update") && missed.contains("card-try") && !missed.contains("card-drag"))
        for stranger in ["other-1", "nonsense", "\(position.split(separator: "-")[0])-999999", "-1"] {
            let all = try server.events(after: stranger)
            #expect(all.contains("event: whole"), "\(stranger)")
        }
    }

    @Test func aKilledServerHasSavedAcknowledgedCommands() throws {
        let server = try ServerProcess()
        for number in 0..<20 {
            let answer = try server.send(
                #"{"addCard": {"card": "n\#(number)", "column": "doing", "title": "n\#(number)"}}"#)
            #expect(answer.status == 200)
        }
        server.kill()
        try server.restart()
        let page = try server.request("boards/welcome").body
        for number in 0..<20 { #expect(page.contains("card-n\(number)\"")) }
    }
}
