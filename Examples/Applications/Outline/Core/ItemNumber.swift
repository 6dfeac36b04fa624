// Where an item is: 2.1.3 is the third item below the first item below the second.

/// The place of one item.
package struct ItemNumber: Hashable, Sendable, CustomStringConvertible {
    /// How deep items can be nested. JSON is read no deeper than 512 values, and each level takes two of them.
    package static let maximumDepth = 200

    /// The index in each list on the way, from 0.
    package let indices: [Int]

    /// The number of the outline itself, which lies above all items.
    static let top = ItemNumber(indices: [])

    init(indices: [Int]) { self.indices = indices }

    /// Creates a number from text such as `2.1.3`, or nothing if it is none.
    package init?(_ text: some StringProtocol) {
        var indices: [Int] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard part.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(part), number > 0 else { return nil }
            indices.append(number - 1)
        }
        self.indices = indices
    }

    /// The number of the item around this one.
    var parent: ItemNumber { ItemNumber(indices: indices.dropLast()) }

    /// The position among the items around it.
    var index: Int { indices[indices.count - 1] }

    /// The number of an item below this one.
    func appending(_ index: Int) -> ItemNumber { ItemNumber(indices: indices + [index]) }

    /// Whether the other number is this one, or lies below it.
    func contains(_ other: ItemNumber) -> Bool { other.indices.starts(with: indices) }

    /// The number as text.
    package var description: String { indices.map { String($0 + 1) }.joined(separator: ".") }
}
