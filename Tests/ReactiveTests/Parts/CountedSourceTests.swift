// A counted source knows when its last reader ends.

import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct CountedSourceTests {
        private let list = ToyList()

        @Test func theSourceNoticesItsLastReaction() {
            let key = ToyKey(beside: list)
            let first = autorun { key.noteReader() }
            let second = autorun { key.noteReader() }
            first.cancel()
            #expect(key.timesUnread == 0)
            second.cancel()
            #expect(key.timesUnread == 1)
        }

        @Test func theSourceNoticesAReaderThatReadsADifferentSource() {
            let key = ToyKey(beside: list)
            let isReading = Observable(true)
            let reader = autorun { if isReading.value { key.noteReader() } }
            isReading.value = false
            #expect(key.timesUnread == 1)
            isReading.value = true
            #expect(key.timesUnread == 1)
            reader.cancel()
            #expect(key.timesUnread == 2)
        }

        @Test func unobservedComputedsCount() {
            let key = ToyKey(beside: list)
            var computed: Computed<Int>? = Computed { () -> Int in
                key.noteReader()
                return 1
            }
            #expect(computed?.value == 1)
            let reader = autorun { _ = computed?.value }
            reader.cancel()
            #expect(key.timesUnread == 0)
            computed = nil
            #expect(key.timesUnread == 1)
        }

        @Test func readingTwiceCountsOnce() {
            let key = ToyKey(beside: list)
            let reader = autorun {
                key.noteReader()
                key.noteReader()
            }
            key.change()
            #expect(reader.runCount == 2)
            reader.cancel()
            #expect(key.timesUnread == 1)
        }

        @Test func aReadThatIsRolledBackIsUndoneByTheNextEvaluation() {
            struct Refused: Error {}
            let key = ToyKey(beside: list)
            let isReading = Observable(false)
            let computed = Computed { () -> Bool in
                if isReading.value { key.noteReader() }
                return isReading.value
            }
            let reader = autorun { _ = computed.value }
            try? inTransaction {
                isReading.value = true
                #expect(computed.value)
                throw Refused()
            }
            #expect(key.timesUnread == 1)
            #expect(reader.runCount == 1)
            reader.cancel()
        }

        @Test func aComputedThatIsFreedInATransactionOfAnotherGraphCountsAfterwards() {
            let key = ToyKey(beside: list)
            var computed: Computed<Int>? = Computed { () -> Int in
                key.noteReader()
                return 1
            }
            #expect(computed?.value == 1)
            IndependentGraph().run {
                inTransaction {
                    computed = nil
                    #expect(key.timesUnread == 0)
                }
            }
            #expect(key.timesUnread == 1)
        }

        @Test func readersOnManyThreadsAreCounted() {
            let keys = Unchecked((0..<4).map { _ in ToyKey(beside: list) })
            onThreads(4) { thread in
                for round in 0..<200 {
                    let key = keys.value[(thread + round) % 4]
                    let computed = Computed { () -> Int in
                        key.noteReader()
                        return 1
                    }
                    let reader = autorun { _ = computed.value }
                    key.change()
                    reader.cancel()
                    _ = computed.value
                }
            }
            for key in keys.value {
                let before = key.timesUnread
                #expect(before > 0)
                autorun { key.noteReader() }.cancel()
                #expect(key.timesUnread == before + 1)
            }
        }
    }
}
