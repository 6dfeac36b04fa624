// JSON and JavaScript literals for commands and scripts.

import Foundation
import ReactiveCodable

/// A value written as a Swift literal.
typealias JSONText = [String: [String: String]]

extension JSONText {
    /// The value as JSON.
    var text: String {
        JSONValue.object(JSONObject(mapValues { .object(JSONObject($0.mapValues { .string($0) })) })).description
    }

    /// Returns a text as a literal of JavaScript.
    static func quoted(_ text: String) -> String { JSONValue.string(text).description }
}
