// Atoms for hooks: a store that a scope provides, and hooks that use it.
//
// A render is tracked, and so reading a store in it subscribes the render. A hook that reads a node therefore keeps
// nothing: it finds the nearest store and reads the node. Only a callback uses a slot, for the work that it keeps
// running.

@_exported public import ReactiveAtoms
@_exported public import ReactiveHooks
