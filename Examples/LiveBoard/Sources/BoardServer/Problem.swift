// Error responses: a page for people, JSON for scripts.

import BoardCore
import HTTPTypes
import Hummingbird

/// The reason for an error response. Handlers throw it.
struct Problem: Error {
    let status: HTTPResponse.Status
    /// The reason as text for users, as the middle of a sentence.
    let reason: String

    init(_ status: HTTPResponse.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// Turns errors into responses.
struct ProblemResponses: RouterMiddleware {
    typealias Context = BasicRequestContext

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let problem = problem(for: error, context)
            // Browsers request HTML when a user follows a link or types an address. Scripts accept anything, or events.
            let isForPeople = request.headers[.accept]?.lowercased().contains("text/html") == true
            guard isForPeople else { return .json(["reason": problem.reason], problem.status) }
            return .html(Markup.page(of: problem.reason, status: problem.status.code).markup, problem.status)
        }
    }

    private func problem(for error: any Error, _ context: Context) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as any HTTPResponseError where error.status == .notFound:
            return Problem(.notFound, "there is no page at this address")
        case let error as any HTTPResponseError: return Problem(error.status, error.status.reasonPhrase.lowercased())
        default:
            context.logger.error("\(error)")
            return Problem(.internalServerError, "an internal error occurred; the server's log has the details")
        }
    }
}
