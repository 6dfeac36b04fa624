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
// The thread that calls `run` renders, runs effects, handles keys and draws. After a write on another thread, the
// renderer requests a turn. The request is posted to the loop, and a byte in the pipe wakes it. The loop draws once for
// all turns of one round.
//
// `Stage` does not depend on a terminal. So a program can be tested, and can print a single frame into a pipe.
//
// `Key`, `KeyDecoder` and `Glyph` are in TerminalText, because programs that read lines use them too.

@_exported public import TerminalText
