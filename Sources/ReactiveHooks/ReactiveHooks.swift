// Hooks: state and effects for a closure that is run again and again to render something.
//
//     HookRenderer ──owns──▶ HookTree ──owns──▶ HookInstance ──owns──▶ HookSlot, HookSlot, …   one for each call of a hook
//      the host's handle      the runtime        a rendered body            └─ the hook's state
//      output, scheduler      tracking, effects      └──owns──▶ HookInstance …                  one for each child scope
//
// **A turn** is a *pass* and a *commit*.
//
//     pass      the body runs, tracked, under the graph's lock   each call of a hook meets its slot
//     commit    the output goes to the host                      outside the lock from here on
//               what is gone is disposed of                      in reverse order
//               clean-ups of the effects that are due            in hook order, all of them
//               those effects                                    in hook order
//
// A thread that takes a turn has the tree to itself (`HookTree.Status`). Whatever changes meanwhile, by an effect, by the render itself or
// by another thread, makes a note, and one more turn follows. So a turn is never re-entered, and nothing but the note is locked.
//
// **Reads subscribe** through one `ObserverScope` of the core for each tree, which each pass runs anew: whatever the body reads becomes
// a source of it, and a change of a source is told to the tree (`Schedule.told`). The state of `useState` is an `Observable` as any other.
// This is what makes transactions, equality and writes from other threads work without a word about them here.
//
// **The current scope** is a pointer in the thread's context (`HookInstance.current`), set for the length of a body. A task that is
// started in a body runs elsewhere, or later, and finds none.
//
// **Threads.** The body and the effects run in the isolation that made the renderer; made in none, on the thread whose write caused
// the turn. State may be written from anywhere.

#if DOCUMENTATION
// Exported symbols would be documented as the module's own.
import Reactive
#else
@_exported import Reactive
#endif
