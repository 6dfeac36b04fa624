// The name of a server, in one spelling, so that it can be compared as a whole.

import Foundation

/// The name or the address of a server, as an address bar has it before the port: `localhost`, `127.0.0.1`, `[::1]`.
///
/// Upper case and the dot that ends a full name (`localhost.`) make no difference, nor does the spelling of an address
/// of IPv6.
package struct HostName: Hashable, Sendable, CustomStringConvertible {
    /// The text.
    package let description: String

    /// Reads what the option `--name` or `--host` says: as `authority`, but an address of IPv6 needs no brackets.
    ///
    /// - Returns: `nil` if it is none.
    package init?(option text: String) {
        guard let name = HostName(authority: text) ?? HostName(authority: "[\(text)]") else { return nil }
        self = name
    }

    /// Reads a name and perhaps a port, as a `Host` header has them. The port makes no difference: it may be forwarded.
    ///
    /// - Returns: `nil` if anything in it is neither.
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

    /// A colon and a number.
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        let digits = text.dropFirst()
        guard text.first == UInt8(ascii: ":"), digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return false }
        return UInt16(String(decoding: digits, as: UTF8.self)) != nil
    }

    /// An address of IPv6 as browsers spell it.
    private static func shortAddress(_ text: String) -> String? {
        var address = in6_addr()
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_pton(AF_INET6, text, &address) == 1,
            inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil
        else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
