// The code that `@Cached` generates.

import Testing

@Suite struct CachedExpansionTests {
    @Test func theGetterReadsAComputedOfTheOwner() {
        expectExpansion(
            of: """
                @Model final class Order {
                    let price = 5
                    @Cached var total: Int { price * 2 }
                }
                """,
            into: """
                final class Order {
                    let price = 5
                    @_Cached_total var total: Int { price * 2 }

                    private let _total = Reactive._CachedProperty<Int>()

                    private func _compute_total() -> Int {
                        price * 2
                    }

                    private var _cached_total: Int {
                        _total.value(of: self) {
                            $0._compute_total()
                        }
                    }

                    @resultBuilder private enum _Cached_total {
                        static func buildExpression(
                            _ expression: @autoclosure () -> Int,
                            cached: @autoclosure () -> Int = #_cachedValue("total")
                        ) -> Int {
                            cached()
                        }
                        static func buildBlock<_CachedResult>(_ value: _CachedResult) -> _CachedResult {
                            value
                        }
                    }
                }
                """)
    }

    @Test func generatedMembersHaveTheIsolationOfTheProperty() {
        expectExpansion(
            of: """
                @Model @MainActor final class Order {
                    let price = 5
                    @Cached public nonisolated var total: [Int] {
                        get { [price] }
                    }
                }
                """,
            into: """
                @MainActor final class Order {
                    let price = 5
                    @_Cached_total public nonisolated var total: [Int] {
                        get { [price] }
                    }

                    nonisolated private let _total = Reactive._CachedProperty<[Int]>()

                    nonisolated private func _compute_total() -> [Int] {
                        [price]
                    }

                    nonisolated private var _cached_total: [Int] {
                        _total.value(of: self, isolation: nil) {
                            $0._compute_total()
                        }
                    }

                    @resultBuilder private enum _Cached_total {
                        static func buildExpression(
                            _ expression: @autoclosure () -> [Int],
                            cached: @autoclosure () -> [Int] = #_cachedValue("total")
                        ) -> [Int] {
                            cached()
                        }
                        static func buildBlock<_CachedResult>(_ value: _CachedResult) -> _CachedResult {
                            value
                        }
                    }
                }
                """)
    }
}
