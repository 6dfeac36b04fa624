// A recording as a Chrome trace: the JSON that Perfetto and chrome://tracing show. Threads are rows, evaluations, runs
// and effects are bars, and arrows lead from causes to effects.
//
// The format: "Trace Event Format", by the authors of Chrome's tracing.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension Diagnostics {
    /// A recording in the format of Chrome's tracing, which Perfetto opens too.
    public struct Trace: Sendable {
        let events: [Event]
        let code: RecordingCode.Functions

        /// The trace as JSON text. Complexity: O(events).
        public var json: String { code.json(events) }

        /// Writes the trace to a file, which is replaced.
        ///
        /// - Parameter file: A file URL, or the path of the file. (The module does without Foundation, so it takes the
        ///   location as text: `file:///tmp/trace.json` or `/tmp/trace.json`.)
        /// - Throws: ``TraceError`` if the file cannot be written.
        public func write(to file: some CustomStringConvertible) throws(TraceError) {
            if let error = code.write(json, file.description) { throw error }
        }
    }

    /// An error of writing a trace.
    public struct TraceError: Error, Sendable, CustomStringConvertible {
        /// The path of the file.
        public let path: String
        /// The error number of the system.
        public let code: Int32

        package init(path: String, code: Int32) {
            self.path = path
            self.code = code
        }

        /// The path, and the system's words.
        public var description: String { "The trace cannot be written to \(path): \(String(cString: strerror(code)))." }
    }
}
