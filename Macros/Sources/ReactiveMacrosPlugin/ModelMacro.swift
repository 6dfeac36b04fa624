// `@Model`: adds `@Observed` to each stored `var` of a type, and a result builder to each `@Cached` property.
//
// The compiler asks for the attributes of one variable at a time. For `var a = 1, b = 2` it asks about `a` and about
// `b`, with the same syntax. So problems of a whole declaration are reported in the macro's other role, which runs
// once.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

package struct ModelMacro: MemberAttributeMacro, MemberMacro {
    // MARK: - Each variable

    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) -> [AttributeSyntax] {
        guard let variable = member.as(VariableDeclSyntax.self), let owner = Owner(declaration),
            variable.isVar, !variable.isStatic, variable.bindings.count == 1, let binding = variable.bindings.first,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
        else { return [] }
        if variable.attributes.first(named: "Cached") != nil {
            guard let property = try? CachedProperty(variable, of: owner) else { return [] }
            return ["@\(raw: property.builder)"]
        }
        guard binding.isStored, owner.isObject || owner.kind == .struct else { return [] }
        return isObservable(variable, binding, named: name, in: context) ? ["@Reactive.Observed"] : []
    }

    /// Returns whether the variable is to be observed. Reports a variable that must be observed and cannot be.
    private static func isObservable(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, named name: String,
        in context: some MacroExpansionContext
    ) -> Bool {
        let attributes = variable.attributes
        if ["Unobserved", "Observed", "Observable"].contains(where: { attributes.first(named: $0) != nil }) {
            return false
        }
        if let ignored = attributes.first(named: "ObservationIgnored") {
            let mark = ignored.with(\.attributeName, "Unobserved").with(\.trailingTrivia, ignored.trailingTrivia)
            Complaint(
                id: "ignored",
                message: """
                    '\(name)' is marked @ObservationIgnored, which belongs to Apple's Observation. @Model does not \
                    observe '\(name)' either. Write @Unobserved instead.
                    """,
                severity: .warning
            ).report(
                at: ignored, fixes: [.offering("Replace it with '@Unobserved'", replacing: ignored, by: mark)],
                in: context)
            return false
        }
        let unobserved = FixIt.offering(
            "Mark '\(name)' as '@Unobserved'", replacing: variable, by: variable.adding("@Unobserved"))
        if let wrapper = attributes.all.first(where: \.mayWrap) {
            let wrapperName = wrapper.attributeName.trimmedDescription
            Complaint(
                id: "wrapped",
                message: """
                    @Model cannot observe '\(name)': it has the attribute @\(wrapperName), and a variable can have \
                    only one property wrapper. Mark it @Unobserved, or remove @\(wrapperName).
                    """
            ).report(at: wrapper, fixes: [unobserved, .removing(wrapper, of: variable)], in: context)
            return false
        }
        let obstacles: [(keyword: Keyword, reason: String)] = [
            (.lazy, "a property wrapper takes its initial value when the object is created"),
            (.weak, "an observable keeps its value alive"), (.unowned, "an observable keeps its value alive"),
        ]
        for obstacle in obstacles {
            guard let modifier = variable.modifier(obstacle.keyword) else { continue }
            if obstacle.keyword == .lazy, createsNode(binding) { return false }
            let text = modifier.trimmedDescription
            Complaint(
                id: modifier.name.text,
                message: """
                    @Model cannot observe \(text) var '\(name)': \(obstacle.reason). Mark it @Unobserved, or \
                    remove '\(text)'.
                    """
            ).report(
                at: modifier,
                fixes: [
                    unobserved, .offering("Remove '\(text)'", replacing: variable, by: variable.removing(modifier)),
                ],
                in: context)
            return false
        }
        return true
    }

    /// Whether the initial value is a computed or a history, so that the variable never changes and is part of the
    /// graph.
    private static func createsNode(_ binding: PatternBindingSyntax) -> Bool {
        var callee = binding.initializer?.value.as(FunctionCallExprSyntax.self)?.calledExpression
        if let generic = callee?.as(GenericSpecializationExprSyntax.self) { callee = generic.expression }
        let name =
            callee?.as(MemberAccessExprSyntax.self)?.declName.baseName
            ?? callee?.as(DeclReferenceExprSyntax.self)?.baseName
        return ["Computed", "ThrowingComputed", "History"].contains(name?.text)
    }

    // MARK: - Whole declarations

    package static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let owner = Owner(declaration) else { return [] }
        if owner.isObject || owner.kind == .struct {
            check(declaration.memberBlock.members, in: context)
        } else {
            let advice =
                owner.kind == .extension
                ? "Apply @Model where '\(owner.name)' is declared." : "Apply @Model to a class, a struct or an actor."
            Complaint(
                id: "kind",
                message: "@Model cannot observe \(owner.description): it has no stored properties. \(advice)"
            ).report(at: node, fixes: [.removal(of: node, from: declaration)], in: context)
        }
        return []
    }

    private static func check(_ members: MemberBlockItemListSyntax, in context: some MacroExpansionContext) {
        for member in members {
            if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
                for clause in conditional.clauses {
                    if case .decls(let members) = clause.elements { check(members, in: context) }
                }
            } else if let variable = member.decl.as(VariableDeclSyntax.self), variable.isVar, !variable.isStatic,
                variable.attributes.first(named: "Unobserved") == nil
            {
                check(variable, in: context)
            }
        }
    }

    /// Reports a declaration of several variables.
    private static func check(_ variable: VariableDeclSyntax, in context: some MacroExpansionContext) {
        let names = variable.bindings.flatMap { Names.all(in: $0.pattern) }
        guard variable.bindings.count > 1 || variable.bindings.first?.pattern.is(TuplePatternSyntax.self) == true else {
            return
        }
        let list = names.map { "'\($0)'" }.formatted
        Complaint(
            id: "several",
            message: """
                @Model cannot observe \(list) in one declaration: a property wrapper applies to a single variable. \
                Declare each variable separately.
                """
        ).report(
            at: variable,
            fixes: separated(variable).map {
                [.offering("Declare each separately", replacing: variable, by: $0)]
            } ?? [],
            in: context)
    }

    /// Returns the declaration split into several, if each variable has a type or a value of its own.
    private static func separated(_ variable: VariableDeclSyntax) -> DeclSyntax? {
        var parts: [String] = []
        for binding in variable.bindings {
            if let pattern = binding.pattern.as(TuplePatternSyntax.self) {
                guard let values = binding.initializer?.value.as(TupleExprSyntax.self)?.elements,
                    values.count == pattern.elements.count, binding.typeAnnotation == nil
                else { return nil }
                for (element, value) in zip(pattern.elements, values) {
                    guard element.pattern.is(IdentifierPatternSyntax.self) else { return nil }
                    parts.append("\(element.pattern.trimmed) = \(value.expression.trimmed)")
                }
            } else {
                guard binding.typeAnnotation != nil || binding.initializer != nil else { return nil }
                parts.append(binding.with(\.trailingComma, nil).trimmedDescription)
            }
        }
        var start = variable
        start.bindings = []
        let prefix = start.trimmedDescription
        // All lines have the indentation of the declaration.
        let indentation =
            variable.leadingTrivia.description.split(separator: "\n").last.map { $0.prefix { $0 == " " } } ?? ""
        let text = parts.map { "\(prefix) \($0)" }.joined(separator: "\n" + indentation)
        // One node of source text, for the editor. Its structure is not used.
        return DeclSyntax(
            MissingDeclSyntax(placeholder: .identifier(text))
                .with(\.leadingTrivia, variable.leadingTrivia).with(\.trailingTrivia, variable.trailingTrivia))
    }
}

/// The names that a pattern declares.
private enum Names {
    static func all(in pattern: PatternSyntax) -> [String] {
        if let tuple = pattern.as(TuplePatternSyntax.self) { return tuple.elements.flatMap { all(in: $0.pattern) } }
        return [pattern.as(IdentifierPatternSyntax.self)?.identifier.text ?? pattern.trimmedDescription]
    }
}

extension [String] {
    /// The words as a list in a sentence.
    fileprivate var formatted: String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " and " + self[count - 1]
    }
}

extension FixIt {
    /// Returns a fix that removes an attribute of a type.
    fileprivate static func removal(of attribute: AttributeSyntax, from declaration: some DeclGroupSyntax) -> FixIt {
        var rest = declaration
        // The attribute has no surrounding tree, so it is found by its name.
        rest.attributes = declaration.attributes.filter { $0.as(AttributeSyntax.self)?.name != attribute.name }
        rest.leadingTrivia = declaration.leadingTrivia
        return .offering(
            "Remove '@\(attribute.attributeName.trimmedDescription)'", replacing: declaration, by: rest)
    }
}
