// The inspector of a board, below /boards/NAME:
//
//     GET  /inspector               the page
//     GET  /inspector/events        the graph and its changes, as server-sent events
//     POST /inspector/ask           the value of a node
//
// The same below /inspector/copy travels in time. Each page there has a copy of the board as it was when the page
// connected, with its recent steps. The copy is freed when the page disconnects, and the board itself stays as it is.

import BoardCore
import Foundation
import HTTPTypes
import Hummingbird
import ReactiveInspector
import ServiceLifecycle

extension RouterGroup<BasicRequestContext> {
    /// Adds the routes of the inspector.
    func addInspector(of boards: Boards) {
        let copies = Copies()
        get("/inspector") { _, context in
            try await withBoard(boards, context) { .inspector($0.inspector.page) }
        }
        get("/inspector/events") { request, context in
            try await withBoard(boards, context) { session in
                try await events(of: session.inspector, keeping: Follower(following: session), for: request)
            }
        }
        post("/inspector/ask") { request, context in
            try await withBoard(boards, context) { session in
                try await .answer(session.inspector.answer(to: question(in: request)))
            }
        }
        get("/inspector/copy") { _, context in
            try await withBoard(boards, context) { .inspector(BoardCopy.page(for: $0.name)) }
        }
        get("/inspector/copy/events") { request, context in
            try await withBoard(boards, context) { session in
                let follower = try await Follower(following: session)
                let copy = try await copies.copy(of: session)
                return try await events(of: copy.inspector, keeping: (follower, copy), for: request) {
                    await copies.register(copy, as: $0)
                }
            }
        }
        post("/inspector/copy/ask") { request, context in
            try await withBoard(boards, context) { _ in
                let question = try await question(in: request)
                guard let inspector = await copies.inspector(for: question) else {
                    return .answer(#"{"error":"The page is no longer connected. Load it again."}"#)
                }
                return .answer(await inspector.answer(to: question))
            }
        }
    }
}

/// Responds with the messages of an inspector until the page or the server closes the connection.
///
/// - Parameters:
///   - inspector: The inspector.
///   - owner: Kept until the end.
///   - request: The request.
///   - begin: Called with the first message, before it is sent.
private func events(
    of inspector: Inspector, keeping owner: some Sendable, for request: Request,
    begin: @escaping @Sendable (String) async -> Void = { _ in }
) async throws -> Response {
    Response(
        status: .ok, headers: .events,
        body: ResponseBody { writer in
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                var isFirst = true
                for await event in inspector.events().cancelOnGracefulShutdown() {
                    if isFirst { await begin(event) }
                    isFirst = false
                    try await writer.write(ByteBuffer(string: "data: \(event)\n\n"))
                }
            }
            try await writer.finish(nil)
            withExtendedLifetime(owner) {}
        })
}

/// Returns the question in a request.
private func question(in request: Request) async throws -> String {
    String(decoding: try await json(in: request, as: "a question"), as: UTF8.self)
}

extension Response {
    /// Returns a page of the inspector, which contains its script, its style and its own policy.
    fileprivate static func inspector(_ page: String) -> Response {
        var response = html(page)
        response.headers[.contentSecurityPolicy] = "frame-ancestors 'none'"
        return response
    }

    /// Returns an answer of the inspector.
    fileprivate static func answer(_ json: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
    }
}

// MARK: - Copies

/// A copy of a board, until it is released.
private final class OpenCopy: Sendable {
    let inspector: Inspector
    private let copy: BoardCopy
    private let copies: Copies

    init(_ copy: BoardCopy, in copies: Copies) async {
        self.copy = copy
        self.copies = copies
        inspector = await copy.inspector()
    }

    deinit {
        Task { [copy, copies] in
            await copies.noteEnd()
            await copy.close()
        }
    }
}

/// The copies that pages inspect. A page is identified by the number in its first message.
private actor Copies {
    private struct WeakCopy {
        weak var copy: OpenCopy?
    }

    private struct Message: Decodable { let viewer: Int? }

    private var copies: [Int: WeakCopy] = [:]
    private var count = 0

    /// Copies a board.
    func copy(of session: Session) async throws -> OpenCopy {
        guard count < Limits.copies else {
            throw Problem(.serviceUnavailable, "too many pages inspect a copy of a board; try again later")
        }
        count += 1
        do {
            return await OpenCopy(try await session.copy(), in: self)
        } catch {
            count -= 1
            throw error
        }
    }

    /// Registers the copy of a page.
    ///
    /// - Parameters:
    ///   - copy: The copy.
    ///   - message: The first message to the page.
    func register(_ copy: OpenCopy, as message: String) {
        guard let viewer = Self.viewer(in: message) else { return }
        copies[viewer] = WeakCopy(copy: copy)
    }

    /// Returns the inspector of the page that asks a question.
    func inspector(for question: String) -> Inspector? {
        Self.viewer(in: question).flatMap { copies[$0]?.copy?.inspector }
    }

    /// Notes that a copy has ended.
    func noteEnd() {
        count -= 1
        copies = copies.filter { $0.value.copy != nil }
    }

    private static func viewer(in message: String) -> Int? {
        (try? JSONDecoder().decode(Message.self, from: Data(message.utf8)))?.viewer
    }
}
