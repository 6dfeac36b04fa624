// The program that the compiler runs to expand the macros.

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct ReactiveMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ModelMacro.self, UnobservedMacro.self, CachedMacro.self, CachedValueMacro.self,
    ]
}
