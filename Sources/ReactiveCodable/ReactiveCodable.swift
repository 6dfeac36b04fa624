// Observing, recording, replaying and saving object graphs, through `Codable` alone.
//
// The folders are floors. Code names what is on its own floor and on those below, never what is above:
//
//     History                          undo and redo: entries that are patches
//     Changes                          what a transaction changed: paths, old and new values, patches
//     Observing   Patch   Saving       follow a graph; write a patch into one; keep one in a file: none knows the others
//     Coding                           observables in encoded form; encoders that meet observables; the past; types
//     ───────────────────────
//     ReactiveJSON   Reactive          JSON without graphs; graphs without JSON
//
// Two seams keep it so. Coding declares what a view of the past and a saved value are (PastView.swift), and Observing,
// which records them, subclasses both. Observing hands over its records as they are (ChangeRecord.swift), and Changes
// makes of them what users see.
//
// The way in is Coding/CodersOfObservables.swift, then Observing/Walk.swift.

@_exported import ReactiveJSON
