// The attributes of a variable: those that the macros use, and those that may be a property wrapper.

import SwiftSyntax

extension AttributeListSyntax {
    /// The attributes outside of `#if`.
    var all: [AttributeSyntax] { compactMap { $0.as(AttributeSyntax.self) } }

    /// Returns the attribute with a name, with or without a module.
    func first(named name: String) -> AttributeSyntax? { all.first { $0.name == name } }
}

extension AttributeSyntax {
    /// The name without a module or an outer type.
    var name: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    /// Whether the attribute isolates to a global actor, judged by its name.
    var isGlobalActor: Bool { name.hasSuffix("Actor") && arguments == nil }

    /// Whether the attribute may be a property wrapper, or a macro that changes how the variable is stored.
    ///
    /// The compiler's own attributes begin with a lowercase letter or an underscore, except those listed.
    var mayWrap: Bool {
        guard name.first?.isUppercase == true, !isGlobalActor else { return false }
        return !["Sendable", "IBOutlet", "IBInspectable", "GKInspectable", "NSCopying", "NSManaged"].contains(name)
    }
}

extension VariableDeclSyntax {
    func hasModifier(_ keyword: Keyword) -> Bool { modifier(keyword) != nil }

    func modifier(_ keyword: Keyword) -> DeclModifierSyntax? {
        modifiers.first { $0.name.tokenKind == .keyword(keyword) }
    }

    /// Whether the variable belongs to the type, not to an instance.
    var isStatic: Bool { hasModifier(.static) || hasModifier(.class) }

    var isVar: Bool { bindingSpecifier.tokenKind == .keyword(.var) }

    /// Returns the declaration with an additional attribute before all others.
    func adding(_ attribute: AttributeSyntax) -> VariableDeclSyntax {
        var bare = self
        bare.leadingTrivia = []
        bare.attributes = [.attribute(attribute.with(\.trailingTrivia, .space))] + bare.attributes
        return bare.with(\.leadingTrivia, leadingTrivia)
    }

    /// Returns the declaration without an attribute.
    func removing(_ attribute: AttributeSyntax) -> VariableDeclSyntax {
        var rest = self
        rest.attributes = attributes.filter { $0.id != attribute.id }
        return rest.with(\.leadingTrivia, leadingTrivia)
    }

    /// Returns the declaration without a modifier.
    func removing(_ modifier: DeclModifierSyntax) -> VariableDeclSyntax {
        var rest = self
        rest.modifiers = modifiers.filter { $0.id != modifier.id }
        return rest.with(\.leadingTrivia, leadingTrivia)
    }
}

extension PatternBindingSyntax {
    /// Whether the variable is stored: it has no accessors other than observers.
    var isStored: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let accessors):
            accessors.allSatisfy {
                [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            }
        }
    }
}
