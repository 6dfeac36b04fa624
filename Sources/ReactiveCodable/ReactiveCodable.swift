// Observes, undoes, patches and saves object graphs, through `Codable` alone.
//
// The folders are layers. Code names declarations of its own layer and of the layers below it, never of a layer above:
//
//     History   Saving   Recording     undo and redo, with entries of observables and their values; files and journals;
//                                      patches that are reported and written under one lock
//     Changes                          the changes of a transaction: paths, old and new values, patches
//     Observing   Patch                observing a graph; writing a patch into one. Neither names the other.
//     Coding                           the encoded form of observables; encoders that receive observables; past values
//     ───────────────────────
//     ReactiveJSON   ReactiveSaving   Reactive
//
// `.ci/floors` checks this.
//
// Three declarations make it possible. Coding declares views of the past and saved values (PastView.swift); Observing,
// which records them, subclasses both. Coding declares the map of the paths in a graph (PathMap.swift); Observing
// implements it, and Patch uses it. Observing passes on its records unchanged (ChangeRecord.swift), and Changes
// converts them to the types that users see.
//
// These words have one meaning each in this module:
//
//     path          the keys and indices from the root of a graph to a value, as in JSON Pointer
//     component     one key or index of a path in a region (`PathComponent`); in JSON, a token
//     cell          the part of a deep observation for one observable
//     region        what the value of a cell encodes, up to the next cells
//     walk          encoding one region to find its cells (`Walk`)
//     holder        the object that holds the value of a node of a `JSONTree`, its *held node*: an observable
//     entry         what a history recorded for one transaction
//     step          a recorded transaction, an undo or a redo, as reported by a history
//     migration     the conversion of a document from one version to the next
//
// Start reading at Coding/CodersOfObservables.swift, then Observing/Walk.swift.

@_exported public import Reactive
@_exported public import ReactiveJSON
@_exported public import ReactiveSaving
