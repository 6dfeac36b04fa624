// The suite that all suites of the module are part of.

import Testing
import TestSupport

@Suite(.ownGraph, .timeLimit) struct ReactiveCollectionsTests {}
