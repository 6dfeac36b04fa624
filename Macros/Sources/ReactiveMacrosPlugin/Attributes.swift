// The attributes of a variable: which mean something to the macros, and which may be a property wrapper.

import SwiftSyntax

extension AttributeListSyntax {
    /// The attributes outside of `#if`.
    var all: [AttributeSyntax] { compactMap { $0.as(AttributeSyntax.self) } }

    /// The attribute of this name, with or without a module before it.
    func first(named name: String) -> AttributeSyntax? { all.first { $0.name == name } }
}

extension AttributeSyntax {
    /// The name without a module or an outer type.
    var name: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    /// Whether the attribute isolates to a global actor, as far as its name says.
    var isGlobalActor: Bool { name.hasSuffix("Actor") && arguments == nil }

    /// Whether the attribute may be a property wrapper, or a macro that changes how the variable is stored.
    ///
    /// The compiler's own attributes begin with a lowercase letter or an underscore, but for those listed.
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

    /// Whether it belongs to the type, and not to an instance.
    var isStatic: Bool { hasModifier(.static) || hasModifier(.class) }

    var isVar: Bool { bindingSpecifier.tokenKind == .keyword(.var) }

    /// The same declaration with one attribute more, before all others.
    func adding(_ attribute: AttributeSyntax) -> VariableDeclSyntax {
        var bare = self
        bare.leadingTrivia = []
        bare.attributes = [.attribute(attribute.with(\.trailingTrivia, .space))] + bare.attributes
        return bare.with(\.leadingTrivia, leadingTrivia)
    }

    /// The same declaration without an attribute.
    func removing(_ attribute: AttributeSyntax) -> VariableDeclSyntax {
        var rest = self
        rest.attributes = attributes.filter { $0.id != attribute.id }
        return rest.with(\.leadingTrivia, leadingTrivia)
    }

    /// The same declaration without a modifier.
    func removing(_ modifier: DeclModifierSyntax) -> VariableDeclSyntax {
        var rest = self
        rest.modifiers = modifiers.filter { $0.id != modifier.id }
        return rest.with(\.leadingTrivia, leadingTrivia)
    }
}

extension PatternBindingSyntax {
    /// Whether there is a value in memory: there are no accessors, or observers alone.
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
