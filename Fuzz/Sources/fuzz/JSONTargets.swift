// Documents, pointers and patches.

import Foundation
import ReactiveJSON

/// Tests a JSON text: a parsed value prints as text that parses to the same value.
@Sendable func fuzzJSON(_ data: Data) {
    let small = JSONLimits(depth: 4, valueCount: 16, byteCount: 256)
    if let value = try? JSONValue(parsing: data, limits: small) {
        promise(
            value.depth <= 4 && value.valueCount <= 16 && data.count <= 256, "a limit was exceeded: \(value)")
    }
    guard let value = try? JSONValue(parsing: data) else { return }
    let text = value.description
    promise(try JSONValue(parsing: text) == value, "printed and parsed, it differs: \(text)")
    promise(try JSONValue(parsing: text).hashValue == value.hashValue, "equal values hash differently: \(text)")
    promise(try JSONValue(parsing: value.data).description == text, "printed twice, it differs: \(text)")
    if case .object(let object) = value {
        promise(JSONObject(object.reversed()) == object, "in a different order, the object differs: \(text)")
        promise(object.allSatisfy { object[$0.key] == $0.value }, "a member is not found: \(text)")
    }
    if case .array(let array) = value {
        let patch = JSONPatch(from: value, to: .array(JSONArray(array.reversed())))
        promise(
            try patch.inverse.applying(to: patch.applying(to: value)) == value, "reversing cannot be undone: \(text)")
    }
}

/// Tests a pointer: its text and its fragment parse to the same pointer, and it finds the value at its tokens.
@Sendable func fuzzPointer(_ data: Data) {
    let text = String(decoding: data, as: UTF8.self)
    if let pointer = try? JSONPointer(uriFragment: text) {
        promise(try JSONPointer(uriFragment: pointer.uriFragment) == pointer, "not its fragment: \(text)")
    }
    guard let pointer = try? JSONPointer(text) else { return }
    promise(pointer.description.utf8.elementsEqual(text.utf8), "the pointer prints as \(pointer)")
    promise(try JSONPointer(uriFragment: pointer.uriFragment) == pointer, "not its fragment: \(text)")
    // A document that has a value at the pointer.
    var document: JSONValue = "here"
    for token in pointer.tokens.reversed() { document = .object([token: document]) }
    promise(document[pointer] == "here", "it does not lead to what its tokens say: \(text)")
    promise(pointer.parent.map { $0.contains(pointer) && !pointer.contains($0) } ?? true, "its parent: \(text)")
}

/// Tests a patch. The input is a line with a document, then the patch. It is applied as a whole and operation by
/// operation, with the inverse and the difference.
@Sendable func fuzzPatch(_ data: Data) {
    let (line, rest) = data.firstLineAndRest
    let limits = JSONLimits(depth: 32, valueCount: 4_096, byteCount: 1 << 16)
    guard let document = try? JSONValue(parsing: line, limits: limits),
        let patch = try? JSONPatch(parsing: rest, limits: limits)
    else { return }
    promise(try JSONPatch(json: patch.json) == patch, "the patch differs from its JSON: \(patch)")
    let result = try? patch.applying(to: document, limits: limits)
    var steps: JSONValue? = document
    for operation in patch.operations {
        steps = steps.flatMap { try? JSONPatch([operation]).applying(to: $0, limits: limits) }
    }
    promise(steps == result, "step by step, \(patch) leads elsewhere, on \(document)")
    guard let result else { return }
    promise(result.depth <= limits.depth && result.valueCount <= limits.valueCount, "a limit: \(patch)")
    promise(
        try patch.inverse(for: document, limits: limits).applying(to: result, limits: .unlimited) == document,
        "the inverse does not undo \(patch) on \(document)")
    let difference = JSONPatch(from: document, to: result)
    promise(try difference.applying(to: document, limits: .unlimited) == result, "the difference \(difference)")
    promise(try difference.inverse.applying(to: result, limits: .unlimited) == document, "undoing \(difference)")
}
