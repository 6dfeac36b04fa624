// The code of recordings as a table, which the core calls. Programs that never record refer to nothing in it.

import CReactive
import Reactive

private let functions = RecordingCode.Functions(
    start: { limit, receive in
        let session = RecordingSession(limit: limit, receive: receive)
        session.start()
        return session
    },
    stop: { session($0).stop() },
    events: { session($0).events() },
    droppedCount: { session($0).droppedCount },
    report: { Diagnostics.Report(events: session($0).events(), droppedCount: session($0).droppedCount) },
    json: { Diagnostics.Trace.json(of: $0) },
    write: { Diagnostics.Trace.write($0, to: $1) },
    newLiveEvents: { LiveEvents(of: $0, limit: $1) },
    startLive: { liveEvents($0).begin() },
    stopLive: { liveEvents($0).end() },
    update: { liveEvents($0).next() },
    label: { liveEvents($0).label(of: $1) })

private func session(_ object: any RecordingCode.Session) -> RecordingSession {
    unsafeDowncast(object, to: RecordingSession.self)
}

private func liveEvents(_ object: RecordingCode.LiveEvents) -> LiveEvents {
    unsafeDowncast(object, to: LiveEvents.self)
}

/// Returns the functions. Called by `reactive_recording_functions`.
@_cdecl("reactive_code_of_recordings")
func codeOfRecordings() -> UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(functions).toOpaque()) }
