import ReactiveCodable

package typealias DocumentLimits = JSONLimits

package struct Document: Sendable {
    package init(_ json: JSONValue) { fatalError("not yet") }
    package var json: JSONValue { fatalError("not yet") }
    package func value(at path: DocumentPath) -> JSONValue? { fatalError("not yet") }
    package mutating func apply(_ edits: [Edit], limits: DocumentLimits, touching footprint: inout Footprint) -> [Misfit] {
        fatalError("not yet")
    }
    package mutating func edits(applying patch: JSONPatch, texts: TextPaths) throws -> [Edit] {
        fatalError("not yet")
    }
    package func patch(to other: Document, at footprint: Footprint) -> JSONPatch { fatalError("not yet") }
}
/// An edit that does not fit a document.
package struct Misfit: Hashable, Sendable {
    /// The index of the edit.
    package let index: Int

    /// The path and the cause, in a sentence.
    package let reason: String
}
