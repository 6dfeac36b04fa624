// The server of the inspector: the page, the stream, the answers, and refused requests.

import Foundation
import InspectorServer
import ProgramSupport
import Reactive
import ReactiveInspector
import Testing

@Suite(.alone) struct ServerTests {
    // price ──▶ double ──▶ reader
    private let graph = IndependentGraph(named: "shop")
    private let price: Observable<Int>
    private let server: InspectorServer

    init() throws {
        (price, server) = try graph.run {
            let price = Observable(2, named: "price")
            let double = Computed(named: "double") { price.value * 2 }
            autorun(named: "reader") { _ = double.value }
            return (price, try InspectorServer(of: Diagnostics.inspector(), port: 0))
        }
    }

    private var port: UInt16 { server.port }

    @Test func thePageIsServed() throws {
        for host in ["127.0.0.1", "localhost", "LOCALHOST"] {
            let client = try Client(port: port)
            client.send("GET /?a=b", headers: ["Host": "\(host):\(port)"])
            let response = client.read()
            #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(response.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"))
            #expect(response.contains("{\"live\":true,\"title\":\"graph shop\",\"travels\":false}"))
            #expect(response.hasSuffix("</html>\n"))
        }
        #expect(server.address == "http://127.0.0.1:\(port)/")
    }

    @Test func theStreamShowsTheGraphAndItsChanges() throws {
        let stream = try Client.stream(port: port)
        let first = try stream.event()
        #expect(first.viewer != nil)
        let names = (first.nodes ?? []).map(\.name)
        #expect(names.contains("price") && names.contains("double") && names.contains("reader"), "\(names)")
        price.value = 3
        let change = try stream.event()
        #expect(change.viewer == nil)
        #expect(change.nodes?.contains { $0.name == "double" } == true)
    }

    @Test func questionsAreAnswered() throws {
        let stream = try Client.stream(port: port)
        let first = try stream.event()
        let viewer = try #require(first.viewer)
        let id = try #require(first.nodes?.first { $0.name == "price" }?.id)
        #expect(try Client.ask("{\"viewer\":\(viewer),\"value\":\(id)}", port: port) == "{\"value\":\"2\"}")
        #expect(try Client.ask("no JSON", port: port).hasPrefix("{\"error\":"))
        #expect(try Client.ask("{\"viewer\":\(viewer),\"travel\":1}", port: port).hasPrefix("{\"error\":"))
        withExtendedLifetime(stream) {}
    }

    @Test func theStreamEndsWithItsClient() throws {
        var stream: Client? = try Client.stream(port: port)
        let viewer = try #require(try stream?.event().viewer)
        stream = nil
        let end = ContinuousClock.now + .seconds(60)
        while try !Client.ask("{\"viewer\":\(viewer),\"value\":1}", port: port).contains("no longer connected") {
            try #require(ContinuousClock.now < end, "the stream has not ended")
        }
    }

    @Test func foreignPagesAreRefused() throws {
        for host in ["evil.example", "evil.example:\(port)", "127.0.0.1", "localhost:1", "127.0.0.1:\(port).evil", ""] {
            #expect(try Client.request("GET /", port: port, headers: ["Host": host]).status == 403, "\(host)")
        }
        for origin in ["http://evil.example", "null", "https://127.0.0.1:\(port)", "http://127.0.0.1", ""] {
            let answer = try Client.request("POST /ask", port: port, headers: ["Origin": origin], body: "{}")
            #expect(answer.status == 403, "\(origin)")
            #expect(try Client.request("GET /events", port: port, headers: ["Origin": origin]).status == 403)
        }
        for site in ["cross-site", "same-site", ""] {
            #expect(try Client.request("GET /events", port: port, headers: ["Sec-Fetch-Site": site]).status == 403)
        }
        #expect(try Client.request("GET /", port: port, headers: ["Sec-Fetch-Site": "none"]).status == 200)
        for origin in ["http://127.0.0.1:\(port)", "http://localhost:\(port)"] {
            let answer = try Client.request("POST /ask", port: port, headers: ["Origin": origin], body: "{}")
            #expect(answer.status == 200, "\(origin)")
        }
    }

    @Test func otherAddressesAndMethodsAreRefused() throws {
        #expect(try Client.request("GET /favicon.ico", port: port).status == 404)
        #expect(try Client.request("GET //", port: port).status == 404)
        #expect(try Client.request("GET /ask", port: port).status == 405)
        #expect(try Client.request("POST /events", port: port).status == 405)
        #expect(try Client.request("DELETE /", port: port).status == 405)
    }

    @Test func invalidRequestsAreRefused() throws {
        let host = "Host: 127.0.0.1:\(port)\r\n"
        for text in [
            "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/2\r\n\(host)\r\n", "GET  / HTTP/1.1\r\n\(host)\r\n",
            "GET evil HTTP/1.1\r\n\(host)\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\(host)\(host)\r\n",
            "GET / HTTP/1.1\r\n\(host)colon\r\n\r\n", "GET / HTTP/1.1\r\n\(host) folded: a\r\n\r\n",
            "GET / HTTP/1.1\r\n\(host): a\r\n\r\n", "POST /ask HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n",
            "POST /ask HTTP/1.1\r\n\(host)Content-Length: \r\n\r\n",
            "POST /ask HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "POST /ask HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "", "GET / HT",
            "POST /ask HTTP/1.1\r\n\(host)Content-Length: 5\r\n\r\nab",
        ] {
            let client = try Client(port: port)
            client.send(text.utf8)
            client.endSending()
            #expect(client.response().status == 400, "\(text.debugDescription)")
        }
        let client = try Client(port: port)
        client.send("POST /ask HTTP/1.1\r\n\(host)Content-Length: 2\r\n\r\n".utf8)
        client.send([0xC3, 0x28])
        #expect(client.response().status == 400)
        #expect(try Client.request("GET /", port: port).status == 200)
    }

    @Test func randomBytesDoNotStopTheServer() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let client = try Client(port: port)
            let count = Int.random(in: 0...300, using: &random)
            client.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            client.endSending()
            #expect(client.response().status == 400)
        }
        #expect(try Client.request("GET /", port: port).status == 200)
    }

    @Test func sizesAreLimited() throws {
        let long = String(repeating: "a", count: 17_000)
        #expect(try Client.request("GET /", port: port, headers: ["X-Long": long]).status == 431)
        let endless = try Client(port: port)
        endless.send(String(repeating: "a", count: 100_000).utf8)
        #expect(endless.response().status == 431)
        let body = String(repeating: " ", count: 65_536)
        #expect(try Client.request("POST /ask", port: port, body: body).status == 200)
        #expect(try Client.request("POST /ask", port: port, body: body + " ").status == 413)
        let number = String(repeating: "9", count: 40)
        #expect(try Client.request("POST /ask", port: port, headers: ["Content-Length": number]).status == 413)
    }

    @Test func theErrorOfAUsedPortNamesTheOption() throws {
        let error = #expect(throws: PortError.self) { try InspectorServer(of: Diagnostics.inspector(), port: port) }
        #expect(
            error?.description
                == "port \(port) is in use; choose a different one with --inspect, or a free one with --inspect 0")
    }
}
