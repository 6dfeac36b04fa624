// A recording: what happens in all graphs from `record` to `stop`. The folder Graph has the recorder of one graph;
// RecordingSession.swift has the path from there to here.

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
    public static func record(limit: Int = 1_000_000) -> Recording {
        Recording(RecordingSession(limit: limit, receive: nil))
    }

    /// Records what happens from now on, and passes it on in batches.
    ///
    /// Use it to forward events to signposts, metrics or a tracing system.
    ///
    /// - Parameter receive: Receives events of one graph in the order in which they ended, about a thousand at a time.
    ///   Called outside of the library's lock, on the thread that has filled a batch, or that begins or stops a
    ///   recording. Two batches may arrive at the same time on two threads, also while `stop()` returns. What it does
    ///   in graphs is recorded too.
    /// - Returns: The recording, which keeps no events. It ends with ``Recording/stop()``, or when the object is
    ///   released.
    public static func record(_ receive: @escaping @Sendable ([Event]) -> Void) -> Recording {
        Recording(RecordingSession(limit: 0, receive: receive))
    }

    /// A recording of events, in progress or stopped. May be used from any thread.
    public final class Recording: Sendable {
        private let session: RecordingSession

        fileprivate init(_ session: RecordingSession) {
            self.session = session
            session.start()
        }

        deinit { session.stop() }

        /// Ends the recording. Stopping again does nothing.
        ///
        /// Inside a transaction or a tracked closure, graphs that other threads hold continue until this thread
        /// releases its own.
        public func stop() { session.stop() }

        /// The events so far, in the order in which they began; empty if they are passed on in batches.
        ///
        /// - Complexity: O(*n* log *n*) in the number of events.
        public var events: [Event] { session.events() }

        /// The number of events that were dropped because of the limit.
        public var droppedCount: Int { session.droppedCount }

        /// The events so far as a trace, for Perfetto or `chrome://tracing`. Complexity: that of ``events``.
        public var trace: Trace { Trace(events: events) }

        /// The events so far in tables: what took most time, what ran without need, and what was never read. Complexity:
        /// that of ``events``.
        public var report: Report { Report(events: events, droppedCount: droppedCount) }
    }

    /// An event of a recording.
    public struct Event: Sendable, Hashable, Identifiable {
        /// The kind of an event.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A node was created.
            case creation
            /// A node was freed.
            case end
            /// State was written, and its value changed. (An in-place mutation counts even if it changed nothing.)
            case write
            /// A computed was evaluated.
            case evaluation
            /// The tracked closure of a reaction ran.
            case run
            /// The effect of a reaction ran, or its cleanups, outside the lock.
            case effect
            /// A transaction ended, and its writes stay.
            case transaction
            /// A transaction ended with an error, and its writes were rolled back.
            case rollBack
            /// A reaction that is due was sent to its actor.
            case hop
            /// A reaction that is due was left to its schedule. A schedule that waits for a pause is asked again after
            /// each further change; otherwise the run after the delay has the further changes as causes.
            case delay
            /// An issue was reported.
            case issue
        }

        /// A node of a graph, as an event names it.
        public struct Node: Sendable, Hashable, Identifiable {
            /// A number that no other node of the recording has.
            public let id: Int
            /// The kind of the node.
            public let kind: GraphSnapshot.Node.Kind
            /// The name: the given one, or the file and line of the call that created the node.
            public let name: String
            /// The file and line of the call that created the node.
            public let site: String
        }

        /// A number that no other event of the recording has.
        public let id: Int
        /// The kind of the event.
        public let kind: Kind
        /// The node that was written, evaluated or run; `nil` for transactions and issues.
        public let node: Node?
        /// The number of the graph: 0 for the first one that recorded an event.
        public let graph: Int
        /// The number of the thread: 0 for the first one that recorded an event.
        public let thread: Int
        /// The time at which it began, in nanoseconds since the start of the recording.
        public let start: Int
        /// The time that it took, in nanoseconds; 0 for events without a duration.
        public let duration: Int
        /// Whether an evaluation has changed the value; `nil` for other events.
        public let hasChanged: Bool?
        /// The events that caused an evaluation or a run: writes, and evaluations of computeds. Those from before the
        /// recording, or that were dropped, are missing.
        public let causes: [Int]
        /// Runs: the number of the flush that ran it, so that repeated runs in one flush can be found.
        public let flush: Int?
        /// Ends: whether no tracked closure has ever read the node.
        public let wasUnread: Bool
        /// Issues: the source location and the message. Transactions, and writes in one: the source location of the
        /// innermost transaction, if it is known.
        public let text: String?
    }
}
