// The diagnostics of the macros: a message states what is not possible, for which declaration, and what to write
// instead.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

struct Complaint: DiagnosticMessage {
    let id: String
    let message: String
    var severity = DiagnosticSeverity.error

    var diagnosticID: MessageID { MessageID(domain: "ReactiveMacros", id: id) }

    /// Reports the message at a node, with fixes.
    func report(
        at node: some SyntaxProtocol, fixes: [FixIt] = [], in context: some MacroExpansionContext
    ) {
        context.diagnose(Diagnostic(node: node, message: self, fixIts: fixes))
    }
}

/// The message of a fix in an editor.
struct Offer: FixItMessage {
    let message: String
    var fixItID: MessageID { MessageID(domain: "ReactiveMacros", id: message) }
}

extension FixIt {
    /// Returns a fix that replaces a node.
    static func offering(
        _ message: String, replacing old: some SyntaxProtocol, by new: some SyntaxProtocol
    ) -> FixIt {
        FixIt(message: Offer(message: message), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }

    /// Returns a fix that removes an attribute of a variable.
    static func removing(_ attribute: AttributeSyntax, of variable: VariableDeclSyntax) -> FixIt {
        offering(
            "Remove '@\(attribute.attributeName.trimmedDescription)'", replacing: variable,
            by: variable.removing(attribute))
    }
}
