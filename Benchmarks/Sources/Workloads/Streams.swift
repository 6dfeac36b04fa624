// Values as an asynchronous sequence. By hand, it is a stream that an `autorun` feeds.
//
// Each element is available before it is awaited, so the task never suspends and everything runs on one thread.

import Harness
import Reactive

extension Workload {
    static var streams: [Workload] {
        [
            Workload("write, and next() of values(of:)", repetitions: 10_000) {
                { count in
                    waiting {
                        let number = Observable(0)
                        let (stream, continuation) = AsyncStream.makeStream(
                            of: Int.self, bufferingPolicy: .bufferingNewest(1))
                        let observer = autorun { continuation.yield(number.value) }
                        var iterator = stream.makeAsyncIterator()
                        for i in 1...count {
                            number.value = i
                            check(await iterator.next(), i)
                        }
                        observer.cancel()
                    }
                }
            } ours: {
                { count in
                    waiting {
                        let number = Observable(0)
                        var iterator = values(of: { number.value }).makeAsyncIterator()
                        for i in 1...count {
                            number.value = i
                            check(await iterator.next(), i)
                        }
                    }
                }
            }
        ]
    }
}
