// The suite that all suites are part of. There is one main actor, and screens of several tests would be updated in turns on it: one test at a time.

import Testing

@MainActor @Suite(.serialized) struct StandInTests {}
