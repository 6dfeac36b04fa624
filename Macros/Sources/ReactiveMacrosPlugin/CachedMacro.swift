// `@Cached`: generates the storage of a cached property, and the result builder with which its getter reads the cache.
//
// Up to Swift 6.3 no macro can replace the body of a computed property (proposed in SE-0415; see
// swiftlang/swift#75715). A result builder can: the compiler turns the getter `{ price * count }` into
//
//     _Cached_total.buildBlock(_Cached_total.buildExpression(price * count))
//
// The builder takes the expression as an autoclosure that it never calls. Its second parameter has a macro as the
// default value. Such macros expand where the function is called (SE-0422): in the getter, where `self` is the owner.
//
//     _Cached_total.buildExpression(price * count, cached: self._cached_total)
//
// The expression itself is copied to the method `_compute_total`, which the `Computed` calls. `@Model` adds the builder
// to the property, because a peer macro cannot change the declaration that it is attached to.
//
// A builder transforms only expressions: other statements run unchanged, and `return` disables it. Therefore a getter
// must be one expression.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

package struct CachedMacro: PeerMacro {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self) else {
            Complaint(
                id: "kind",
                message: "@Cached caches computed properties. Turn this declaration into one, or remove @Cached."
            )
            .report(at: node, in: context)
            return []
        }
        do {
            let property = try CachedProperty(variable, of: context.lexicalContext.first.flatMap { Owner($0) })
            return property.peers
        } catch let obstacle as CachedProperty.Obstacle {
            obstacle.complaint.report(at: obstacle.node, fixes: obstacle.fixes, in: context)
        } catch {
            // `CachedProperty` throws nothing else.
        }
        return []
    }
}

extension CachedProperty {
    /// The members that are generated next to the property.
    fileprivate var peers: [DeclSyntax] {
        let attributes = attributes.map { "\($0)\n" }.joined()
        let isolation = isNonisolated ? "nonisolated " : ""
        let nowhere = isNonisolated ? ", isolation: nil" : ""
        return [
            "\(raw: isolation)private let _\(raw: name) = Reactive._CachedProperty<\(type)>()",
            """
            \(raw: attributes)\(raw: isolation)private func _compute_\(raw: name)() -> \(type) {\(body)}
            """,
            """
            \(raw: attributes)\(raw: isolation)private var _cached_\(raw: name): \(type) {
                _\(raw: name).value(of: self\(raw: nowhere)) { $0._compute_\(raw: name)() }
            }
            """,
            """
            \(raw: attributes)@resultBuilder private enum \(raw: builder) {
                static func buildExpression(
                    _ expression: @autoclosure () -> \(type),
                    cached: @autoclosure () -> \(type) = #_cachedValue("\(raw: name)")
                ) -> \(type) { cached() }
                static func buildBlock<_CachedResult>(_ value: _CachedResult) -> _CachedResult { value }
            }
            """,
        ]
    }
}

/// `#_cachedValue("total")`: the cached value of the property in whose getter it expands.
package struct CachedValueMacro: ExpressionMacro {
    package static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) -> ExprSyntax {
        let name = node.arguments.first?.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue ?? ""
        return "self._cached_\(raw: name)"
    }
}
