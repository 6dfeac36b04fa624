// The tests that use the library. They share its default graph, so they run one after the other.

import Testing

@Suite(.serialized) struct MacroTests {}
