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

/// Refuses requests that come by way of foreign pages.
struct Guard: RouterMiddleware {
    typealias Context = BasicRequestContext

    /// The names of this server.
    let names: Set<HostName>

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let authority = try checkedAuthority(of: request)
        let site = request.headers[HTTPField.Name("Sec-Fetch-Site")!] ?? "none"
        let destination = request.headers[HTTPField.Name("Sec-Fetch-Dest")!]
        guard site == "same-origin" || site == "none" || destination == "document" else {
            throw Problem(.forbidden, "this page cannot be part of a page of another server")
        }
        if request.method != .get, request.method != .head {
            let origin = request.headers[.origin]?.lowercased()
            guard origin == "http://\(authority)" || origin == "https://\(authority)" else {
                throw Problem(.forbidden, "changes must come from a page of this server")
            }
        }
        return try await next(request, context)
    }

    /// The name and the port by which the request calls the server, in lower case. There must be one `Host`: if there
    /// were several, a proxy might check a different one.
    private func checkedAuthority(of request: Request) throws -> String {
        // The first one has become the authority; further ones are still among the headers.
        guard let authority = request.head.authority, request.headers[HTTPField.Name("Host")!] == nil else {
            throw Problem(.badRequest, "a request must have one Host header")
        }
        guard let name = HostName(authority: authority) else {
            throw Problem(.badRequest, "the Host header must be a name or an address, with an optional port")
        }
        guard names.contains(name) else {
            throw Problem(
                .misdirectedRequest,
                "this server does not have the name “\(name)”; to add the name, start it with --name \(name)")
        }
        return authority.lowercased()
    }
}

/// Adds the headers that bind browsers to every response.
struct BrowserRules: RouterMiddleware {
    typealias Context = BasicRequestContext

    private static let policy = """
        default-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
        """

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = BrowserRules.policy
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[HTTPField.Name("Referrer-Policy")!] = "same-origin"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }
}
