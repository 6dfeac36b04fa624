// A property that is marked `@Cached`: its data for the macros, or the reason why it cannot be cached.

import SwiftDiagnostics
import SwiftSyntax

struct CachedProperty {
    let name: String
    let type: TypeSyntax
    /// The getter's expression, with its comments.
    let body: CodeBlockItemListSyntax
    /// The attributes that generated members share: availability, and the actor.
    let attributes: [AttributeSyntax]
    let isNonisolated: Bool

    /// The name of the result builder that replaces the expression.
    var builder: String { "_Cached_\(name)" }

    /// The reason why a property cannot be cached, and its fixes.
    struct Obstacle: Error {
        let complaint: Complaint
        let node: Syntax
        let fixes: [FixIt]
    }

    /// Reads a variable that is marked `@Cached`.
    ///
    /// - Throws: `Obstacle` if it cannot be cached.
    init(_ variable: VariableDeclSyntax, of owner: Owner?) throws {
        let candidate = try Candidate(variable)
        try candidate.checkOwner(owner)
        let block = try candidate.accessors(in: owner)
        name = candidate.name
        type = try candidate.type
        body = try candidate.expression(in: candidate.statements(of: block))
        attributes = variable.attributes.all.filter { $0.name == "available" || $0.isGlobalActor }.map(\.trimmed)
        isNonisolated = variable.hasModifier(.nonisolated)
    }
}

/// A variable that is marked `@Cached` and not yet checked. The functions throw obstacles.
private struct Candidate {
    let variable: VariableDeclSyntax
    let binding: PatternBindingSyntax
    /// The name without backticks.
    let name: String

    init(_ variable: VariableDeclSyntax) throws {
        self.variable = variable
        guard let binding = variable.bindings.first, variable.bindings.count == 1,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else {
            throw CachedProperty.Obstacle(
                complaint: Complaint(
                    id: "several",
                    message: "@Cached needs a declaration of a single property. Declare each property separately."),
                node: Syntax(variable), fixes: [])
        }
        self.binding = binding
        name = pattern.identifier.text.filter { $0 != "`" }
    }

    /// Returns an obstacle. Its last fix removes `@Cached`.
    private func obstacle(
        _ id: String, _ message: String, at node: (some SyntaxProtocol)?, fixes: [FixIt] = []
    ) -> CachedProperty.Obstacle {
        let removal = variable.attributes.first(named: "Cached").map { FixIt.removing($0, of: variable) }
        return CachedProperty.Obstacle(
            complaint: Complaint(id: id, message: message), node: node.map { Syntax($0) } ?? Syntax(variable),
            fixes: fixes + [removal].compactMap { $0 })
    }

    private func obstacle(_ id: String, _ message: String, fixes: [FixIt] = []) -> CachedProperty.Obstacle {
        obstacle(id, message, at: variable, fixes: fixes)
    }

    // MARK: - The owner

    /// Checks that the cache has an object as its owner.
    func checkOwner(_ owner: Owner?) throws {
        guard let owner else {
            throw obstacle("owner", "@Cached caches properties of classes and actors. Remove @Cached from '\(name)'.")
        }
        if variable.isStatic {
            throw obstacle(
                "static",
                """
                @Cached cannot cache static var '\(name)': it does not belong to an object. Use a 'static let' with a \
                Computed.
                """)
        }
        if owner.kind == .extension {
            throw obstacle(
                "extension",
                """
                @Cached cannot cache '\(name)' in \(owner.description): extensions cannot store values. Move it to the \
                declaration of '\(owner.name)'.
                """)
        }
        if !owner.isObject {
            throw obstacle(
                "value",
                """
                @Cached cannot cache '\(name)' in \(owner.description): a cache needs a class or an actor. Remove \
                @Cached; readers of the property still track what its getter reads.
                """)
        }
    }

    // MARK: - The property

    /// Checks that the property is computed and in a model. Returns its accessors.
    func accessors(in owner: Owner?) throws -> AccessorBlockSyntax {
        guard !binding.isStored, let block = binding.accessorBlock else {
            let fix = binding.asGetter.map {
                FixIt.offering(
                    "Turn the initial value into a getter", replacing: variable, by: variable.with(\.bindings, [$0]))
            }
            throw obstacle(
                "stored", "@Cached needs a computed property, but '\(name)' is stored. Give it a getter.",
                fixes: [fix].compactMap { $0 })
        }
        if let owner, owner.attributes.first(named: "Model") == nil {
            throw obstacle(
                "model",
                "@Cached needs @Model on \(owner.description). Write '@Model \(owner.kind.rawValue) \(owner.name)'.")
        }
        return block
    }

    var type: TypeSyntax {
        get throws {
            guard let type = binding.typeAnnotation?.type.trimmed else {
                throw obstacle("type", "@Cached needs an explicit type for '\(name)'. Write 'var \(name): Type'.")
            }
            return type.withoutImplicitUnwrapping
        }
    }

    // MARK: - The getter

    /// Returns the statements of the getter. Checks that there is no other accessor, and that the getter is neither
    /// throwing nor asynchronous.
    func statements(of block: AccessorBlockSyntax) throws -> CodeBlockItemListSyntax {
        guard case .accessors(let accessors) = block.accessors else {
            guard case .getter(let statements) = block.accessors else { return [] }
            return statements
        }
        let getter = accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }
        guard let getter, let body = getter.body, accessors.count == 1 else {
            let fix = getter.map {
                FixIt.offering(
                    "Remove the other accessors", replacing: block,
                    by: block.with(\.accessors, .only($0, of: accessors)))
            }
            throw obstacle(
                "setter", "@Cached cannot cache '\(name)': it must have only a getter. Remove the other accessors.",
                at: block,
                fixes: [fix].compactMap { $0 })
        }
        if getter.effectSpecifiers?.asyncSpecifier != nil {
            throw obstacle(
                "async",
                """
                @Cached cannot cache '\(name)': its getter is asynchronous. Store the result in an observed property.
                """, at: getter)
        }
        if getter.effectSpecifiers?.throwsClause != nil {
            throw obstacle(
                "throws",
                """
                @Cached cannot cache '\(name)': its getter throws. Write \
                'lazy var \(name) = ThrowingComputed(of: self) { … }' to cache the error as well.
                """, at: getter)
        }
        return body.statements
    }

    /// Returns the statements if they are one expression that a result builder replaces.
    func expression(in statements: CodeBlockItemListSyntax) throws -> CodeBlockItemListSyntax {
        let only = statements.count == 1 ? statements.first?.item : nil
        if let result = only?.as(ReturnStmtSyntax.self), let value = result.expression {
            let bare = value.with(\.leadingTrivia, result.leadingTrivia).with(\.trailingTrivia, result.trailingTrivia)
            throw obstacle(
                "return", "@Cached needs a getter of one expression for '\(name)'. Remove 'return'.", at: result,
                fixes: [.offering("Remove 'return'", replacing: result, by: bare)])
        }
        if case .expr(let value) = only, !value.is(IfExprSyntax.self), !value.is(SwitchExprSyntax.self) {
            return statements
        }
        throw obstacle(
            "statements",
            """
            @Cached needs a getter of one expression for '\(name)'. Move the statements to a method and call it, or \
            wrap them in '{ … }()'.
            """, at: statements,
            fixes: statements.isEmpty
                ? [] : [.offering("Wrap the statements in '{ … }()'", replacing: statements, by: statements.asCall)])
    }
}

extension AccessorBlockSyntax.Accessors {
    /// Returns one of the accessors, with the trivia around all of them.
    fileprivate static func only(_ accessor: AccessorDeclSyntax, of all: AccessorDeclListSyntax) -> Self {
        .accessors([
            accessor.with(\.leadingTrivia, all.leadingTrivia).with(\.trailingTrivia, all.trailingTrivia)
        ])
    }
}

extension PatternBindingSyntax {
    /// The binding with its initial value as a getter, if it has a type and a value.
    fileprivate var asGetter: PatternBindingSyntax? {
        guard let typeAnnotation, let value = initializer?.value, accessorBlock == nil else { return nil }
        return PatternBindingSyntax(
            pattern: pattern, typeAnnotation: typeAnnotation.with(\.trailingTrivia, .space),
            accessorBlock: AccessorBlockSyntax(
                leftBrace: .leftBraceToken(trailingTrivia: .space),
                accessors: .getter([CodeBlockItemSyntax(item: .expr(value.trimmed))]),
                rightBrace: .rightBraceToken(leadingTrivia: .space)))
    }
}

extension TypeSyntax {
    /// The type, with `?` instead of `!`, which is not allowed where the macro uses it.
    fileprivate var withoutImplicitUnwrapping: TypeSyntax {
        guard let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return self }
        return TypeSyntax(OptionalTypeSyntax(wrappedType: type.wrappedType))
    }
}

extension CodeBlockItemListSyntax {
    /// The statements as an immediately called closure.
    fileprivate var asCall: CodeBlockItemListSyntax {
        let indentation = String(leadingTrivia.description.reversed().prefix { $0 == " " })
        let lines = trimmedDescription.split(separator: "\n", omittingEmptySubsequences: false)
        let text =
            lines.count == 1
            ? "{ \(lines[0]) }()"
            : (["{", indentation + lines[0]] + lines.dropFirst()).joined(separator: "\n    ") + "\n\(indentation)}()"
        // One node of source text, for the editor. Its structure is not used.
        return [
            CodeBlockItemSyntax(
                leadingTrivia: leadingTrivia, item: .expr("\(raw: text)"), trailingTrivia: trailingTrivia)
        ]
    }
}
