// Collections and views take part in Apple's Observation.

import Observation
import ReactiveCollections
import TestSupport
import Testing

private struct Row {
    let name: String
    @Observed var isDone = false
}

extension ReactiveCollectionsTests {
    @Suite struct ObservationBridgeTests {
        init() { ObservationBridge.isEnabled = true }

        /// Tracks a read, makes changes, and expects each to be reported or not.
        private func expect<Value>(
            _ read: () -> Value, reports change: () -> Void, _ location: SourceLocation = #_sourceLocation
        ) {
            let log = Log()
            withObservationTracking {
                _ = read()
            } onChange: {
                log("changed")
            }
            change()
            change()
            #expect(log.take() == ["changed"], sourceLocation: location)
        }

        @Test func arraysReportTheirChanges() {
            let array: ObservableArray = [1, 2, 3]
            expect({ array[0] }) { array[0] += 1 }
            expect({ array.count }) { array.append(4) }
            expect({ array.elements }) { array.append(4) }
            expect({ array.map { $0 } }) { array[1] += 1 }
        }

        @Test func aCollectionReportsAsAWhole() {
            let array: ObservableArray = [1, 2, 3]
            expect({ array[0] }) { array[2] += 1 }
            let ages: ObservableDictionary = ["Ann": 1, "Bob": 2]
            expect({ ages["Ann"] }) { ages["Bob", default: 0] += 1 }
        }

        @Test func dictionariesAndSetsReportTheirChanges() {
            let ages: ObservableDictionary = ["Ann": 1]
            expect({ ages["Ann"] }) { ages["Ann", default: 0] += 1 }
            expect({ ages["Eve"] }) { ages["Eve", default: 0] += 1 }
            expect({ ages.count }) { ages["\(ages.count)"] = 1 }
            let names: ObservableSet = ["Ann"]
            expect({ names.contains("Bob") }) { if names.insert("Bob").inserted == false { names.remove("Bob") } }
        }

        @Test func viewsReportTheirChanges() {
            let rows: ObservableArray = [Row(name: "a"), Row(name: "b")]
            let open = rows.live.filter { !$0.isDone }
            let names = open.map { $0.name }.sorted()
            let count = open.count { _ in true }
            expect({ open.count }) { rows[0].isDone.toggle() }
            expect({ names.elements }) { rows[1].isDone.toggle() }
            expect({ count.value }) { rows[1].isDone.toggle() }
            expect({ names[0] }) { rows.append(Row(name: "A\(rows.count)")) }
        }

        @Test func groupsAndKeysOfViewsReport() {
            let numbers: ObservableArray = [1, 2, 3]
            let groups = numbers.live.grouped { $0 % 2 }
            let doubled = (["a": 1] as ObservableDictionary<String, Int>)
            let view = doubled.live.mapValues { $0 * 2 }
            expect({ groups[0]?.count }) { numbers.append(4) }
            expect({ view["a"] }) { doubled["a", default: 0] += 1 }
        }

        @Test(.inDefaultGraph) @MainActor func aComputedOfAViewOfTheMainActorIsValidatedThere() async {
            let numbers: ObservableArray = [1, 2, 3]
            let even = numbers.live.filter {
                MainActor.assertIsolated()
                return $0.isMultiple(of: 2)
            }
            let count = Computed(isolation: nil) { even.count }
            let log = Log()
            withObservationTracking {
                _ = count.value
            } onChange: {
                log("changed")
            }
            await Task.detached { numbers.append(5) }.value
            await Task.detached { numbers.append(4) }.value
            while log.count == 0 { await Task.yield() }
            #expect(log.take() == ["changed"])
        }

        @Test func trackedCollectionsAndViewsAreFreed() {
            let tracker = LifetimeTracker()
            do {
                let array = ObservableArray([tracker.token()])
                let view = array.live.filter { _ in true }
                let log = Log()
                withObservationTracking {
                    _ = (array.count, view.count, view[0])
                } onChange: {
                    log("changed")
                }
                array.append(tracker.token())
                withObservationTracking {
                    _ = (array.count, view.count, view[0])
                } onChange: {
                    log("changed")
                }
                #expect(log.take() == ["changed"])
            }
            #expect(tracker.alive == 0)
        }
    }
}
