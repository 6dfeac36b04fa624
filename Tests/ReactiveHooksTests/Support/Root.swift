// The parent suite of all suites of the module.

import Testing
import TestSupport

@Suite(.ownGraph, .timeLimit) struct HooksTests {}
