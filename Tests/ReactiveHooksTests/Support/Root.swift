// The suite that all suites are part of. The graph is one for the whole process and tests speak of what happens uncontended, so they run
// one after the other: those of this suite, nested suites included, and those of other modules.

import Testing
import TestSupport

@Suite(.serialized, .alone) struct HooksTests {}
