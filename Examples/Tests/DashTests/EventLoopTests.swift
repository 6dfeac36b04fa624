// The loop: other threads, time, input.

import Foundation
import TerminalHost
import Testing

@Suite struct EventLoopTests {
    @Test func workPostedOnOtherThreadsRunsOnTheThreadOfTheLoop() {
        let loop = EventLoop()
        let seen = Seen()
        for number in 0..<4 {
            DispatchQueue.global().async {
                for index in 0..<100 {
                    loop.post {
                        seen.note(number * 100 + index)
                        if seen.numbers.count == 400 { loop.stop() }
                    }
                }
            }
        }
        loop.run()
        #expect(seen.numbers.sorted() == Array(0..<400))
        #expect(seen.threads == [ObjectIdentifier(Thread.current)])
        for number in 0..<4 {
            let own = seen.numbers.filter { $0 / 100 == number }
            #expect(own == own.sorted())
        }
    }

    /// Sendable because only the loop's thread uses it.
    private final class Seen: @unchecked Sendable {
        var numbers: [Int] = []
        var threads: Set<ObjectIdentifier> = []

        func note(_ number: Int) {
            numbers.append(number)
            threads.insert(ObjectIdentifier(Thread.current))
        }
    }

    @Test func workThatPostsItselfDoesNotBlockInputAndTimers() {
        let loop = EventLoop()
        @Sendable func again() { loop.post { again() } }
        again()
        _ = loop.after(0) { loop.stop() }
        loop.run()
    }

    @Test func timersFireInTheOrderOfTheirTimeUntilTheyAreCancelled() {
        let loop = EventLoop()
        var fired: [String] = []
        let cancelled = loop.after(0.001) { fired.append("never") }
        var ticks: ScheduledTimer?
        ticks = loop.every(0.001) {
            fired.append("tick")
            if fired.count == 3 { ticks?.cancel() }
            if fired.count == 3 { _ = loop.after(0.001) { loop.stop() } }
        }
        cancelled.cancel()
        loop.run()
        #expect(fired == ["tick", "tick", "tick"])
    }

    @Test func inputAndItsEndAreReported() throws {
        let loop = EventLoop()
        let pipe = Pipe()
        var taken: [[UInt8]] = []
        loop.input = (
            pipe.fileHandleForReading.fileDescriptor,
            {
                taken.append($0)
                if $0.isEmpty { loop.stop() } else { try? pipe.fileHandleForWriting.close() }
            }
        )
        try pipe.fileHandleForWriting.write(contentsOf: Data([1, 2, 3]))
        loop.run()
        loop.input = nil  // It keeps the loop alive.
        #expect(taken == [[1, 2, 3], []])
    }
}
