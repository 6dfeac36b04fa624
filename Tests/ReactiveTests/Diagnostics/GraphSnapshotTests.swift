// `Diagnostics.graph()`: its contents and its output formats.

import Foundation
import Reactive
import Testing

extension ReactiveTests {
    @Suite struct GraphSnapshotTests {
        /// The part of the graph whose names begin with `prefix`, as "source → observer".
        private func edges(_ prefix: String) -> [String] {
            let graph = Diagnostics.graph()
            return graph.edges
                .map { "\(graph.nodes[$0.source].name) → \(graph.nodes[$0.observer].name)" }
                .filter { $0.hasPrefix(prefix) }
        }

        //  x → c → r
        //  └───────┘
        @Test func anEdgeAppearsOnceHoweverOftenItIsRead() {
            let x = Observable(1, named: "once.x")
            let c = Computed(named: "once.c") { x.value + 1 }
            let r = autorun(named: "once.r") { _ = x.value + c.value + x.value }
            #expect(edges("once") == ["once.x → once.r", "once.c → once.r", "once.x → once.c"])
            r.cancel()
            #expect(edges("once") == [])
        }

        @Test func aGraphWithoutLiveReactionsSaysSo() {
            #expect("\(IndependentGraph().run { Diagnostics.graph() })" == "no live reactions")
        }

        @Test func anUnobservedComputedIsNotInTheGraph() {
            let x = Observable(1, named: "unseen.x")
            let c = Computed(named: "unseen.c") { x.value + 1 }
            #expect(c.value == 2)
            #expect(edges("unseen") == [])
        }

        @Test func nodesHaveTheirKindSourceLocationAndNumberOfRuns() throws {
            let x = Observable(1, named: "kinds.x")
            let c = Computed(named: "kinds.c") { x.value > 1 }
            let r = autorun(named: "kinds.r") { _ = c.value }
            defer { r.cancel() }
            x.value = 2
            // Equal for the computed, so that the reaction does not run.
            x.value = 3
            let nodes = Diagnostics.graph().nodes.filter { $0.name.hasPrefix("kinds") }
            #expect(nodes.map(\.name) == ["kinds.r", "kinds.c", "kinds.x"])
            #expect(nodes.map(\.kind) == [.reaction, .computed, .observable])
            #expect(nodes.map(\.runCount) == [2, 3, nil])
            #expect(nodes.allSatisfy { $0.site.hasPrefix("GraphSnapshotTests.swift:") })
        }

        @Test func printingShowsTheEdges() {
            let x = Observable(1, named: "printed.x")
            let c = Computed(named: "printed.c") { x.value + 1 }
            let r = autorun(named: "printed.r") { _ = x.value + c.value }
            defer { r.cancel() }
            let lines = "\(Diagnostics.graph())".split(separator: "\n").filter { $0.contains("printed") }
            #expect(
                lines == [
                    "reaction printed.r reads printed.x, printed.c", "observable printed.x",
                    "computed printed.c reads printed.x",
                ])
        }

        @Test func namesAreEscapedInBothLanguages() {
            let x = Observable(1, named: "a \"quoted\" \\ name\n#1")
            let r = autorun(named: "escapes.r") { _ = x.value }
            defer { r.cancel() }
            let graph = Diagnostics.graph()
            #expect(graph.dot.hasPrefix("digraph reactive {\n"))
            #expect(graph.dot.contains(#"[label="a \"quoted\" \\ name\n#1", shape=ellipse]"#))
            #expect(graph.mermaid.hasPrefix("flowchart LR\n"))
            #expect(graph.mermaid.contains(#"(["a #quot;quoted#quot; \ name #35;1"])"#))
        }

        @Test func edgesAreInBothLanguages() throws {
            let x = Observable(1, named: "edges.x")
            let r = autorun(named: "edges.r") { _ = x.value }
            defer { r.cancel() }
            let graph = Diagnostics.graph()
            let source = try #require(graph.nodes.first { $0.name == "edges.x" }).id
            let observer = try #require(graph.nodes.first { $0.name == "edges.r" }).id
            #expect(graph.dot.contains("  n\(source) -> n\(observer);\n"))
            #expect(graph.mermaid.contains("  n\(source) --> n\(observer)\n"))
        }

        @Test func aSnapshotSurvivesEncodingAndDecoding() throws {
            let x = Observable(1)
            let r = autorun { _ = x.value }
            defer { r.cancel() }
            let graph = Diagnostics.graph()
            let data = try JSONEncoder().encode(graph)
            #expect(try JSONDecoder().decode(Diagnostics.GraphSnapshot.self, from: data) == graph)
        }

        //  a → c → r      The cause of a run is the set of changes since the run before.
        //  b ──────┘
        @Test func changesAndRunsAreInOneOrder() throws {
            let a = Observable(1, named: "order.a")
            let b = Observable(1, named: "order.b")
            let c = Computed(named: "order.c") { a.value > 1 }
            let r = autorun(named: "order.r") { _ = (c.value, b.value) }
            defer { r.cancel() }
            func changed() throws -> Set<String> {
                let nodes = Diagnostics.graph().nodes.filter { $0.name.hasPrefix("order") }
                let reaction = try #require(nodes.first)
                let (first, last) = (try #require(reaction.ranBeforeAt), try #require(reaction.ranAt))
                return Set(nodes.filter { $0.changedAt.map { $0 > first && $0 <= last } ?? false }.map(\.name))
            }
            b.value = 2
            #expect(try changed() == ["order.b"])
            a.value = 2
            #expect(try changed() == ["order.a", "order.c"])
            // Equal for the computed, so that nothing runs.
            a.value = 3
            #expect(r.runCount == 3)
        }
    }
}
