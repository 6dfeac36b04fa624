// The mutants of a Swift file.
//
// The changes are those that reviews look for: a condition that always or never holds, one of its parts left out, a
// boundary, a flag, a sum, a statement that is gone. A change that does not compile is found when the copy is built,
// and is left out then.

import SwiftOperators
import SwiftParser
import SwiftSyntax

extension Mutation {
    /// Finds the mutants of a Swift file.
    package init(
        ofSwift source: String, file: String, firstNumber: Int = 0, includes: @escaping (Mutant) -> Bool = { _ in true }
    ) {
        let parsed = Parser.parse(source: source)
        let folded = OperatorTable.standardOperators.foldAll(parsed, errorHandler: { _ in })
        let visitor = SwiftMutator(
            builder: MutationBuilder(file: file, source: source, firstNumber: firstNumber, includes: includes))
        visitor.walk(folded)
        self = visitor.builder.mutation
    }
}

private final class SwiftMutator: SyntaxVisitor {
    var builder: MutationBuilder

    init(builder: MutationBuilder) {
        self.builder = builder
        super.init(viewMode: .sourceAccurate)
    }

    // MARK: - Conditions

    override func visit(_ node: ConditionElementListSyntax) -> SyntaxVisitorContinueKind {
        let isLoop = node.parent?.is(WhileStmtSyntax.self) == true
        var binds = false
        for element in node {
            switch element.condition {
            case .expression(let condition):
                // `while true` needs no return behind it.
                if condition.is(BooleanLiteralExprSyntax.self) { return .skipChildren }
                if !isLoop { addAlwaysTrue(condition) }
                addAlwaysFalse(condition)
            case .optionalBinding, .matchingPattern: binds = true
            case .availability: return .skipChildren
            }
        }
        if binds, let last = node.last {
            let piece = range(of: node)
            if let isActive = builder.add(.alwaysFalse, of: piece) {
                let end = last.condition.endPositionBeforeTrailingTrivia.utf8Offset
                builder.edits.wrap(end..<end, in: ", !\(isActive)", "")
            }
        }
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        addAlwaysTrue(node.condition)
        addAlwaysFalse(node.condition)
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        addAlwaysTrue(node.condition)
        return .visitChildren
    }

    override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
        addAlwaysFalse(node.condition)
        return .visitChildren
    }

    private func addAlwaysTrue(_ node: some ExprSyntaxProtocol) {
        guard let isActive = builder.add(.alwaysTrue, of: range(of: node)) else { return }
        // The inner parentheses are needed around a part with a weaker operator.
        builder.edits.wrap(range(of: node), in: "(\(isActive) || (", "))")
    }

    private func addAlwaysFalse(_ node: some ExprSyntaxProtocol) {
        guard let isActive = builder.add(.alwaysFalse, of: range(of: node)) else { return }
        builder.edits.wrap(range(of: node), in: "(!\(isActive) && (", "))")
    }

    // MARK: - Operators

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let operation = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else {
            return .visitChildren
        }
        switch operation {
        case "&&":
            addAlwaysTrue(node.leftOperand)
            addAlwaysTrue(node.rightOperand)
        case "||":
            addAlwaysFalse(node.leftOperand)
            addAlwaysFalse(node.rightOperand)
        case "<": addAlternative(.boundary, to: node, "<=")
        case "<=": addAlternative(.boundary, to: node, "<")
        case ">": addAlternative(.boundary, to: node, ">=")
        case ">=": addAlternative(.boundary, to: node, ">")
        case "==", "!=", "===", "!==":
            // Where the comparison is a condition or a part of one, that has stronger mutants.
            guard !isPartOfCondition(node),
                let isActive = builder.add(.negated, of: range(of: node))
            else { break }
            builder.edits.wrap(range(of: node), in: "(\(isActive) != (", "))")
        case "+": addAlternative(.arithmetic, to: node, "-")
        case "-": addAlternative(.arithmetic, to: node, "+")
        case "&+": addAlternative(.arithmetic, to: node, "&-")
        case "&-": addAlternative(.arithmetic, to: node, "&+")
        default: break
        }
        return .visitChildren
    }

    /// Adds a mutant with a different operator, in which the operands have no mutants.
    private func addAlternative(_ kind: Mutant.Kind, to node: InfixOperatorExprSyntax, _ operation: String) {
        let piece = range(of: node)
        let operands = [node.leftOperand, node.rightOperand].map { builder.edits.text(range(of: $0)) }
        guard !operands.contains(where: { $0.contains("\n") || $0.contains("\"") }),
            let isActive = builder.add(kind, of: piece)
        else { return }
        builder.edits.wrap(piece, in: "(\(isActive) ? \(operands[0]) \(operation) \(operands[1]) : (", "))")
    }

    private func isPartOfCondition(_ node: some SyntaxProtocol) -> Bool {
        guard let parent = node.parent else { return false }
        if parent.is(ConditionElementSyntax.self) { return true }
        guard let infix = parent.as(InfixOperatorExprSyntax.self),
            let operation = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text
        else { return false }
        return operation == "&&" || operation == "||"
    }

    // MARK: - Literals and flags

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.parent?.is(InitializerClauseSyntax.self) != true || isLocal(node),
            let isActive = builder.add(.negated, of: range(of: node))
        else { return .skipChildren }
        builder.edits.wrap(range(of: node), in: "(\(isActive) != ", ")")
        return .skipChildren
    }

    /// Operations that take a set of flags and return one.
    private static let flagOperations: Set = ["union", "subtracting", "intersection"]
    /// Operations that take a set of flags.
    private static let flagUses: Set = [
        "union", "subtracting", "intersection", "isDisjoint", "isSuperset", "insert", "remove",
    ]

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        guard let member = node.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base,
            let argument = node.arguments.first, node.arguments.count == 1
        else { return .visitChildren }
        let name = member.declName.baseName.text
        if Self.flagUses.contains(name), let array = argument.expression.as(ArrayExprSyntax.self),
            array.elements.allSatisfy({ $0.expression.as(MemberAccessExprSyntax.self)?.base == nil })
        {
            for element in array.elements where array.elements.count > 1 {
                let piece = range(of: element.expression)
                guard let isActive = builder.add(.flagGone, of: piece) else { continue }
                builder.edits.wrap(piece, in: "(\(isActive) ? [] : ", ")")
            }
        }
        let baseText = builder.edits.text(range(of: base))
        if Self.flagOperations.contains(name), !baseText.contains("\n"),
            let isActive = builder.add(.flagGone, of: range(of: node))
        {
            builder.edits.wrap(range(of: node), in: "(\(isActive) ? \(baseText) : ", ")")
        }
        return .visitChildren
    }

    // MARK: - Statements

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        guard isDeletable(node.item), !isImplicitReturn(node),
            let isActive = builder.add(.deleted, of: range(of: node))
        else { return .visitChildren }
        builder.edits.wrap(range(of: node.item), in: "if !\(isActive) { ", " }")
        return .visitChildren
    }

    /// Whether a statement is a call or an assignment that a program compiles without.
    private func isDeletable(_ item: CodeBlockItemSyntax.Item) -> Bool {
        guard case .expr(var expression) = item else { return false }
        if let effect = expression.as(TryExprSyntax.self) { expression = effect.expression }
        if let effect = expression.as(AwaitExprSyntax.self) { expression = effect.expression }
        if let call = expression.as(FunctionCallExprSyntax.self) {
            let name = call.calledExpression.trimmedDescription
            let isInitializer = name.hasPrefix("super.init") || name.hasPrefix("self.init")
            // A created object is the value of a branch. Functions that do not return are named `stopForLackOfStack`.
            return !isInitializer && name.first?.isUppercase != true
                && !["fatalError", "preconditionFailure"].contains(name) && !name.hasPrefix("stopFor")
        }
        guard let infix = expression.as(InfixOperatorExprSyntax.self) else { return false }
        let isAssignment =
            infix.operator.is(AssignmentExprSyntax.self)
            || infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text.hasSuffix("=") == true
        return isAssignment && !isInInitializer(infix) && !isFirstAssignment(infix)
    }

    /// Whether an assignment may be the first one to a variable that was declared without a value.
    private func isFirstAssignment(_ assignment: InfixOperatorExprSyntax) -> Bool {
        guard let name = assignment.leftOperand.as(DeclReferenceExprSyntax.self)?.baseName.text else { return false }
        var parent = assignment.parent
        while let current = parent, !current.is(FunctionDeclSyntax.self) {
            for item in current.as(CodeBlockItemListSyntax.self) ?? [] {
                let bindings = item.item.as(VariableDeclSyntax.self)?.bindings ?? []
                let isDeclared = bindings.contains {
                    $0.initializer == nil && $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == name
                }
                if isDeclared { return true }
            }
            parent = current.parent
        }
        return false
    }

    /// Whether the statement is the only one of a body, whose value it may be.
    private func isImplicitReturn(_ node: CodeBlockItemSyntax) -> Bool {
        guard let list = node.parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let body = list.parent else {
            return false
        }
        if body.is(ClosureExprSyntax.self) { return true }
        if body.is(AccessorBlockSyntax.self) { return true }
        if let function = body.parent?.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
        return body.parent?.as(AccessorDeclSyntax.self)?.accessorSpecifier.text == "get"
    }

    private func isInInitializer(_ node: some SyntaxProtocol) -> Bool {
        var parent = node.parent
        while let current = parent {
            if current.is(InitializerDeclSyntax.self) { return true }
            if current.is(FunctionDeclSyntax.self) || current.is(ClosureExprSyntax.self) { return false }
            parent = current.parent
        }
        return false
    }

    // MARK: - Left out

    override func visit(_ node: AttributeListSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: FunctionParameterClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: SwitchCaseLabelSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    /// Code for a different build is not built.
    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    // MARK: - Places

    private func range(of node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    private func isLocal(_ node: some SyntaxProtocol) -> Bool {
        var parent = node.parent
        while let current = parent {
            if current.is(CodeBlockItemListSyntax.self) { return current.parent?.is(SourceFileSyntax.self) == false }
            if current.is(MemberBlockSyntax.self) { return false }
            parent = current.parent
        }
        return false
    }
}
