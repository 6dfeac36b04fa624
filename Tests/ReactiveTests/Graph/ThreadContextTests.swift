// The context of a thread: its reads outside of closures, its stack and further pieces of it, and what is left when the
// thread ends.

#if os(Linux)
import CReactive
import Foundation
import Reactive
import Testing
import TestSupport

/// Whether a graph may be biased to a thread.
private let hasBias =
    !isUnderThreadSanitizer && ProcessInfo.processInfo.environment["REACTIVE_NO_MEMBARRIER"] == nil

extension ReactiveTests {
    /// Alone, because the memory is the process's.
    @Suite(.alone, .inDefaultGraph) struct ThreadContextTests {
        // MARK: - Reads outside of closures

        // In processes of their own, because the setting is the process's.

        /// Sets whose reads are noted, with the calling thread as the main one.
        private static func note(_ threads: NotedThreads) {
            reactive_note_reads(threads) { _ in fatalError("nothing is read") }
        }

        @Test func theReadsOfOtherThreadsAreNotedIfThoseOfAllAre() async {
            await #expect(processExitsWith: .success) {
                onOtherThread {
                    onOtherThread { ThreadContextTests.note(.main) }
                    precondition(reactive_records_reads())
                    precondition(!reactive_notes_reads_here())
                    // From now on, its reads take no longer than if none were noted.
                    precondition(!reactive_records_reads())
                    onOtherThread { ThreadContextTests.note(.all) }
                    precondition(reactive_records_reads() && reactive_notes_reads_here())
                    onOtherThread { ThreadContextTests.note(.none) }
                    precondition(!reactive_records_reads() && !reactive_notes_reads_here())
                }
            }
        }

        @Test func aThreadThatWasAnotherMayBecomeTheMainThread() async {
            await #expect(processExitsWith: .success) {
                onOtherThread {
                    onOtherThread { ThreadContextTests.note(.main) }
                    precondition(!reactive_notes_reads_here())
                    precondition(!reactive_records_reads())
                    ThreadContextTests.note(.main)
                    precondition(reactive_records_reads() && reactive_notes_reads_here())
                }
            }
        }

        @Test func theSettingsMayBeChangedAndAskedForInATrackedClosure() async {
            await #expect(processExitsWith: .success) {
                let x = Observable(0), y = Observable(0)
                var seen: [Int] = []
                let reaction = autorun {
                    defer { ThreadContextTests.note(.none) }
                    ThreadContextTests.note(.main)
                    seen.append(x.value)
                    onOtherThread { ThreadContextTests.note(.main) }
                    _ = reactive_notes_reads_here()
                    seen.append(y.value)
                }
                x.value = 1
                y.value = 1
                precondition(seen == [0, 0, 1, 0, 1, 1])
                reaction.cancel()
            }
        }

        // MARK: - The stack

        /// The first value of a chain of computeds, which are evaluated inside one another.
        private static func evaluate(levels: Int) -> Int {
            let x = Observable(1)
            var last = Computed { x.value }
            for _ in 1..<levels {
                let before = last
                last = Computed { before.value + 1 }
            }
            return last.value
        }

        @Test(.enabled(if: !isUnderAddressSanitizer), arguments: [512 << 10, 8 << 20])
        func theLimitIsNearTheLowerEndOfTheStack(size: Int) {
            onOtherThread(stackSize: size) {
                var here = 0
                withUnsafeMutablePointer(to: &here) { here in
                    let address = UInt(bitPattern: here)
                    let limit = UInt(reactive_find_stack_limit())
                    // The thread may have got a larger stack that was left over.
                    #expect(limit < address && address - limit < 4 * size)
                    #expect(!reactive_stack_is_low())
                    #expect(UInt(reactive_current().pointee.stack_limit) == limit)
                }
            }
        }

        @Test(.enabled(if: !isUnderThreadSanitizer)) func withoutMemoryForAPieceTheProgramStopsWithAMessage() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                onOtherThread(stackSize: 64 << 10) {
                    let used = ThreadContextTests.addressSpace + 4 << 20
                    var limit = rlimit(rlim_cur: rlim_t(used), rlim_max: rlim_t(used))
                    guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return }
                    _ = ThreadContextTests.evaluate(levels: 2)
                }
            }
            expectMessage(result, "the stack is almost exhausted")
        }

        // MARK: - The end of a thread

        /// The bytes of the process's address space.
        private static var addressSpace: Int {
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            return (text.split(separator: " ").first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
        }

        /// Runs `body` when the thread ends, after the library's own code for that: keys' destructors run in the order
        /// of creation.
        private static func atTheEnd(_ key: pthread_key_t, _ body: @escaping () -> Void) {
            pthread_setspecific(key, Unmanaged.passRetained(Code(body)).toOpaque())
        }

        private final class Code {
            let body: () -> Void
            init(_ body: @escaping () -> Void) { self.body = body }
        }

        /// Runs `body` on one other thread, and waits until the destructors of keys have run, too.
        private static func onEndingThread(stackSize: Int, _ body: @escaping @Sendable () -> Void) {
            var attributes = pthread_attr_t()
            var thread = pthread_t()
            pthread_attr_init(&attributes)
            pthread_attr_setstacksize(&attributes, stackSize)
            pthread_create(
                &thread, &attributes,
                { argument in
                    Unmanaged<Code>.fromOpaque(argument.unsafelyUnwrapped).takeRetainedValue().body()
                    return nil
                }, Unmanaged.passRetained(Code(body)).toOpaque())
            pthread_attr_destroy(&attributes)
            pthread_join(thread, nil)
        }

        private static func makeKey() -> pthread_key_t {
            // Makes the library create its key, if it has none yet.
            _ = reactive_find_stack_limit()
            var key = pthread_key_t()
            pthread_key_create(&key) { argument in
                guard let argument else { return }
                Unmanaged<Code>.fromOpaque(argument).takeRetainedValue().body()
            }
            return key
        }

        @Test(.enabled(if: hasBias)) func aThreadThatEndsLeavesNothingInItsContext() {
            let key = Self.makeKey()
            let wasBiased = Shared(false), ends = Shared(0)
            Self.onEndingThread(stackSize: 1 << 20) {
                let graph = IndependentGraph()
                let x = graph.run { Observable(0) }
                for value in 0..<LockBiasTests.untilRegular { x.value = value }
                inTransaction { Observable(NSObject()).value = NSObject() }
                wasBiased.value = reactive_current().pointee.presence != nil
                #expect(reactive_current().pointee.deferred_releases.base != nil)
                Self.atTheEnd(key) {
                    let context = reactive_current().pointee
                    #expect(context.presence == nil)
                    #expect(context.deferred_releases.base == nil)
                    #expect((context.deferred_releases.count, context.deferred_releases.capacity) == (0, 0))
                    ends.withLock { $0 += 1 }
                }
            }
            #expect(wasBiased.value)
            #expect(ends.value == 1)
            pthread_key_delete(key)
        }

        /// The number of pieces of stack: the inaccessible region below each has the same size.
        private static var pieces: Int {
            let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
            return maps.split(separator: "\n").count { line in
                let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
                return line.contains(" ---p ") && bounds.count == 2 && bounds[1] - bounds[0] == 4 << 20
            }
        }

        //  64 kB of stack   each evaluation is on a piece
        //  4 MB of stack    in a debug build, two pieces at the same time
        @Test(.enabled(if: !isUnderThreadSanitizer), arguments: [(64 << 10, 2), (4 << 20, 10_000)])
        func aThreadKeepsOnePieceOfStackUntilItEnds(size: Int, levels: Int) {
            let key = Self.makeKey()
            let before = Self.pieces
            let later = Shared(0)
            Self.onEndingThread(stackSize: size) {
                let limit = reactive_find_stack_limit()
                for _ in 0..<2 {
                    #expect(Self.evaluate(levels: levels) == levels)
                    #expect(Self.pieces <= before + 1)
                    #expect(reactive_current().pointee.stack_limit == limit)
                    #expect(reactive_find_stack_limit() == limit)
                }
                Self.atTheEnd(key) {
                    // After the library's own code for the end of a thread, which runs again.
                    later.value = Self.evaluate(levels: 2)
                }
            }
            #expect(later.value == 2)
            #expect(Self.pieces == before)
            pthread_key_delete(key)
        }
    }
}
#endif
