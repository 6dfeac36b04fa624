// The errors of `@Model`, and the source after its fixes.

import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite struct ModelReportTests {
    /// Expects an error at one variable of a class, and the correct result of both fixes.
    private func expectReport(
        of variable: String, _ report: DiagnosticSpec, marked: String, _ other: (offer: String, result: String),
        at location: SourceLocation = #_sourceLocation
    ) {
        let source = "@Model final class Screen {\n    \(variable)\n}"
        let expanded = "final class Screen {\n    \(variable)\n}"
        let name =
            variable.split(separator: " ").drop { $0 != "var" }.dropFirst().first.map { $0.filter { $0 != ":" } } ?? ""
        for (offer, result) in [("Mark '\(name)' as '@Unobserved'", marked), other] {
            expectExpansion(
                of: source, into: expanded, reports: [report], accepting: offer,
                gives: "@Model final class Screen {\n    \(result)\n}", at: location)
        }
    }

    @Test func aLazyVariableIsReported() {
        expectReport(
            of: "private lazy var index = makeIndex()",
            error(
                """
                @Model cannot observe lazy var 'index': a property wrapper takes its initial value when the object is \
                created. Mark it @Unobserved, or remove 'lazy'.
                """, line: 2, column: 13, offers: "Mark 'index' as '@Unobserved'", "Remove 'lazy'"),
            marked: "@Unobserved private lazy var index = makeIndex()",
            ("Remove 'lazy'", "private var index = makeIndex()"))
    }

    @Test func aWeakVariableIsReported() {
        expectReport(
            of: "weak var delegate: Delegate?",
            error(
                """
                @Model cannot observe weak var 'delegate': an observable keeps its value alive. Mark it @Unobserved, \
                or remove 'weak'.
                """, line: 2, column: 5, offers: "Mark 'delegate' as '@Unobserved'", "Remove 'weak'"),
            marked: "@Unobserved weak var delegate: Delegate?",
            ("Remove 'weak'", "var delegate: Delegate?"))
    }

    @Test func anUnownedVariableIsReported() {
        expectReport(
            of: "unowned(unsafe) var parent: Screen",
            error(
                """
                @Model cannot observe unowned(unsafe) var 'parent': an observable keeps its value alive. Mark it \
                @Unobserved, or remove 'unowned(unsafe)'.
                """, line: 2, column: 5, offers: "Mark 'parent' as '@Unobserved'", "Remove 'unowned(unsafe)'"),
            marked: "@Unobserved unowned(unsafe) var parent: Screen",
            ("Remove 'unowned(unsafe)'", "var parent: Screen"))
    }

    @Test func aDifferentPropertyWrapperIsReported() {
        expectReport(
            of: "@Combine.Published var name = \"\"",
            error(
                """
                @Model cannot observe 'name': it has the attribute @Combine.Published, and a variable can have only \
                one property wrapper. Mark it @Unobserved, or remove @Combine.Published.
                """, line: 2, column: 5, offers: "Mark 'name' as '@Unobserved'", "Remove '@Combine.Published'"),
            marked: "@Unobserved @Combine.Published var name = \"\"",
            ("Remove '@Combine.Published'", "var name = \"\""))
    }

    @Test func aMarkOfApplesObservationIsReportedAndHonoured() {
        expectExpansion(
            of: "@Model final class Screen {\n    @ObservationIgnored var cache = 1\n}",
            into: "final class Screen {\n    @ObservationIgnored var cache = 1\n}",
            reports: [
                DiagnosticSpec(
                    message: """
                        'cache' is marked @ObservationIgnored, which belongs to Apple's Observation. @Model does not \
                        observe 'cache' either. Write @Unobserved instead.
                        """,
                    line: 2, column: 5, severity: .warning,
                    fixIts: [FixItSpec(message: "Replace it with '@Unobserved'")])
            ],
            accepting: "Replace it with '@Unobserved'",
            gives: "@Model final class Screen {\n    @Unobserved var cache = 1\n}")
    }

    @Test func severalVariablesInOneDeclarationAreReportedOnce() {
        expectExpansion(
            of: "@Model struct Point {\n    public var x = 1, y: Int, z = 3\n}",
            into: "struct Point {\n    public var x = 1, y: Int, z = 3\n}",
            reports: [
                error(
                    """
                    @Model cannot observe 'x', 'y' and 'z' in one declaration: a property wrapper applies to a single \
                    variable. Declare each variable separately.
                    """, line: 2, column: 5, offers: "Declare each separately")
            ],
            accepting: "Declare each separately",
            gives: "@Model struct Point {\n    public var x = 1\n    public var y: Int\n    public var z = 3\n}")
    }

    @Test func aTupleOfVariablesIsReported() {
        let message = """
            @Model cannot observe 'x' and 'y' in one declaration: a property wrapper applies to a single variable. \
            Declare each variable separately.
            """
        expectExpansion(
            of: "@Model struct Point {\n    var (x, y) = (1, 2)\n}", into: "struct Point {\n    var (x, y) = (1, 2)\n}",
            reports: [error(message, line: 2, column: 5, offers: "Declare each separately")],
            accepting: "Declare each separately", gives: "@Model struct Point {\n    var x = 1\n    var y = 2\n}")
        // No fix is possible where the values are not written side by side.
        expectExpansion(
            of: "@Model struct Point {\n    #if os(Linux)\n    var (x, y) = pair()\n    #endif\n}",
            into: "struct Point {\n    #if os(Linux)\n    var (x, y) = pair()\n    #endif\n}",
            reports: [error(message, line: 3, column: 5)])
    }

    @Test(arguments: ["enum", "protocol"])
    func aTypeWithoutStoredPropertiesIsReported(kind: String) {
        expectExpansion(
            of: "@Model \(kind) Kind {\n}", into: "\(kind) Kind {\n}",
            reports: [
                error(
                    """
                    @Model cannot observe \(kind) 'Kind': it has no stored properties. Apply @Model to a class, a \
                    struct or an actor.
                    """, line: 1, column: 1, offers: "Remove '@Model'")
            ],
            accepting: "Remove '@Model'", gives: "\(kind) Kind {\n}")
    }

    @Test func anExtensionIsReported() {
        expectExpansion(
            of: "@Model extension Order {\n    var twice: Int { 2 }\n}",
            into: "extension Order {\n    var twice: Int { 2 }\n}",
            reports: [
                error(
                    """
                    @Model cannot observe an extension of 'Order': it has no stored properties. Apply @Model where \
                    'Order' is declared.
                    """, line: 1, column: 1, offers: "Remove '@Model'")
            ])
    }
}
