// Recoil-style atoms and selectors on the reactive core: the design in one page.
//
// What is what
//   A *node* (Nodes) is a definition, a value without state: an atom or a selector. Its *key* says when two nodes are
//   the same: the source location of the call, the type and the parameter, or the value of a type of the user's. What
//   one location creates for different instances is in NodeKey.swift; how a location that is used for different nodes
//   is noticed, in DefinitionCheck.swift. A *store* (Store) keeps an *instance* (Instances) of each node it has used.
//   The content of an instance is made of nodes of the core:
//       sync atom         the instance itself is a source, with the value or the error of the default
//       sync selector     a Computed of results that calls the user's closure
//       async node        a loader: an Observable of the current episode, an Observable that counts the progress of
//                         the current run, and a Computed over these and over what the run has read
//   So diamonds, cut-offs, conditional dependencies, transactions, roll-backs and threads are the core's affair, and subscribing is
//   reading.
//
// Who owns whom
//   Store ─▶ table ─▶ instance ─▶ content. The content of a selector holds its instance in turn, until the instance
//   ends. An instance holds the table, which the store empties when it ends; the table knows the store weakly. A
//   selector has no list of what it has read: the edges of its content say it, and hold it. A run has one. Both are
//   emptied when the instance ends, so that freeing never recurses. Readers hold, by the edges of the core, the content
//   and the instance, which is a source of the graph. The graph counts the edges, so the store learns that the last
//   observer has gone (retention). The instance changes when it is replaced (release, override). A task that waits for
//   a node from outside is no observer; it keeps the instance where it is by a count.
//
// What is fast
//   Each access looks a node up by its key, so keys are compared word by word, and hashed when they are created as
//   far as they come from users (NodeKey.swift, NodeParameter.swift, InstanceTable.swift). A look-up takes the bits of
//   a key, since a copy would retain three references; and what the store keeps until the graph is unlocked is not
//   retained. Members of a family share its closure (NodeClosure.swift). What an access does with a value is compiled
//   into the user's module, where its type is known; what does not depend on the type is compiled here, once. What most
//   nodes do without, effects, names, tasks that wait, is created when it is needed.
//
// Which lock
//   The core's, for everything: instances, episodes, runs, caches. User code runs under it where the core says so (defaults, sync
//   selectors, setters, effects on first use), and never otherwise: tasks, `onSet`, clean-ups, refreshes and cancellation handlers run outside.
//
// Which actor
//   A closure remembers the actor that it was created on, if any. One that must return a value under the lock stops the
//   program elsewhere (NodeClosure.swift); one that need not, `onSet` or a clean-up, hops (IsolatedClosures.swift).
//   What a run has read is compared on the actor of its node; a task that waits for a node looks at it on the actor
//   that the task waits on.
//
// Asynchronous runs
//   See Loader.swift for the states, and Waiter.swift for the tasks that wait. Readers ask the current run alone, so
//   nothing ever looks at a late result. The accessor that is handed to a closure records what is read into the run,
//   from any task and after any `await`, together with what the read node was then; the content compares. In a run that
//   no longer counts, accessors throw.
//   Where a run waits for another node, what counts is what that one settles on: while it loads again, the reader is loading too, and
//   runs again only if the result differs.
//
// Cycles
//   Within sync selectors the core finds them. When a run reads a node that, by what has been recorded, needs the run's own node, the read
//   throws, with the path. The edge is not made; the run depends on the atoms that led there instead, so that whatever opens the cycle wakes it.
//   A node that is brought up to date before it is asked for its dependencies never shows old ones.
//
// Overrides
//   An override is another definition that instances are made from. Setting one replaces the instance.
//
// Hooks and SwiftUI are not here. What they need of this module is `ScopedRecoilContext`: a store, what has been used, and whom to refresh.

#if DOCUMENTATION
// Exported symbols would be documented as the module's own.
public import Reactive
public import ReactiveSaving
#else
@_exported public import Reactive
@_exported public import ReactiveSaving
#endif
