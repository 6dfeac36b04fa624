// What the engine reports of one graph while events are recorded. The folder Recording receives it.
//
// While nothing is recorded, the places that report are branches that the engine takes anyway for other reasons, and
// that a recording makes it take always:
//
//     logging < 0        a write goes through `prepareLog`; a transaction and a run of a reaction have begun
//     attention > 0      an evaluation begins or has ended; a transaction ends (the same word counts the log's entries)
//     flag `recorded`    the deinitialiser of a node that an event names takes its slow path, and so do its effects

import CReactive

/// What the engine reports to a recorder. Under the lock of the graph.
package enum Occurrence {
    /// A node was created that is no part of another.
    case creation(NodePointer)
    /// A node that an event has named is freed.
    case end(NodePointer)
    /// A write is about to change a value.
    case write(NodePointer)
    /// The evaluation of a derivation, or the tracked closure of a reaction, begins.
    case begin(ObserverPointer)
    /// The evaluation of a derivation has ended.
    case evaluation(ObserverPointer, hasChanged: Bool)
    /// The tracked closure of a reaction has ended.
    case run(ObserverPointer)
    /// An effect or the cleanups of a reaction begin, outside the lock.
    case flight(ObserverPointer)
    case endOfFlight(ObserverPointer)
    /// A transaction begins; with the packed file and line of its call, or 0.
    case transaction(UInt64)
    case commit
    case rollBack
    /// A reaction that is due was sent to its actor.
    case hop(ObserverPointer)
    /// A reaction that is due was left to its schedule.
    case delay(ObserverPointer)
    /// An issue was reported: its message and the source location.
    case issue(UnsafePointer<String>, site: UnsafePointer<String>)
    /// The graph ends.
    case endOfGraph
}

/// Receives what the engine reports of one graph.
package final class Recorder {
    /// The log that records.
    package let log: AnyObject
    let note: (Occurrence) -> Void

    package init(_ log: AnyObject, note: @escaping (Occurrence) -> Void) {
        self.log = log
        self.note = note
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Whether events are recorded. Under the lock.
    @inlinable @inline(__always)
    // No test sees this boundary: without a recorder, nothing is reported.
    package var isRecorded: Bool { Int64(bitPattern: pointee.logging) < 0 }

    /// The recorder, while events are recorded.
    package var recorder: Recorder? {
        pointee.recorder.map { Unmanaged<Recorder>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Reports to the recorder. Under the lock.
    @inline(never)
    func record(_ occurrence: Occurrence) {
        guard let recorder = pointee.recorder else { return }
        Unmanaged<Recorder>.fromOpaque(recorder)._withUnsafeGuaranteedRef { $0.note(occurrence) }
    }

    /// Reports to the recorder, without a lock. Without effect if this thread holds a different graph.
    @inline(never)
    func recordFromOutside(_ occurrence: Occurrence) {
        guard !isOutOfReach else { return }
        enter()
        record(occurrence)
        leave()
    }

    /// - Parameters:
    ///   - fileID: The file of the call that began the transaction.
    ///   - line: The line of the call.
    @usableFromInline @inline(never)
    func recordBeginOfTransaction(_ fileID: StaticString, _ line: UInt) {
        record(.transaction(NodeName.packed(fileID, line) ?? 0))
    }

    /// Reports a change that a write is about to make.
    @usableFromInline @inline(never)
    func recordWrite(of node: NodePointer) { record(.write(node)) }

    /// Frees the recorder. Under the lock, or together with the graph.
    package func freeRecorder() {
        guard let recorder = pointee.recorder else { return }
        pointee.recorder = nil
        pointee.recording = 0
        pointee.logging &= ~REACTIVE_LOGGING_RECORDING
        Unmanaged<Recorder>.fromOpaque(recorder).release()
    }
}
