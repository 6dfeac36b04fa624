// A host for hooks: full-screen programs on a terminal.
//
//     FullScreen.run { body }
//       ├─ Terminal      the settings, the alternate screen, the signals (with CTerminal)
//       ├─ EventLoop     poll(2) on the keyboard and a pipe; timers; closures from other threads
//       ├─ KeyDecoder    bytes ──▶ keys
//       ├─ Stage         a HookRenderer whose output is a View; keys go to the View
//       │    └─ View     a small tree of styled text ──layout──▶ Canvas, a grid of cells
//       └─ Painter       two canvases ──▶ the bytes that turn one into the other
//
// One thread, the one that calls `run`, renders, runs effects, handles keys and draws. A write of state on another thread makes the renderer
// ask for a turn; that is posted to the loop, and a byte in the pipe wakes it. However many turns there are in one round of the loop, it
// draws once.
//
// `Stage` knows no terminal: with it a program can be tested, and print a single frame into a pipe.
//
// `Key`, `KeyDecoder` and `Glyph` are in TerminalText, since programs that read lines use them too.

@_exported public import TerminalText
