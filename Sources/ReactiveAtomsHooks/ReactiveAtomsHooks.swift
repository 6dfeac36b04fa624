// Atoms for those who render with hooks: a store that a scope hands down, and hooks that use it.
//
// A render is tracked, and a store that is read where reading subscribes does subscribe. So a hook that reads a node has nothing to keep: it
// finds the nearest store and reads. Only a callback has a slot, for what it keeps running.

#if DOCUMENTATION
// Exported symbols would be documented as the module's own.
public import ReactiveAtoms
public import ReactiveHooks
#else
@_exported public import ReactiveAtoms
@_exported public import ReactiveHooks
#endif
