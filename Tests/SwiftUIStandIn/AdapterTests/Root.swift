// The suite that all suites are part of. There is one main actor, and screens of several tests would be updated in
// turns on it: one test at a time.

import Reactive
import Testing

@MainActor @Suite(.serialized) struct StandInTests {}

/// Lets plain views follow state. On Apple's systems `isEnabledOnMainThread` is enough; elsewhere the main actor may
/// run on more than one thread.
func followInPlainViews() { ObservationBridge.isEnabled = true }
