// A property that is marked `@Cached`: what its macros need of it, or why it cannot be cached.

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

    /// Why a property cannot be cached, and the changes that fix it.
    struct Obstacle: Error {
        let complaint: Complaint
        let node: Syntax
        let fixes: [FixIt]
    }

    /// Reads a variable that is marked `@Cached`.
    ///
    /// - Throws: `Obstacle` if it cannot be cached.
    init(_ variable: VariableDeclSyntax, of owner: Owner?) throws {
        let attribute = variable.attributes.first(named: "Cached")
        let removal = attribute.map { [FixIt.removing($0, of: variable)] } ?? []
        func obstacle(_ id: String, _ message: String, at node: some SyntaxProtocol, _ fixes: [FixIt] = []) -> Obstacle
        {
            Obstacle(complaint: Complaint(id: id, message: message), node: Syntax(node), fixes: fixes + removal)
        }
        guard let binding = variable.bindings.first, variable.bindings.count == 1,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else {
            throw obstacle("several", "@Cached needs a declaration of one property.", at: variable)
        }
        // Backticks stay where the name stands alone.
        let text = pattern.identifier.text.filter { $0 != "`" }
        guard let owner, owner.isObject, !variable.isStatic else {
            throw obstacle("owner", CachedProperty.reason(text, owner, isStatic: variable.isStatic), at: variable)
        }
        guard !binding.isStored, let block = binding.accessorBlock else {
            throw obstacle(
                "stored", "@Cached needs a computed property, and '\(text)' is stored. Give it a getter.", at: variable,
                binding.asGetter.map {
                    [
                        .offering(
                            "Turn the initial value into a getter", replacing: variable,
                            by: variable.with(\.bindings, [$0]))
                    ]
                }
                    ?? [])
        }
        guard owner.attributes.first(named: "Model") != nil else {
            throw obstacle(
                "model",
                "@Cached needs @Model on \(owner.description). Write '@Model \(owner.kind.rawValue) \(owner.name)'.",
                at: variable)
        }
        guard let type = binding.typeAnnotation?.type.trimmed else {
            throw obstacle("type", "@Cached needs the type of '\(text)'. Write 'var \(text): Type'.", at: variable)
        }
        var statements: CodeBlockItemListSyntax
        switch block.accessors {
        case .getter(let items): statements = items
        case .accessors(let accessors):
            let getter = accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }
            guard let getter, let body = getter.body, accessors.count == 1 else {
                let onlyGetter = getter.map { getter in
                    block.with(
                        \.accessors,
                        .accessors([
                            getter.with(\.leadingTrivia, accessors.leadingTrivia).with(
                                \.trailingTrivia, accessors.trailingTrivia)
                        ]))
                }
                throw obstacle(
                    "setter", "@Cached cannot cache '\(text)': it has more than a getter. Keep the getter alone.",
                    at: block,
                    onlyGetter.map { [.offering("Keep the getter alone", replacing: block, by: $0)] } ?? [])
            }
            if getter.effectSpecifiers?.asyncSpecifier != nil {
                throw obstacle(
                    "async",
                    "@Cached cannot cache '\(text)': its getter is asynchronous. Keep what it loads in an observed property.",
                    at: getter)
            }
            if getter.effectSpecifiers?.throwsClause != nil {
                throw obstacle(
                    "throws",
                    """
                    @Cached cannot cache '\(text)': its getter throws. Write \
                    'lazy var \(text) = ThrowingComputed(of: self) { … }' to cache the error as well.
                    """, at: getter)
            }
            statements = body.statements
        }
        if statements.count == 1, let result = statements.first?.item.as(ReturnStmtSyntax.self),
            let value = result.expression
        {
            let expression = value.with(\.leadingTrivia, result.leadingTrivia).with(
                \.trailingTrivia, result.trailingTrivia)
            throw obstacle(
                "return", "@Cached needs a getter of one expression for '\(text)'. Remove 'return'.", at: result,
                [.offering("Remove 'return'", replacing: result, by: expression)])
        }
        guard statements.count == 1, let item = statements.first?.item, case .expr(let value) = item,
            !value.is(IfExprSyntax.self), !value.is(SwitchExprSyntax.self)
        else {
            throw obstacle(
                "statements",
                """
                @Cached needs a getter of one expression for '\(text)'. Move the statements to a method and call it, or \
                wrap them in '{ … }()'.
                """, at: statements,
                statements.isEmpty
                    ? [] : [.offering("Wrap the statements in '{ … }()'", replacing: statements, by: statements.asCall)]
            )
        }
        name = text
        self.type = type.withoutImplicitUnwrapping
        body = statements
        attributes = variable.attributes.all.filter { $0.name == "available" || $0.isGlobalActor }.map(\.trimmed)
        isNonisolated = variable.hasModifier(.nonisolated)
    }

    /// Why a property of this owner has nothing to cache for.
    private static func reason(_ name: String, _ owner: Owner?, isStatic: Bool) -> String {
        guard let owner else {
            return "@Cached caches properties of classes and actors. Remove @Cached from '\(name)'."
        }
        if isStatic {
            return
                "@Cached cannot cache static var '\(name)': there is no object that it belongs to. Use a 'static let' with a Computed."
        }
        if owner.kind == .extension {
            return
                "@Cached cannot cache '\(name)' in \(owner.description): extensions store nothing. Move it to the declaration of '\(owner.name)'."
        }
        return """
            @Cached cannot cache '\(name)' in \(owner.description): there is no object that it belongs to. Remove @Cached; \
            readers of a computed property still track what its getter reads.
            """
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
    /// The type, with `?` for `!`, which is not allowed where the macro writes it.
    fileprivate var withoutImplicitUnwrapping: TypeSyntax {
        guard let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return self }
        return TypeSyntax(OptionalTypeSyntax(wrappedType: type.wrappedType))
    }
}

extension CodeBlockItemListSyntax {
    /// The statements as a closure that is called in place.
    fileprivate var asCall: CodeBlockItemListSyntax {
        let indentation = String(leadingTrivia.description.reversed().prefix { $0 == " " })
        let lines = trimmedDescription.split(separator: "\n", omittingEmptySubsequences: false)
        let text =
            lines.count == 1
            ? "{ \(lines[0]) }()"
            : (["{", indentation + lines[0]] + lines.dropFirst()).joined(separator: "\n    ") + "\n\(indentation)}()"
        // One node of source text, for the editor. Nothing looks into it.
        return [
            CodeBlockItemSyntax(
                leadingTrivia: leadingTrivia, item: .expr("\(raw: text)"), trailingTrivia: trailingTrivia)
        ]
    }
}
