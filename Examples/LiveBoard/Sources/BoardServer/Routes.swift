// The addresses of the server.
//
//     GET  /                         the board "welcome"
//     GET  /boards/NAME              the page of a board
//     GET  /boards/NAME/events       the changes from now on, or after the page's position
//     POST /boards/NAME/commands     a change; `Idempotency-Key: PAGE-NUMBER` identifies it
//     …    /boards/NAME/inspector    the dependency graph of a board, live; see InspectorRoutes.swift

import BoardCore
import Foundation
import HTTPTypes
import Hummingbird
import ReactivePostgres

/// Returns the router for all requests.
func router(for boards: Boards, names: Set<HostName>) -> Router<BasicRequestContext> {
    let router = Router(options: .autoGenerateHeadEndpoints)
    // In order from the outermost to the innermost.
    router.add(middleware: BrowserRules())
    router.add(middleware: ProblemResponses())
    router.add(middleware: Guard(names: names))
    router.get("/") { _, _ in Response.redirect(to: "/boards/welcome", type: .found) }
    router.get("/board.css") { _, _ in Response.resource(PackageResources.board_css, "text/css; charset=utf-8") }
    router.get("/board.js") { _, _ in Response.resource(PackageResources.board_js, "text/javascript; charset=utf-8") }
    router.get("/board.svg") { _, _ in Response.resource(PackageResources.board_svg, "image/svg+xml") }
    let board = router.group("/boards/:name")
    board.get { _, context in
        try await withBoard(boards, context) { .html(await $0.page.markup) }
    }
    board.get("/events") { request, context in
        try await withBoard(boards, context) { try await events(of: $0, for: request) }
    }
    board.post("/commands") { request, context in
        try await withBoard(boards, context) { try await perform(request, on: $0) }
    }
    board.addInspector(of: boards)
    return router
}

/// Calls `body` with a board, or throws the reason why it is not available.
func withBoard(
    _ boards: Boards, _ context: BasicRequestContext, _ answer: (Session) async throws -> Response
) async throws -> Response {
    let session: Session
    do {
        session = try await boards.session(named: context.parameters.require("name"))
    } catch Boards.Problem.name {
        throw Problem(.notFound, "the name of a board must be 1 to 40 letters, digits and hyphens")
    } catch Boards.Problem.full {
        throw Problem(
            .serviceUnavailable, "all \(Limits.boards) boards that this server can open are in use; try again later")
    } catch let error as PostgresError {
        context.logger.warning("\(error)")
        throw Problem(.serviceUnavailable, "the board's database cannot be reached at the moment; try again")
    } catch {
        context.logger.error("\(error)")
        throw Problem(.internalServerError, "the board cannot be opened; the server's log has the reason")
    }
    return try await answer(session)
}

// MARK: - Commands

/// The response to a command that was not carried out.
private struct Rejection: Encodable {
    let kind: Refusal.Kind
    let reason: String
    let current: String?
}

private struct TooLarge: Error {}

/// Returns the JSON in a request.
///
/// - Parameter what: The content of the body, for messages.
func json(in request: Request, as what: String) async throws -> Data {
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
        throw Problem(.unsupportedMediaType, "\(what) must be JSON")
    }
    do {
        return try await body(of: request)
    } catch is TooLarge {
        throw Problem(.contentTooLarge, "\(what) can have at most \(Limits.command) bytes")
    }
}

/// Returns the body of a request. Does not store more than the limit.
private func body(of request: Request) async throws -> Data {
    var data = Data()
    for try await part in request.body {
        guard data.count + part.readableBytes <= Limits.command else { throw TooLarge() }
        data.append(contentsOf: part.readableBytesView)
    }
    return data
}

/// Carries out the command in a request, and responds when it is saved.
private func perform(_ request: Request, on session: Session) async throws -> Response {
    let data = try await json(in: request, as: "a command")
    let key = request.headers[.idempotencyKey]
    let id = key.flatMap(CommandID.init)
    guard key == nil || id != nil else {
        throw Problem(.badRequest, "the identity of a command must be the identity of its page, a hyphen and a number")
    }
    let command: Command
    do {
        command = try JSONDecoder().decode(Command.self, from: data)
    } catch {
        throw Problem(.badRequest, "the body is not a command")
    }
    do {
        try await session.carryOut(command, id: id)
    } catch let refusal as Refusal {
        let rejection = Rejection(kind: refusal.kind, reason: refusal.description, current: refusal.current)
        return .json(rejection, refusal.kind == .invalid ? .unprocessableContent : .conflict)
    } catch is IsClosed {
        throw Problem(.serviceUnavailable, "the board is being closed; send the command again")
    } catch let problem as NotKept {
        throw Problem(.serviceUnavailable, problem.explanation)
    }
    return .json(["saved": true])
}

extension NotKept {
    /// The message for the page's user.
    fileprivate var explanation: String {
        switch state {
        case .notBegun:
            "\(isUnreachable ? reason : "the board cannot be changed") at the moment; send the command again"
        case .notSaved where isUnreachable:
            "\(reason) at the moment, and the change is saved when it can be; send the command again"
        case .notSaved: "the board cannot be saved at the moment; send the command again"
        }
    }
}

extension HTTPField.Name {
    /// The header that identifies a command, also when it is sent again.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}
