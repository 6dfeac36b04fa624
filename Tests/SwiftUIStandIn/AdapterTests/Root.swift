// The parent suite of all suites. There is one main actor, and screens of several tests would update on it alternately,
// so one test runs at a time.

import Reactive
import Testing

@MainActor @Suite(.serialized) struct StandInTests {}

/// Switches the bridge on for plain views. On Apple's systems `isEnabledOnMainThread` is sufficient; elsewhere the main
/// actor may run on more than one thread.
func followInPlainViews() { ObservationBridge.isEnabled = true }
