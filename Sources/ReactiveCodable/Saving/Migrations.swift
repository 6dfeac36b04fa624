// Documents of older versions: a number beside the document, and steps on its JSON from each version to the next.

/// The steps that bring documents of older versions to the current one.
///
/// ```swift
/// let migrations: Migrations = [
///     // From 0 to 1: "name" became "title".
///     { json in
///         let (name, title) = (try JSONPointer("/name"), try JSONPointer("/title"))
///         return try JSONPatch([.move(from: name, path: title)]).applying(to: json)
///     }
/// ]
/// let document = try load(Document.self, from: url, migrating: migrations)
/// let saving = autosave(document, to: url, version: migrations.version)
/// ```
///
/// A step never changes once it was released: documents of its version may be anywhere. New versions add steps.
public struct Migrations: Sendable, ExpressibleByArrayLiteral {
    /// A step from one version to the next.
    public typealias Step = @Sendable (JSONValue) throws -> JSONValue

    let steps: [Step]

    /// Creates migrations: the first step is the one from version 0 to version 1.
    public init(_ steps: [Step]) { self.steps = steps }

    /// Creates migrations: the first step is the one from version 0 to version 1.
    public init(arrayLiteral elements: Step...) { steps = elements }

    /// The current version: the number of steps.
    public var version: Int { steps.count }
}
