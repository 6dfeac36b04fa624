// Migrations of older documents: a version number beside the document, and a function on its JSON for each version.

/// The migrations from each version of a document to the next.
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
/// Never change a migration after it was released: documents of its version may still exist. Add a migration for each
/// new version.
public struct Migrations: Sendable, ExpressibleByArrayLiteral {
    /// A migration from one version to the next.
    public typealias Step = @Sendable (JSONValue) throws -> JSONValue

    let steps: [Step]

    /// Creates migrations. The first one leads from version 0 to version 1.
    public init(_ steps: [Step]) { self.steps = steps }

    /// Creates migrations. The first one leads from version 0 to version 1.
    public init(arrayLiteral elements: Step...) { steps = elements }

    /// The current version: the number of migrations.
    public var version: Int { steps.count }
}
