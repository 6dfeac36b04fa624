// `Diagnostics.graph()`: what is in it, and how it is written.

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

        @Test func anUnobservedComputedIsNotInTheGraph() {
            let x = Observable(1, named: "unseen.x")
            let c = Computed(named: "unseen.c") { x.value + 1 }
            #expect(c.value == 2)
            #expect(edges("unseen") == [])
        }

        @Test func nodesSayWhatTheyAreWhereTheyWereMadeAndHowOftenTheyRan() throws {
            let x = Observable(1, named: "kinds.x")
            let c = Computed(named: "kinds.c") { x.value + 1 }
            let r = autorun(named: "kinds.r") { _ = c.value }
            defer { r.cancel() }
            x.value = 2
            let nodes = Diagnostics.graph().nodes.filter { $0.name.hasPrefix("kinds") }
            #expect(nodes.map(\.name) == ["kinds.r", "kinds.c", "kinds.x"])
            #expect(nodes.map(\.kind) == [.reaction, .computed, .observable])
            #expect(nodes.map(\.runCount) == [2, nil, nil])
            #expect(nodes.allSatisfy { $0.site.hasPrefix("GraphSnapshotTests.swift:") })
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
    }
}
