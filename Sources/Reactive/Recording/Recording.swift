// A recording: what happens in all graphs from `record` to `stop`.
//
//     engine ──▶ event logs, one for each graph ──▶ session ──▶ events ──▶ report, trace
//
// RecordingCode.swift explains why the two functions that begin one are compiled into the programs that call them.

import CReactive

extension Diagnostics {
    /// Records what happens from now on: writes, evaluations, runs, effects and their causes.
    ///
    /// ```swift
    /// let recording = Diagnostics.record()
    /// price.value = 6
    /// recording.stop()
    /// ```
    ///
    /// Then print its ``Recording/report``, look at its ``Recording/events``, or write its ``Recording/trace``.
    ///
    /// It covers all graphs. If it is called inside a transaction or a tracked closure, graphs that other threads hold
    /// begin to record when this thread releases its own. May be called from any thread, also while a different
    /// recording is in progress.
    ///
    /// - Parameter limit: The number of events to keep, at least. Older events are dropped in blocks of up to 1,024. An
    ///   event takes 56 bytes, and as much for each of its causes.
    /// - Returns: The recording. It ends with ``Recording/stop()``, or when the object is released.
    @_alwaysEmitIntoClient
    public static func record(limit: Int = 1_000_000) -> Recording {
        Recording(reactive_recording_functions(), limit: limit)
    }

    /// Records what happens from now on, and passes it on in batches.
    ///
    /// Use it to forward events to signposts, metrics or a tracing system.
    ///
    /// - Parameter receive: Receives the events in batches of one graph each, up to a thousand at a time, in the order
    ///   in which they ended. Called outside of the library's lock, on a thread that has filled a batch, or that begins
    ///   or stops a recording; one call at a time. If a call is in progress on a different thread, that thread passes
    ///   on the rest too, so it may still do so after `stop()` has returned. What it does in graphs is recorded too.
    /// - Returns: The recording, which keeps no events. It ends with ``Recording/stop()``, or when the object is
    ///   released.
    @_alwaysEmitIntoClient
    public static func record(_ receive: @escaping @Sendable ([Event]) -> Void) -> Recording {
        Recording(reactive_recording_functions(), limit: 0, receive: receive)
    }

    /// A recording of events, in progress or stopped. May be used from any thread.
    public final class Recording: Sendable {
        private let session: any RecordingCode.Session
        private let code: RecordingCode.Functions

        @usableFromInline
        init(_ functions: UnsafeRawPointer, limit: Int, receive: (@Sendable ([Event]) -> Void)? = nil) {
            code = RecordingCode.functions(at: functions)
            session = code.start(limit, receive)
        }

        deinit { stop() }

        /// Ends the recording. Stopping again does nothing.
        ///
        /// Inside a transaction or a tracked closure, graphs that other threads hold continue until this thread
        /// releases its own.
        public func stop() { code.stop(session) }

        /// The events so far, in the order in which they began; empty if they are passed on in batches.
        ///
        /// - Complexity: O(*n* log *n*) in the number of events.
        public var events: [Event] { code.events(session) }

        /// The number of events that were dropped because of the limit.
        public var droppedCount: Int { code.droppedCount(session) }

        /// The events so far as a trace, for Perfetto or `chrome://tracing`. Complexity: that of ``events``.
        public var trace: Trace { Trace(events: events, code: code) }

        /// The events so far in tables: what took most time, what ran without need, and what was never read.
        /// Complexity: that of ``events``.
        public var report: Report { code.report(session) }
    }
}
