// The trace as text: a row for each event, and arrows.

import Reactive

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension Diagnostics.Trace {
    /// Returns events as JSON text. Complexity: O(events).
    static func json(of events: [Diagnostics.Event]) -> String {
        let starts = Dictionary(uniqueKeysWithValues: events.map { ($0.id, $0) })
        var rows: [String] = []
        for thread in Set(events.map(\.thread)).sorted() {
            rows.append(
                #"{"ph":"M","name":"thread_name","pid":1,"tid":\#(thread),"args":{"name":"thread \#(thread)"}}"#)
        }
        for event in events {
            rows.append(row(event))
            for cause in event.causes {
                guard let cause = starts[cause] else { continue }
                rows += arrow(from: cause, to: event)
            }
        }
        return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + rows.joined(separator: ",\n") + "\n]}\n"
    }

    /// Writes a text to a file; returns an error if that fails.
    static func write(_ text: String, to location: String) -> Diagnostics.TraceError? {
        let path = path(of: location)
        guard let stream = fopen(path, "w") else { return Diagnostics.TraceError(path: path, code: errno) }
        let bytes = Array(text.utf8)
        let written = fwrite(bytes, 1, bytes.count, stream)
        let code = errno
        guard fclose(stream) == 0, written == bytes.count else {
            return Diagnostics.TraceError(path: path, code: code)
        }
        return nil
    }

    /// Returns the path that a file URL means: `file:///a%20b`, or `b -- file:///a/` for a relative one.
    private static func path(of location: String) -> String {
        let parts = location.split(separator: " -- file://", maxSplits: 1).map(String.init)
        if parts.count == 2 { return decoded(parts[1]) + decoded(parts[0]) }
        return location.hasPrefix("file://") ? decoded(String(location.dropFirst(7))) : location
    }

    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(decoded)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - Rows

    private static func row(_ event: Diagnostics.Event) -> String {
        let name = event.node.map { "\(event.kind) \($0.name)" } ?? "\(event.kind)"
        var arguments = [#""event":\#(event.id)"#]
        if let node = event.node { arguments.append(#""node":\#(node.id),"site":\#(quoted(node.site))"#) }
        if let hasChanged = event.hasChanged { arguments.append(#""changed":\#(hasChanged)"#) }
        if !event.causes.isEmpty { arguments.append(#""causes":\#(event.causes)"#) }
        if let text = event.text { arguments.append(#""text":\#(quoted(text))"#) }
        let phase = event.isInstant ? #""ph":"i","s":"t""# : #""ph":"X","dur":\#(microseconds(event.duration))"#
        return """
            {"name":\(quoted(name)),"cat":"\(event.kind)",\(phase),"ts":\(microseconds(event.start)),"pid":1,\
            "tid":\(event.thread),"args":{\(arguments.joined(separator: ","))}}
            """
    }

    /// The two ends of an arrow. It begins at the end of the cause, which is before the beginning of the effect.
    private static func arrow(from cause: Diagnostics.Event, to effect: Diagnostics.Event) -> [String] {
        let number = "\(cause.id)-\(effect.id)"
        let from = min(cause.start + cause.duration, effect.start)
        return [
            """
            {"name":"cause","cat":"cause","ph":"s","id":"\(number)","ts":\(microseconds(from)),"pid":1,\
            "tid":\(cause.thread)}
            """,
            """
            {"name":"cause","cat":"cause","ph":"f","bp":"e","id":"\(number)","ts":\(microseconds(effect.start)),\
            "pid":1,"tid":\(effect.thread)}
            """,
        ]
    }

    private static func microseconds(_ nanoseconds: Int) -> String {
        let thousandths = nanoseconds % 1000
        let digits = String(thousandths)
        return "\(nanoseconds / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension Diagnostics.Event {
    fileprivate var isInstant: Bool {
        switch kind {
        case .evaluation, .run, .effect, .transaction, .rollBack: false
        default: true
        }
    }
}
