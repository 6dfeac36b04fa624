// Views in diagnostics: their sources, and those of their parts and of the nodes of their keys.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct CollectionDiagnosticsTests {
        @Test func theCauseOfARunNamesTheElement() {
            let flags = (0..<3).map { Observable(false, named: "flag \($0)") }
            let rows = ObservableArray(0..<3, named: "rows")
            let open = rows.live.filter(named: "open", isolation: nil) { !flags[$0].value }
            let reaction = autorun(named: "list") { _ = open.elements }
            #expect(reaction.lastCause == nil)
            flags[1].value = true
            #expect(reaction.lastCause?.description == "flag 1 → open")
            rows.append(0)
            #expect(reaction.lastCause?.description == "rows → open")
            inTransaction {
                flags[2].value = true
                rows.append(1)
            }
            #expect(Set(reaction.lastCause?.writes ?? []) == ["rows", "flag 2"])
            reaction.cancel()
        }

        @Test func theCauseOfARunNamesTheKey() {
            let factor = Observable(1, named: "factor")
            let prices = ObservableDictionary(["a": 1, "b": 2], named: "prices")
            let scaled = prices.live.mapValues(named: "scaled", isolation: nil) { $0 * factor.value }
            let groups = prices.live.values.grouped(named: "groups", isolation: nil) { $0 % 2 }
            let reaction = autorun(named: "label") { _ = scaled["a"] }
            let counter = autorun(named: "counter") { _ = groups[0]?.count }
            prices["a"] = 3
            #expect(reaction.lastCause?.writes == ["prices"])
            factor.value = 2
            #expect(reaction.lastCause?.writes == ["factor"])
            #expect(reaction.lastCause?.description.hasPrefix("factor → scaled") == true)
            prices["c"] = 8
            #expect(counter.lastCause?.writes == ["prices"])
            #expect(reaction.runCount == 3)
            reaction.cancel()
            counter.cancel()
        }

        /// Each path begins with a write, also if a group that the reaction read is on it.
        @Test func theCauseOfAGroupIsTheWriteOfItsElements() {
            let states = (0..<3).map { Observable("todo", named: "state \($0)") }
            let tickets = ObservableArray(0..<3, named: "tickets")
            let groups = tickets.live.grouped(named: "groups", isolation: nil) { states[$0].value }
            let reaction = autorun(named: "summary") { _ = (groups["todo"]?.count, groups["done"]?.count) }
            states[1].value = "done"
            #expect(reaction.lastCause?.writes == ["state 1"])
            states[2].value = "done"
            #expect(reaction.lastCause?.writes == ["state 2"])
            let names = reaction.lastCause?.paths.flatMap { $0 } ?? []
            #expect(names.allSatisfy { !$0.contains(".swift:") }, "\(names)")
            reaction.cancel()
        }

        @Test func theSnapshotHasTheSourcesOfPartsAndKeys() {
            let flag = Observable(1, named: "flag")
            let prices = ObservableDictionary(["a": 1], named: "prices")
            let scaled = prices.live.mapValues(named: "scaled", isolation: nil) { $0 * flag.value }
            let open = ObservableArray([1, 2], named: "rows").live.filter(named: "open", isolation: nil) {
                $0 > flag.value
            }
            let reactions = [
                autorun(named: "snapshot label") { _ = scaled["a"] },
                autorun(named: "snapshot list") { _ = open.elements },
            ]
            let graph = Diagnostics.graph()
            /// Returns the names of all nodes that a reaction depends on.
            func sources(of name: String) -> Set<String> {
                var found: Set<Int> = []
                var pending = graph.nodes.filter { $0.name == name }.map(\.id)
                while let next = pending.popLast() {
                    for edge in graph.edges where edge.observer == next && found.insert(edge.source).inserted {
                        pending.append(edge.source)
                    }
                }
                return Set(found.map { graph.nodes[$0].name })
            }
            #expect(sources(of: "snapshot label") == ["scaled", "prices", "flag"])
            #expect(sources(of: "snapshot list") == ["open", "rows", "flag"])
            reactions.forEach { $0.cancel() }
            #expect(!Diagnostics.graph().nodes.contains { $0.name.hasPrefix("snapshot ") })
        }
    }
}
