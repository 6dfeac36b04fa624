// Who may talk to the server, and what browsers may do with what it says.
//
// A page of somebody else's can make a browser send requests to this machine. Four checks keep it out:
//
//     Host      must be a name of this server, so that a foreign name that is made to point here (DNS rebinding) is refused
//     Origin    must be there and be this server's, wherever something is changed
//     Sec-…     what is only read may not be part of a foreign page, such as a picture; a link there may lead here
//     policy    the page may load nothing from elsewhere, run no script but its own, and be framed by nobody

import HTTPTypes
import Hummingbird

/// Refuses requests that come by way of foreign pages, and sends the headers that bind browsers.
struct Guard: RouterMiddleware {
    typealias Context = BasicRequestContext

    /// The names of this server.
    let names: Set<String>

    init(names: [String]) {
        self.names = Set(names.map { $0.lowercased() } + ["localhost", "127.0.0.1", "::1"])
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await answer(request, context, next)
        if response.headers[.contentSecurityPolicy] == nil { response.headers[.contentSecurityPolicy] = Guard.policy }
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[HTTPField.Name("Referrer-Policy")!] = "same-origin"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }

    private static let policy = """
        default-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
        """

    private func answer(
        _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let authority = request.head.authority, let name = Guard.name(in: authority), names.contains(name) else {
            return .problem(.misdirectedRequest, "this server is not called \(request.head.authority ?? "nothing")")
        }
        let site = request.headers[HTTPField.Name("Sec-Fetch-Site")!] ?? "none"
        let destination = request.headers[HTTPField.Name("Sec-Fetch-Dest")!]
        guard site == "same-origin" || site == "none" || destination == "document" else {
            return .problem(.forbidden, "this may not be part of a page of another server")
        }
        if request.method != .get, request.method != .head {
            guard
                request.headers[.origin] == "http://\(authority)" || request.headers[.origin] == "https://\(authority)"
            else {
                return .problem(.forbidden, "changes must come from a page of this server")
            }
        }
        return try await next(request, context)
    }

    /// The name without the port.
    static func name(in authority: String) -> String? {
        let authority = authority.lowercased()
        if authority.first == "[" {
            return authority.firstIndex(of: "]").map {
                String(authority[authority.index(after: authority.startIndex)..<$0])
            }
        }
        return authority.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init)
    }
}
