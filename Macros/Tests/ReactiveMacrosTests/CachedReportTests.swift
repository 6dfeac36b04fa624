// The errors of `@Cached`, and the source after its fixes.

import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite struct CachedReportTests {
    /// Expects an error at a property, and compares the source after a fix.
    private func expectReport(
        of property: String, in owner: String = "@Model final class Order", _ report: DiagnosticSpec,
        accepting fix: String? = nil, gives fixed: String? = nil, at location: SourceLocation = #_sourceLocation
    ) {
        let bare = property.replacing("@Cached ", with: "")
        expectExpansion(
            of: "\(owner) {\n    \(property)\n}", into: "\(owner.replacing("@Model ", with: "")) {\n    \(bare)\n}",
            reports: [report], accepting: fix ?? "Remove '@Cached'",
            gives: "\(owner) {\n    \(fixed ?? bare)\n}", at: location)
    }

    @Test func aGetterOfSeveralStatementsIsReported() {
        let message = """
            @Cached needs a getter of one expression for 'total'. Move the statements to a method and call it, or wrap \
            them in '{ … }()'.
            """
        expectReport(
            of: "@Cached var total: Int { let sum = 1; return sum }",
            error(message, line: 2, column: 30, offers: "Wrap the statements in '{ … }()'", "Remove '@Cached'"),
            accepting: "Wrap the statements in '{ … }()'",
            gives: "@Cached var total: Int { { let sum = 1; return sum }() }")
        expectReport(
            of: "@Cached var total: Int { if isOpen { 1 } else { 2 } }",
            error(message, line: 2, column: 30, offers: "Wrap the statements in '{ … }()'", "Remove '@Cached'"),
            accepting: "Wrap the statements in '{ … }()'",
            gives: "@Cached var total: Int { { if isOpen { 1 } else { 2 } }() }")
        expectReport(
            of: "@Cached var total: Int {\n        let sum = 1\n        return sum\n    }",
            error(message, line: 3, column: 9, offers: "Wrap the statements in '{ … }()'", "Remove '@Cached'"),
            accepting: "Wrap the statements in '{ … }()'",
            gives: """
                @Cached var total: Int {
                        {
                            let sum = 1
                            return sum
                        }()
                    }
                """)
    }

    @Test func aReturnIsReported() {
        expectReport(
            of: "@Cached var total: Int { return 1 }",
            error(
                "@Cached needs a getter of one expression for 'total'. Remove 'return'.", line: 2, column: 30,
                offers: "Remove 'return'", "Remove '@Cached'"),
            accepting: "Remove 'return'", gives: "@Cached var total: Int { 1 }")
    }

    @Test func aStoredPropertyIsReported() {
        let message = "@Cached needs a computed property, but 'total' is stored. Give it a getter."
        expectReport(
            of: "@Cached var total: Int = price * 2",
            error(
                message, line: 2, column: 5, offers: "Turn the initial value into a getter", "Remove '@Cached'"),
            accepting: "Turn the initial value into a getter", gives: "@Cached var total: Int { price * 2 }")
        expectReport(of: "@Cached var total = 2", error(message, line: 2, column: 5, offers: "Remove '@Cached'"))
    }

    @Test func aSetterIsReported() {
        expectReport(
            of: "@Cached var total: Int { get { 1 } set {} }",
            error(
                "@Cached cannot cache 'total': it must have only a getter. Remove the other accessors.", line: 2,
                column: 28, offers: "Remove the other accessors", "Remove '@Cached'"),
            accepting: "Remove the other accessors", gives: "@Cached var total: Int { get { 1 } }")
    }

    @Test func gettersThatThrowOrSuspendAreReported() {
        expectReport(
            of: "@Cached var total: Int { get throws { 1 } }",
            error(
                """
                @Cached cannot cache 'total': its getter throws. Write \
                'lazy var total = ThrowingComputed(of: self) { … }' to cache the error as well.
                """, line: 2, column: 30, offers: "Remove '@Cached'"))
        expectReport(
            of: "@Cached var total: Int { get async { 1 } }",
            error(
                """
                @Cached cannot cache 'total': its getter is asynchronous. Store the result in an observed property.
                """, line: 2, column: 30, offers: "Remove '@Cached'"))
    }

    @Test(arguments: ["struct", "enum"])
    func aPropertyOfAValueIsReported(kind: String) {
        let report = error(
            """
            @Cached cannot cache 'total' in \(kind) 'Order': a cache needs a class or an actor. Remove @Cached; \
            readers of the property still track what its getter reads.
            """, line: 2, column: 5, offers: "Remove '@Cached'")
        expectReport(of: "@Cached var total: Int { 1 }", in: "\(kind) Order", report)
    }

    @Test func aPropertyOfAnExtensionOrATypeIsReported() {
        expectReport(
            of: "@Cached var total: Int { 1 }", in: "extension Order",
            error(
                """
                @Cached cannot cache 'total' in an extension of 'Order': extensions cannot store values. \
                Move it to the \
                declaration of 'Order'.
                """, line: 2, column: 5, offers: "Remove '@Cached'"))
        expectReport(
            of: "@Cached static var total: Int { 1 }",
            error(
                """
                @Cached cannot cache static var 'total': it does not belong to an object. Use a 'static let' with a \
                Computed.
                """, line: 2, column: 5, offers: "Remove '@Cached'"))
    }

    @Test func aClassThatIsNoModelIsReported() {
        expectReport(
            of: "@Cached var total: Int { 1 }", in: "final class Order",
            error(
                "@Cached needs @Model on class 'Order'. Write '@Model class Order'.", line: 2, column: 5,
                offers: "Remove '@Cached'"))
    }

    @Test func aFunctionIsReported() {
        expectExpansion(
            of: "@Model final class Order {\n    @Cached func total() -> Int { 1 }\n}",
            into: "final class Order {\n    func total() -> Int { 1 }\n}",
            reports: [
                error(
                    "@Cached caches computed properties. Turn this declaration into one, or remove @Cached.", line: 2,
                    column: 5)
            ])
    }
}
