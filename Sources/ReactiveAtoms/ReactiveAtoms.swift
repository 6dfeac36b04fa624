// Recoil-style atoms and selectors on the reactive core.
