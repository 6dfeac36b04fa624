// The way to the code of recordings, which is in the module _ReactiveDiagnostics.
//
// A program that never records should not carry that code. A linker leaves out what nothing refers to, but it keeps
// all public functions. Therefore:
//
//     Diagnostics.record              is compiled into the program that calls it, and alone refers to
//     reactive_recording_functions    in C, so that a linker may leave it out; refers to
//     reactive_code_of_recordings     in _ReactiveDiagnostics; returns the code as a table of closures
//
// Everything else calls the code through this table: the engine through its recorder, the public types through the
// recording. _ReactiveDiagnostics is a module of its own since a linker keeps or leaves out the functions of a file
// together, and the compiler puts what it specialises for several files of a module into any of them.

import CReactive

/// The code of recordings.
package enum RecordingCode {
    package typealias Receiver = @Sendable ([Diagnostics.Event]) -> Void
    /// A recording, which only the code knows.
    package typealias Session = AnyObject & Sendable
    /// The events of one graph, which only the code knows. Under the lock.
    package typealias LiveEvents = AnyObject

    package final class Functions: Sendable {
        package let start: @Sendable (_ limit: Int, Receiver?) -> any Session
        package let stop: @Sendable (any Session) -> Void
        package let events: @Sendable (any Session) -> [Diagnostics.Event]
        package let droppedCount: @Sendable (any Session) -> Int
        package let report: @Sendable (any Session) -> Diagnostics.Report
        package let json: @Sendable ([Diagnostics.Event]) -> String
        package let write: @Sendable (_ text: String, _ location: String) -> Diagnostics.TraceError?
        package let newLiveEvents: @Sendable (GraphPointer, _ limit: Int) -> LiveEvents
        package let startLive: @Sendable (LiveEvents) -> Void
        package let stopLive: @Sendable (LiveEvents) -> Void
        package let update: @Sendable (LiveEvents) -> LiveUpdate
        package let label: @Sendable (LiveEvents, _ id: Int) -> (node: _Node, name: String)?

        package init(
            start: @escaping @Sendable (_ limit: Int, Receiver?) -> any Session,
            stop: @escaping @Sendable (any Session) -> Void,
            events: @escaping @Sendable (any Session) -> [Diagnostics.Event],
            droppedCount: @escaping @Sendable (any Session) -> Int,
            report: @escaping @Sendable (any Session) -> Diagnostics.Report,
            json: @escaping @Sendable ([Diagnostics.Event]) -> String,
            write: @escaping @Sendable (_ text: String, _ location: String) -> Diagnostics.TraceError?,
            newLiveEvents: @escaping @Sendable (GraphPointer, _ limit: Int) -> LiveEvents,
            startLive: @escaping @Sendable (LiveEvents) -> Void,
            stopLive: @escaping @Sendable (LiveEvents) -> Void,
            update: @escaping @Sendable (LiveEvents) -> LiveUpdate,
            label: @escaping @Sendable (LiveEvents, _ id: Int) -> (node: _Node, name: String)?
        ) {
            self.start = start
            self.stop = stop
            self.events = events
            self.droppedCount = droppedCount
            self.report = report
            self.json = json
            self.write = write
            self.newLiveEvents = newLiveEvents
            self.startLive = startLive
            self.stopLive = stopLive
            self.update = update
            self.label = label
        }
    }

    /// Returns the functions that `reactive_recording_functions` has returned.
    package static func functions(at address: UnsafeRawPointer) -> Functions {
        Unmanaged<Functions>.fromOpaque(address).takeUnretainedValue()
    }
}
