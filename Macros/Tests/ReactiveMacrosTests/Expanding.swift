// Expanding source text in a test, outside of the compiler.

import ReactiveMacrosPlugin
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Expands the macros in a source text and compares the result, the reports, and what the fixes make of the source.
///
/// - Parameters:
///   - source: The text.
///   - expected: The text after the expansion.
///   - reports: What is reported, in this order.
///   - fix: The offer that is accepted.
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

/// A report of an error, with what is offered to fix it.
func error(_ message: String, line: Int, column: Int, offers: String...) -> DiagnosticSpec {
    DiagnosticSpec(
        message: message, line: line, column: column, severity: .error, fixIts: offers.map { FixItSpec(message: $0) })
}
