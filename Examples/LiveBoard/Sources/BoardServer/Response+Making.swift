// The kinds of responses.

import BoardCore
import Foundation
import HTTPTypes
import Hummingbird

extension Response {
    /// Returns a response with a value as JSON.
    static func json(_ value: some Encodable, _ status: HTTPResponse.Status = .ok) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return Response(status: .internalServerError) }
        return content(data, "application/json", status)
    }

    /// Returns a response with a page.
    static func html(_ html: String, _ status: HTTPResponse.Status = .ok) -> Response {
        content(Data(html.utf8), "text/html; charset=utf-8", status)
    }

    /// Returns a response with a resource of the program.
    static func resource(_ bytes: [UInt8], _ type: String) -> Response {
        var response = content(Data(bytes), type)
        response.headers[.cacheControl] = "no-cache"
        return response
    }

    private static func content(_ data: Data, _ type: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
