// Lifetimes of the nodes of keys.

import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct KeyNodeTests {
        @Test func keysThatWereReadOnceLeaveNothingBehind() {
            let d = ObservableDictionary(uniqueKeysWithValues: (0..<1000).map { ($0, 0) })
            let count = deep
            let key = Observable(0)
            let r = autorun { _ = d[key.value] }
            let observed = Computed { d[key.value + 1] }
            for next in 1...count {
                key.value = next
                _ = observed.value
                _ = d[next]
            }
            #expect(d.keyNodes.count == 2)
            #expect(d.keyNodes.nodes.count <= 8)
            r.cancel()
            #expect(d.keyNodes.count == 1)
            inTransaction { for key in 0..<count { _ = Computed { d[key] }.value } }
            #expect(d.keyNodes.count == 1)
        }

        @Test func nodesEndWithTheirLastObserver() {
            let d: ObservableDictionary = ["a": 1]
            var observers = (0..<3).map { _ in
                autorun {
                    _ = (d["a"], d["absent"], d.count, d.keys)
                }
            }
            var computed: Computed? = Computed { d["b"] }
            _ = computed?.value
            #expect(d.keyNodes.count == 3)
            #expect(d.countNode != nil && d.membershipNode != nil)
            for _ in 0..<3 {
                #expect(d.keyNodes.count == 3)
                observers.removeLast().cancel()
            }
            #expect(d.keyNodes.count == 1)
            #expect(d.countNode == nil && d.membershipNode == nil)
            computed = nil
            #expect(d.keyNodes.isEmpty && d.keyNodes.nodes.isEmpty)
            d["a"] = 2
        }

        @Test func anObserverKeepsTheDictionaryAndNotTheOtherWayRound() {
            let tracker = LifetimeTracker()
            weak var weakly: ObservableDictionary<String, LifetimeTracker.Token>?
            var kept: Computed<Int?>?
            do {
                let d = ObservableDictionary(["a": tracker.token()])
                weakly = d
                kept = Computed { d["a"]?.number }
                _ = kept?.value
            }
            #expect(weakly != nil && tracker.alive == 1)
            kept = nil
            #expect(weakly == nil && tracker.alive == 0)
        }

        @Test func aComputedThatIsRolledBackLeavesNoNode() {
            let d: ObservableDictionary = [1: 1]
            let key = Observable(1)
            let value = Computed { d[key.value] }
            _ = value.value
            try? inTransaction {
                key.value = 2
                d[2] = 5
                #expect(value.value == 5)
                #expect(d.keyNodes.count == 1)
                throw Refused.once
            }
            #expect(value.value == 1)
            #expect(d.keyNodes.count == 1)
        }

        @Test func observersOnOtherThreadsAreCreatedAndCancelled() {
            let d = ObservableDictionary(uniqueKeysWithValues: (0..<64).map { ($0, 0) })
            onThreads(4) { thread in
                var random = SplitMix64(seed: UInt64(thread))
                for round in 0..<(isUnderThreadSanitizer ? 100 : 1000) {
                    let key = random.below(80)
                    let computed = Computed { (d[key] ?? 0) + (d[key + 1] ?? 0) + d.count }
                    _ = computed.value
                    d[random.below(80)] = random.oneIn(3) ? nil : round
                    let reaction = autorun { _ = computed.value }
                    _ = computed.value
                    reaction.cancel()
                }
            }
            #expect(d.keyNodes.isEmpty)
            #expect(d.countNode == nil)
        }

        // MARK: - Values

        @Test func valuesThatObserversWereComparedWithAreReleased() {
            let tracker = LifetimeTracker()
            do {
                let d = ObservableDictionary([1: tracker.token(), 2: tracker.token()])
                let computeds = [Computed { d[1]?.number ?? 0 }, Computed { d.count }, Computed { d.keys.count }]
                func read() { for computed in computeds { _ = computed.value } }
                read()
                d[1] = tracker.token()
                d[2] = nil
                #expect(tracker.alive == 1)
                read()
                inTransaction {
                    d[1] = tracker.token()
                    d[2] = tracker.token()
                    d[2] = nil
                }
                #expect(tracker.alive == 1)
                read()
                try? inTransaction {
                    d[1] = nil
                    d[3] = tracker.token()
                    throw Refused.once
                }
                #expect(tracker.alive == 1)
            }
            #expect(tracker.alive == 0)
        }

        @Test func oldValuesAreReleasedOutsideTheLock() {
            let tracker = LifetimeTracker()
            let other = Observable(0)
            let graph = GraphHandle.current
            func value() -> LifetimeTracker.Token {
                tracker.token {
                    #expect(GraphHandle.held == nil)
                    // Would wait forever for a lock that this thread holds.
                    onOtherThread { graph.inTransaction { other.value += 1 } }
                }
            }
            let d = ObservableDictionary<Int, LifetimeTracker.Token>()
            for key in 0..<6 { d[key] = value() }
            d[0] = value()
            d[1] = nil
            d.remove(at: d.index(forKey: 2)!)
            d.removeAll { $0.key == 3 }
            d.merge([(4, value())]) { $1 }
            inTransaction {
                d[5] = value()
                d[0] = nil
            }
            try? inTransaction {
                d[5] = value()
                d[4] = nil
                throw Refused.once
            }
            #expect(d.count == 2 && tracker.alive == 2)
            d.removeAll()
            #expect(tracker.alive == 0)
            #expect(other.value == tracker.created)
        }
    }
}
