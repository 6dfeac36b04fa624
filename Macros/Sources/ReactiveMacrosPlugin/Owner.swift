// The type of a property, as found by a macro.

import SwiftSyntax

struct Owner {
    enum Kind: String {
        case `class`, actor, `struct`, `enum`, `protocol`
        case `extension`
    }

    let kind: Kind
    let name: String
    let attributes: AttributeListSyntax

    private init(_ kind: Kind, _ name: some SyntaxProtocol, _ attributes: AttributeListSyntax) {
        self.kind = kind
        self.name = name.trimmedDescription
        self.attributes = attributes
    }

    /// Creates an owner; `nil` for syntax without members.
    init?(_ syntax: some SyntaxProtocol) {
        switch Syntax(syntax).as(SyntaxEnum.self) {
        case .classDecl(let type): self.init(.class, type.name, type.attributes)
        case .actorDecl(let type): self.init(.actor, type.name, type.attributes)
        case .structDecl(let type): self.init(.struct, type.name, type.attributes)
        case .enumDecl(let type): self.init(.enum, type.name, type.attributes)
        case .protocolDecl(let type): self.init(.protocol, type.name, type.attributes)
        case .extensionDecl(let type): self.init(.extension, type.extendedType, type.attributes)
        default: return nil
        }
    }

    /// The name in messages, such as "class 'Order'".
    var description: String { kind == .extension ? "an extension of '\(name)'" : "\(kind.rawValue) '\(name)'" }

    /// Whether its properties may be cached: it is a class or an actor, and not an extension.
    var isObject: Bool { kind == .class || kind == .actor }
}
