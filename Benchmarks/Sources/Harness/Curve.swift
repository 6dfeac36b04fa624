// The rows of the scaling curves: the cost of a changed node in graphs of three shapes and five sizes.

/// A shape of graph that is measured in several sizes.
package enum Curve: String, CaseIterable {
    /// One source, below it a chain of computeds, at its end an observer.
    case chain
    /// One source, below it observers.
    case fanOut = "fan-out"
    /// Sources that are all written in one transaction, below them a computed that adds them up, and an observer.
    case fanIn = "fan-in"

    /// The numbers of changed nodes.
    package static let sizes = [100, 1000, 10_000, 100_000, 1_000_000]

    /// The name of the row.
    package func row(size: Int) -> String { "\(rawValue) \(size)" }
}
