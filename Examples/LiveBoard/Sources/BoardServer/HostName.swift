// The name of a server in a normal form, so that it can be compared as a whole.

import Foundation

/// The name or the address of a server, in the form of an address bar without the port: `localhost`, `127.0.0.1`,
/// `[::1]`.
///
/// Upper case, the final dot of a full name (`localhost.`) and the notation of an IPv6 address make no difference.
package struct HostName: Hashable, Sendable, CustomStringConvertible {
    /// The text.
    package let description: String

    /// Parses the option `--name` or `--host`: like `authority`, but an IPv6 address needs no brackets.
    ///
    /// - Returns: The name, or `nil` if the text is malformed.
    package init?(option text: String) {
        guard let name = HostName(authority: text) ?? HostName(authority: "[\(text)]") else { return nil }
        self = name
    }

    /// Parses a name and an optional port, in the form of a `Host` header. The port is ignored, because it may be
    /// forwarded.
    ///
    /// - Returns: The name, or `nil` if the text is malformed.
    init?(authority: String) {
        let authority = authority.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        let end: Int
        if authority.first == UInt8(ascii: "[") {
            guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")),
                let address = HostName.shortAddress(String(decoding: authority[1..<bracket], as: UTF8.self))
            else { return nil }
            end = bracket + 1
            description = "[\(address)]"
        } else {
            end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
            var name = authority[..<end]
            if name.last == UInt8(ascii: ".") { name.removeLast() }
            let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(HostName.isAllowed) }) else { return nil }
            description = String(decoding: name, as: UTF8.self)
        }
        guard end == authority.endIndex || HostName.isPort(authority[end...]) else { return nil }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether a text is a colon and a number.
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.dropFirst()
        guard text.first == UInt8(ascii: ":"), digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return false }
        return UInt16(String(decoding: digits, as: UTF8.self)) != nil
    }

    /// Returns an IPv6 address in the notation of browsers.
    private static func shortAddress(_ text: String) -> String? {
        var address = in6_addr()
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_pton(AF_INET6, text, &address) == 1,
            inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil
        else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
