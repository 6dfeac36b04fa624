// The footprint of those who know nothing of what was touched.

extension Footprint {
    /// The whole document.
    package static var everything: Footprint {
        var footprint = Footprint()
        footprint.touch(.set(.root, .null))
        return footprint
    }

    /// Whether it is the whole document.
    package var isEverything: Bool { root.isWhole }
}
