// The code that `@Model` adds to the variables of a type, and declarations that it does not change.

import Testing

@Suite struct ModelExpansionTests {
    @Test func everyStoredVariableIsObserved() {
        expectExpansion(
            of: """
                @Model final class Order {
                    var price = 5
                    public private(set) var count: Int
                    var name: String?
                    var rate = 0.5 { didSet { print(oldValue) } }
                    @MainActor @available(macOS 13, *) var clock = 0
                }
                """,
            into: """
                final class Order {
                    @Reactive.Observed
                    var price = 5
                    @Reactive.Observed
                    public private(set) var count: Int
                    @Reactive.Observed
                    var name: String?
                    @Reactive.Observed
                    var rate = 0.5 { didSet { print(oldValue) } }
                    @MainActor @available(macOS 13, *)
                    @Reactive.Observed var clock = 0
                }
                """)
    }

    @Test(arguments: ["struct", "actor", "open class", "final class", "@MainActor class"])
    func structsClassesAndActorsAreModels(kind: String) {
        expectExpansion(
            of: "@Model \(kind) Pair<Value> {\n    var first: Value\n}",
            into: "\(kind) Pair<Value> {\n    @Reactive.Observed\n    var first: Value\n}")
    }

    @Test func otherMembersAreNotChanged() {
        let members = """
                let id = 7
                static var shared = 1
                static let limit = 2
                class var kind: Int { 3 }
                var twice: Int { id * 2 }
                var wrapped: Int {
                    get { 1 }
                    set { print(newValue) }
                }
                @Observed var already = 1
                @Reactive.Observable var longer = 2
                lazy var total = Computed(of: self) { $0.already * 2 }
                private(set) lazy var valid = ThrowingComputed<Int>(of: self) { _ in 1 }
                lazy var history = History(state)
                func work() {}
            """
        expectExpansion(of: "@Model final class Order {\n\(members)\n}", into: "final class Order {\n\(members)\n}")
    }

    @Test func unobservedVariablesAreNotChanged() {
        expectExpansion(
            of: """
                @Model final class Screen {
                    @Unobserved var cache: [Int] = []
                    @Unobserved weak var delegate: AnyObject?
                    @Unobserved lazy var index = 1
                    @Unobserved @Published var other = 1
                }
                """,
            into: """
                final class Screen {
                    var cache: [Int] = []
                    weak var delegate: AnyObject?
                    lazy var index = 1
                    @Published var other = 1
                }
                """)
    }
}
