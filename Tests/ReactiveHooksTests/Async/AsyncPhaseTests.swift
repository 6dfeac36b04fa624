// The phases of an operation.

import ReactiveHooks
import Testing

extension HooksTests {
    @Suite struct AsyncPhaseTests {
        private struct Failed: Error, Hashable { var code = 1 }
        private typealias Phase = AsyncPhase<Int, Failed>
        private let all: [Phase] = [.pending, .running, .success(1), .failure(Failed())]

        @Test func printsWithoutItsTypes() {
            let phases: [AsyncPhase<String, any Error>] = [
                .pending, .running, .success("a"), .failure(CancellationError()),
            ]
            #expect("\(phases)" == #"[pending, running, success("a"), failure(Swift.CancellationError())]"#)
            #expect("\(phases[2])" == #"success("a")"#)
        }

        @Test func eachPhaseHasItsPredicate() {
            #expect(all.map(\.isPending) == [true, false, false, false])
            #expect(all.map(\.isRunning) == [false, true, false, false])
            #expect(all.map(\.isSuccess) == [false, false, true, false])
            #expect(all.map(\.isFailure) == [false, false, false, true])
            #expect(all.map(\.hasCompleted) == [false, false, true, true])
        }

        @Test func valueErrorAndResult() {
            #expect(all.map(\.value) == [nil, nil, 1, nil])
            #expect(all.map(\.error) == [nil, nil, nil, Failed()])
            #expect(all.map(\.result) == [nil, nil, .success(1), .failure(Failed())])
            #expect(Phase(.success(1)) == .success(1))
            #expect(Phase(.failure(Failed())) == .failure(Failed()))
        }

        @Test func mappingKeepsTheOtherPhases() {
            #expect(all.map { $0.map { "\($0)" } } == [.pending, .running, .success("1"), .failure(Failed())])
            #expect(
                all.map { $0.mapError { Failed(code: $0.code + 1) } }
                    == [.pending, .running, .success(1), .failure(Failed(code: 2))])
            #expect(
                all.map { $0.flatMap { _ in .pending } } == [.pending, .running, Phase.pending, .failure(Failed())])
            #expect(all.map { $0.flatMapError { _ in .pending } } == [.pending, .running, .success(1), Phase.pending])
        }
    }
}
