// Hooks: state and effects for a closure that is run again and again to render something.
//
//     HookRenderer ──owns──▶ HookTree ──owns──▶ HookInstance ──owns──▶ HookSlot, HookSlot, …   one for each call of a hook
//      the host's handle      the runtime        a rendered body            └─ the hook's state
//      output, scheduler      tracking, effects      └──owns──▶ HookInstance …                  one for each child scope
//                                 └──owns──▶ TreeState     what the scopes share: units, counters, what is left to the commit
//
// **A turn** is a *pass* and a *commit*.
//
//     pass      bodies run, tracked, under the graph's lock      each call of a hook meets its slot
//     commit    the output goes to the host                      outside the lock from here on
//               what is gone is disposed of                      in reverse order
//               clean-ups of the effects that are due            all of them: children first, then in hook order
//               those effects                                    in the same order
//
// A thread that takes a turn has the tree to itself (`HookTree.Status`). Whatever changes meanwhile, by an effect, by the render itself or
// by another thread, makes a note, and one more turn follows. So a turn is never re-entered, and nothing but the note is locked.
//
// **Reads subscribe** through one reaction of the core for each tree, which is made of parts (`RenderUnit`): one for the root and one for each
// scope with an id. These are the *units*. Whatever the body of a unit reads becomes a source of its part, and a change of a source is reported to the
// tree (`Schedule.told`). The state of `useState` is an `Observable` as any other. This is what makes transactions, equality and writes from
// other threads work without a word about them here.
//
// **A pass runs the units of which something has changed**, the outer ones first, since the body of a unit runs all units inside it. A unit that ran without
// the one around it may return something else. Then the one around it runs too, to *take in* the new output, and so on up to the root. While it does,
// the units inside it that have not changed return what they returned last, unless they might use the new output: those that are called after it and at
// another place in the source. (Bodies of one list are called at one place, and must not use one another's outputs.)
//
// **The current scope** is a pointer in the thread's context (`HookInstance.current`), set for the length of a body. A task that is
// started in a body runs elsewhere, or later, and finds none.
//
// **Threads.** The body, the effects and the clean-ups run in the isolation that created the renderer. Created in none, they run on the thread whose
// write caused the turn. State may be written from anywhere.
//
// **Typed code is compiled in the user's module.** `useHook`, the hooks that are used most, the slots and `hookScope` are inlinable, and so specialised
// for the types of their caller; the runtime below them is not generic. Where it has to call typed code (to render a scope by itself), that is
// a closure without captures (`ScopeContent`). What costs most was found by counting instructions: metadata of generic types at run time, casts,
// existential containers, weak references and objects.
//
// **A tree that is rendered once** (`renderToString`) is not tracked. It has one unit and no parts, runs no effects, and one instance at each depth stands for
// all scopes without an id. The state of `useState` ends with the tree instead of being disposed of.

#if DOCUMENTATION
// Exported symbols would be documented as the module's own.
public import Reactive
#else
@_exported public import Reactive
#endif
