// The changes as server-sent events. The id of each event is the page's position. When the page reconnects, it sends
// the last id and gets the events that it missed.
//
//     id: 5f3a09-17
//     event: update
//     data: {"children":{},"html":{"card-c1":"<li …>"},"placed":[],"removed":[]}

import BoardCore
import HTTPTypes
import Hummingbird
import Reactive
import ServiceLifecycle

/// Responds with the events of a board until the page or the server closes the connection.
func events(of session: Session, for request: Request) async throws -> Response {
    let seen = (request.headers[.lastEventID] ?? request.uri.queryParameters["after"].map(String.init)).flatMap(
        Position.init)
    let follower = try await Follower(following: session)
    let pulses = follower.pulses
    return Response(
        status: .ok,
        headers: .events,
        body: ResponseBody { writer in
            try await withGracefulShutdownHandler {
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    var seen = seen
                    for await pulse in pulses {
                        if pulse.isOver { break }
                        let messages = await session.messages(after: seen)
                        seen = messages.last?.position ?? seen
                        try await writer.write(ByteBuffer(string: text(of: messages)))
                    }
                }
                try await writer.finish(nil)
            } onGracefulShutdown: {
                Task { await session.endFollowing() }
            }
            withExtendedLifetime(follower) {}
        })
}

private func text(of messages: [Message]) -> String {
    // The heartbeat is an event, because scripts do not receive comments.
    messages.isEmpty ? "event: alive\ndata: 1\n\n" : messages.map(\.event).joined()
}

/// Follows a board during its lifetime, so that following also ends for a response that is never sent.
final class Follower: Sendable {
    /// The notifications of the board.
    let pulses: ObservedValues<Pulse>
    private let session: Session

    init(following session: Session) async throws {
        guard let pulses = await session.follow() else {
            throw Problem(.serviceUnavailable, "too many pages follow this board; try again later")
        }
        self.pulses = pulses
        self.session = session
    }

    deinit {
        Task { [session] in await session.unfollow() }
    }
}

extension HTTPFields {
    /// The headers of server-sent events.
    static var events: HTTPFields {
        [.contentType: "text/event-stream", .cacheControl: "no-store", HTTPField.Name("X-Accel-Buffering")!: "no"]
    }
}

extension HTTPField.Name {
    /// The position of a page that reconnects.
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
