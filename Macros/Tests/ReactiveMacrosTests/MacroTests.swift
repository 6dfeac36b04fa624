// The tests that use the library. They share its default graph, so they run serially.

import Testing

@Suite(.serialized) struct MacroTests {}
