// Observing, recording, replaying and saving object graphs, through `Codable` alone.
//
// The folders are floors. Code names what is on its own floor and on those below, never what is above:
//
//     History   Saving   Recording     undo and redo: entries that are observables and their values; files and journals;
//                                      patches reported and written under one lock
//     Changes                          what a transaction changed: paths, old and new values, patches
//     Observing   Patch                follow a graph; write a patch into one: neither knows the other
//     Coding                           observables in encoded form; encoders that meet observables; the past; types
//     ───────────────────────
//     ReactiveJSON   ReactiveSaving   Reactive
//
// `.ci/floors` checks this.
//
// Three seams keep it so. Coding declares what a view of the past and a saved value are (PastView.swift), and Observing,
// which records them, subclasses both. Coding declares what a map of the paths in a graph is (PathMap.swift), which
// Observing has and Patch asks for. Observing hands over its records as they are (ChangeRecord.swift), and Changes makes
// of them what users see.
//
// The way in is Coding/CodersOfObservables.swift, then Observing/Walk.swift.

#if DOCUMENTATION
// Exported symbols would be documented as the module's own.
public import Reactive
public import ReactiveJSON
public import ReactiveSaving
#else
@_exported public import Reactive
@_exported public import ReactiveJSON
@_exported public import ReactiveSaving
#endif
