// The footprint of the whole document, for callers that do not know which parts were touched.

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
