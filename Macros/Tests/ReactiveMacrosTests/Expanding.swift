// Expansion of source text in a test, outside the compiler.

import ReactiveMacrosPlugin
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Expands the macros in a source text and compares the result, the errors, and the source after the fixes.
///
/// - Parameters:
///   - source: The text.
///   - expected: The text after the expansion.
///   - reports: The errors, in this order.
///   - fix: The fix that is applied.
///   - fixed: The source afterwards.
func expectExpansion(
    of source: String, into expected: String, reports: [DiagnosticSpec] = [], accepting fix: String? = nil,
    gives fixed: String? = nil, at location: SourceLocation = #_sourceLocation
) {
    let macros: [String: MacroSpec] = [
        "Model": MacroSpec(type: ModelMacro.self), "Unobserved": MacroSpec(type: UnobservedMacro.self),
        "Cached": MacroSpec(type: CachedMacro.self),
    ]
    assertMacroExpansion(
        source, expandedSource: expected, diagnostics: reports, macroSpecs: macros, applyFixIts: fix.map { [$0] },
        fixedSource: fixed
    ) { Issue.record("\($0.message)", sourceLocation: location) }
}

/// An error, with its possible fixes.
func error(_ message: String, line: Int, column: Int, offers: String...) -> DiagnosticSpec {
    DiagnosticSpec(
        message: message, line: line, column: column, severity: .error, fixIts: offers.map { FixItSpec(message: $0) })
}
