// The access rules for requests, and the rules for browsers about responses.
//
// A page of another site can make a browser send requests to this machine. Four checks prevent that:
//
//     Host      must be a name of this server, so that a foreign name that resolves to it (DNS rebinding) is refused
//     Origin    must exist and be this server's, for all requests that change something
//     Sec-…     resources may not be embedded in a foreign page, for example as a picture; links are allowed
//     policy    the page may load nothing from other sites, run only its own script, and not be framed

import HTTPTypes
import Hummingbird

/// Refuses requests from foreign pages.
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
        // The first `Host` has become the authority; further ones are still among the headers.
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

/// Adds the headers with rules for browsers to every response.
struct BrowserRules: RouterMiddleware {
    typealias Context = BasicRequestContext

    private static let policy = """
        default-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; \
        frame-ancestors 'none'
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
