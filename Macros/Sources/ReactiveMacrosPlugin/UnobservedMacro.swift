// `@Unobserved`: a mark that `@Model` finds. It expands to nothing.

import SwiftSyntax
import SwiftSyntaxMacros

package struct UnobservedMacro: PeerMacro {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] { [] }
}
