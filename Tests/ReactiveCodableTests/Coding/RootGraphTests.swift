// The graph of a root's state, which is found by encoding the root.

import Foundation
import Reactive
import ReactiveCodable
import Testing

extension ReactiveCodableTests {
    @Suite(.inDefaultGraph) struct RootGraphTests {
        private let session = IndependentGraph(named: "session")

        @Test func anOptionalPropertyLeadsToTheGraph() throws {
            struct Root: Codable { @Observable var note: String? }
            let root = session.run { Root() }
            var count = 0
            let observation = deepObserve(root) { count += 1 }
            defer { observation.cancel() }
            try apply([.add(path: JSONPointer("/note"), value: "x")], to: root)
            #expect(root.note == "x" && count == 1)
        }

        private final class Node: Encodable {
            var next: Node?
            @Observable var title = "a"

            enum CodingKeys: CodingKey { case next, title }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encodeIfPresent(next, forKey: .next)
                try container.encode(_title, forKey: .title)
            }

            deinit {
                var rest = next
                next = nil
                while rest != nil, isKnownUniquelyReferenced(&rest) {
                    let following = rest?.next
                    rest?.next = nil
                    rest = following
                }
            }
        }

        @Test func objectsThatContainThemselvesLeadToTheGraph() throws {
            let (first, second) = session.run { (Node(), Node()) }
            (first.next, second.next) = (second, first)
            defer { first.next = nil }
            var count = 0
            let observation = deepObserve(first) { count += 1 }
            defer { observation.cancel() }
            first.title = "b"
            second.title = "c"
            #expect(count == 2)
        }

        @Test func theSearchInADeepRootNeedsNoStack() throws {
            var root = Node()
            for _ in 0..<20_000 {
                let outer = Node()
                outer.next = root
                root = outer
            }
            var count = 0
            let observation = deepObserve(root) { count += 1 }
            defer { observation.cancel() }
            root.title = "b"
            #expect(count == 1)
        }
    }
}
