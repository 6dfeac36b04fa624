// Writes JSON text: compact, with members in their stored order, sorted by key, and with a stack instead of recursion.

extension JSONValue: CustomStringConvertible {
    /// The JSON text: compact, members sorted by key, numbers as they were written.
    ///
    /// - Complexity: O(*n*), without recursion.
    public var description: String {
        String(decoding: utf8, as: UTF8.self)
    }

    /// Returns the beginning of the text, for messages.
    ///
    /// - Complexity: O(*length*), whatever the size of the value, unless it begins with a long string.
    package func excerpt(_ length: Int) -> String {
        var writer = JSONWriter()
        writer.write(self, upTo: 4 * length + 1)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        return text.count > length ? text.prefix(length) + "…" : text
    }

    /// The bytes of the text.
    var utf8: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}

private struct JSONWriter {
    /// A container that is not complete yet.
    private struct Open {
        let storage: JSONStorage
        let isObject: Bool
        var next = 0
    }

    var bytes: [UInt8] = []

    /// Writes a value, up to a number of bytes.
    mutating func write(_ value: JSONValue, upTo byteCount: Int = .max) {
        var stack: [Open] = []
        open(value, &stack)
        while let top = stack.indices.last, bytes.count < byteCount {
            let next = stack[top].next
            let isObject = stack[top].isObject
            guard next < stack[top].storage.elements.count else {
                bytes.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                stack.removeLast()
                continue
            }
            stack[top].next += 1
            if next > 0 { bytes.append(UInt8(ascii: ",")) }
            let storage = stack[top].storage
            if isObject {
                write(string: storage.keys[next])
                bytes.append(UInt8(ascii: ":"))
            }
            open(storage.elements[next], &stack)
        }
    }

    /// Writes a scalar, or the beginning of a container.
    private mutating func open(_ value: JSONValue, _ stack: inout [Open]) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let number): bytes += number.description.utf8
        case .string(let string): write(string: string)
        case .array(let array):
            bytes.append(UInt8(ascii: "["))
            stack.append(Open(storage: array.storage, isObject: false))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            stack.append(Open(storage: object.storage, isObject: true))
        }
    }

    private mutating func write(string: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            case UInt8(ascii: "\t"): bytes += "\\t".utf8
            case 0..<0x20: bytes += ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
