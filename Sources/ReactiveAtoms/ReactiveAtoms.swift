// Recoil-style atoms and selectors on the reactive core: the design in one page.
//
// **Words of this module.** A *node* (Nodes) is a definition, a value without state: an atom or a selector. Its *key*
// identifies it: the source location of the call, the type and the parameter, or the value of a user's type.
// NodeKey.swift describes what one location creates for different instances; DefinitionCheck.swift, how a location that
// is used for different nodes is detected.
//
// A *store* (Store) keeps an *instance* (Instances) of each node that it has used. The *content* of an instance
// consists of nodes of the core:
//
//     sync atom         the instance itself is a source, with the value or the error of the default
//     sync selector     a Computed of results that calls the user's closure
//     async node        a loader: an Observable of the current episode, an Observable that counts the progress of
//                       the current run, and a Computed over these and over what the run has read
//
// A *run* is one attempt of an async node to compute its value, and its *inputs* are the nodes that it reads. An
// *episode* is the time between two interventions from outside. An *outcome* is the value or the error of a node that
// is not loading. A *waiter* is a task's wait for nodes. A *keeper* is the reaction that keeps a run up to date. A
// *gate* in an identifier is a stand-in for a reader (`ReaderStandIn`). A *path* leads along dependencies from node to
// node.
//
// So the core handles diamonds, cut-offs, conditional dependencies, transactions, roll-backs and threads, and reading
// subscribes.
//
// **Ownership.** Store ─▶ table ─▶ instance ─▶ content. The content of a selector also retains its instance, until the
// instance ends. An instance retains the table, which the store empties when it ends; the table refers to the store
// weakly. A selector has no list of its dependencies: the edges of its content are that list, and retain the
// dependencies. A run has such a list. Both are emptied when the instance ends, so that freeing never recurses. The
// edges of a reader retain the content and the instance, which is a source of the graph. The graph counts the edges, so
// the store is notified when the last observer has gone (retention). The instance changes when it is replaced (release,
// override). A task that waits for a node from outside is no observer; it keeps the instance in the store by a count.
//
// **Speed.** Each access looks a node up by its key. So keys are compared word by word, and the users' values in them
// are hashed when the keys are created (NodeKey.swift, NodeParameter.swift, InstanceTable.swift). A look-up takes the
// bits of a key, since a copy would retain three references. Objects that the store keeps until the graph is unlocked
// are not retained. Members of a family share its closure (NodeClosure.swift). The typed part of an access is compiled
// into the user's module, where the type is known; the rest is compiled here, once. Data that most nodes do not need
// (effects, names, waiting tasks) are created on demand.
//
// **Locks.** The core's lock guards everything: instances, episodes, runs, caches. User code runs under it only where
// the core's rules say so (defaults, sync selectors, setters, effects on first use). Tasks, `onSet`, clean-ups,
// refreshes and cancellation handlers run outside.
//
// **Actors.** A closure remembers the actor that it was created on, if any. A closure that must return a value under
// the lock stops the program elsewhere (NodeClosure.swift). Other closures, `onSet` or a clean-up, hop
// (IsolatedClosures.swift). The inputs of a run are compared on the actor of its node. A task that waits for a node
// looks at it on the actor that the task waits on.
//
// **Asynchronous runs.** See Loader.swift for the states, and Waiter.swift for the waiting tasks. Readers use the
// current run alone, so a late result is never read. The accessor that a closure receives records each read in the run,
// from any task and after any `await`, with the version of the node. The content compares these versions. In a run that
// has been replaced, accessors throw. If a run awaits another node, that node's outcome counts: while it loads again,
// the reader is loading too, and runs again only if the outcome differs.
//
// **Cycles.** The core finds cycles of sync selectors. When a run reads a node whose recorded dependencies include the
// run's own node, the read throws, with the path. It adds no edge. Instead, the run depends on the atoms upstream, so
// that a change that opens the cycle starts the run again. A node is brought up to date before its dependencies are
// used, so they are never old ones.
//
// **Overrides.** An override is a different definition for new instances of a node. Setting one replaces the instance.
//
// This module does not contain hooks or views. They use `ScopedRecoilContext`: a store, the used nodes, and a refresh.

@_exported public import Reactive
@_exported public import ReactiveSaving
