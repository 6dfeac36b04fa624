// The suite that all suites are part of. The graph is one for the whole process and tests speak of what happens uncontended, so the
// suite runs its tests one after the other, nested suites included.

import Testing

@Suite(.serialized) struct HooksTests {}
