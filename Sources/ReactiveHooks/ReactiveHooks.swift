// Hooks: state and effects for a closure that runs repeatedly to render an output.
//
//     HookRenderer ──owns──▶ HookTree ──owns──▶ HookInstance ──owns──▶ HookSlot, HookSlot, …   one per call of a hook
//      the host's handle      the runtime        a rendered body            └─ the hook's state
//      output, scheduler      tracking, effects      └──owns──▶ HookInstance …                 one per child scope
//                                 └──owns──▶ TreeState     shared by the scopes: units, counters, work for the commit
//
// Words of this module: a *body* is a closure that renders. A *scope* is a body with hooks of its own, and an
// *instance* is what the runtime keeps of it. A *slot* is what one call of a hook keeps. A *unit* is a scope that
// renders by itself. A *site* is the source location of a call of a scope.
//
// **A turn** is a *pass* and a *commit*.
//
//     pass      bodies run, tracked, under the graph's lock      each call of a hook finds its slot
//     commit    the output goes to the host                      outside the lock from here on
//               removed hooks are disposed of                    in reverse order
//               clean-ups of the effects that are due            all of them: children first, then in hook order
//               those effects                                    in the same order
//
// Only one thread at a time has the tree: the one that takes a turn (`HookTree.Status`). If an effect, the render
// itself or another thread changes something meanwhile, the tree records this, and one more turn follows. So a turn is
// never re-entered, and only that record needs a lock.
//
// **Reads subscribe** through one reaction of the core for each tree. It consists of parts (`RenderUnit`), one for each
// *unit*: the root and each scope with an id. An observable that the body of a unit reads becomes a source of its part,
// and a change of a source is reported to the tree (`Schedule.notifyOnly`). The state of `useState` is an `Observable`
// as any other. So transactions, equality and writes from other threads need no code here.
//
// **A pass runs the units that have read a changed value**, the outer ones first, since the body of a unit runs all
// units inside it. A unit that ran without the unit around it may return a different output. Then the unit around it
// runs too, to *take in* the new output, and so on up to the root. Meanwhile the unchanged units inside it return their
// previous outputs, except those that might use the new output: the units that are called after it and at a different
// site. (The bodies of one list are called at one site, and must not use one another's outputs.)
//
// **The current scope** is a pointer in the thread's context (`HookInstance.current`), which is set while the body
// runs. A task that a body starts runs elsewhere, or later, and finds no scope.
//
// **Threads.** The body, the effects and the clean-ups run in the isolation that created the renderer. If it was
// created in none, they run on the thread whose write caused the turn. State may be written from anywhere.
//
// **Typed code is compiled in the user's module.** `useHook`, the most frequent hooks, the slots and `hookScope` are
// inlinable, and so are specialised for the types of their caller. The runtime below them is not generic. If it has to
// call typed code (to render a scope by itself), it calls a closure without captures (`ScopeContent`). Counting
// instructions showed the main costs: metadata of generic types at run time, casts, existential containers, weak
// references and objects.
//
// **A tree that is rendered once** (`renderToString`) is not tracked. It has one unit and no parts, and runs no
// effects. One instance at each depth stands for all scopes without an id. The state of `useState` ends with the tree
// instead of being disposed of.

@_exported public import Reactive
