// What the server answers to those who are no page of its own.

import Foundation
import Testing

@Suite(.serialized) struct RequestTests {
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

    @Test func whatIsReadMayNotBePartOfAForeignPage() throws {
        let server = try ServerProcess()
        func status(_ site: String, _ destination: String) throws -> Int {
            try server.request(
                "boards/a", headers: ["Sec-Fetch-Site": site, "Sec-Fetch-Dest": destination]
            ).status
        }
        #expect(try status("cross-site", "image") == 403)
        #expect(try status("same-site", "iframe") == 403)
        #expect(!FileManager.default.fileExists(atPath: server.folder.appending(path: "a.json").path))
        // A link leads here; and what the page itself asks for.
        #expect(try status("cross-site", "document") == 200)
        #expect(try status("same-origin", "empty") == 200)
        #expect(try status("none", "document") == 200)
    }

    @Test func aCommandThatIsSentAgainIsCarriedOutOnce() throws {
        let server = try ServerProcess()
        #expect(try server.send(command, id: "one").status == 200)
        #expect(try server.send(#"{"setDone": {"card": "try", "isDone": false}}"#, id: "two").status == 200)
        #expect(try server.send(command, id: "one").status == 200)
        #expect(try server.request("boards/welcome").body.contains("id=\"card-try\" class=\"card\""))
        #expect(try server.send(command, id: "no identity").status == 400)
    }

    @Test func whatIsTooLargeOrNoCommandIsRefused() throws {
        let server = try ServerProcess()
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

    @Test func itEndsWhenAskedTo() throws {
        let server = try ServerProcess()
        let page = try RawConnection(port: server.port)
        page.send("GET /boards/welcome/events HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        #expect(page.read(until: "event: whole").contains("200 OK"))
        #expect(try server.send(command).status == 200)
        #expect(server.terminate() == 0)
        // It has ended the stream, rather than broken off.
        #expect(page.read().hasSuffix("\r\n0\r\n\r\n"))
    }

    @Test func itEndsAlthoughSomebodyDoesNotRead() throws {
        let server = try ServerProcess()
        let note = String(repeating: "x", count: 100_000)
        let cards = (0..<100).map { #"{"id": "c\#($0)", "title": "t", "note": "\#(note)", "isDone": false}"# }
        let board =
            #"{"title": "B", "columns": [{"id": "a", "title": "A", "cards": [\#(cards.joined(separator: ","))]}]}"#
        try Data(board.utf8).write(to: server.folder.appending(path: "big.json"))
        let page = try RawConnection(port: server.port)
        page.send("GET /boards/big/events HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        #expect(page.read(until: "event: whole").contains("200 OK"))
        // Much more is on its way than fits into what lies between.
        #expect(try server.send(#"{"setDone": {"card": "c1", "isDone": true}}"#, to: "big").status == 200)
        #expect(server.terminate() == 0)
        withExtendedLifetime(page) {}
    }

    @Test func itSaysWhatCouldNotBeSaved() throws {
        let server = try ServerProcess()
        #expect(try server.send(command).status == 200)
        try FileManager.default.removeItem(at: server.folder)
        #expect(try server.send(#"{"setDone": {"card": "try", "isDone": false}}"#).status == 503)
        #expect(server.terminate() == 1)
    }

    @Test func itSaysWhatToDoAboutAPortThatIsTakenAndAWrongArgument() throws {
        let server = try ServerProcess()
        let taken = try ServerProcess.complaint(of: "--port", "\(server.port)", "--folder", server.folder.path)
        #expect(taken.status == 1 && taken.text.hasPrefix("LiveBoard: port \(server.port) is taken"))
        let wrong = try ServerProcess.complaint(of: "--port", "http")
        #expect(wrong.status == 64 && wrong.text.contains("a number from 0 to 65535"))
    }

    @Test func aPageThatComesBackGetsWhatItMissed() throws {
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

    @Test func aServerThatIsKilledHasSavedWhatItAnswered() throws {
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
