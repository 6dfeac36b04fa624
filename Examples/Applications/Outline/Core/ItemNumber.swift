// The number of an item: 2.1.3 is the third item below the first item below the second.

/// The number of an item, which is its path in the outline.
package struct ItemNumber: Hashable, Sendable, CustomStringConvertible {
    /// The maximum nesting of items. JSON is read down to 512 nested values, and each level of items takes two of them.
    package static let maximumDepth = 200

    /// The index in the list of each level, from 0.
    package let indices: [Int]

    /// The number of the outline itself, which is above all items.
    static let top = ItemNumber(indices: [])

    init(indices: [Int]) { self.indices = indices }

    /// Creates a number from text such as `2.1.3`; `nil` if the text is not a number.
    package init?(_ text: some StringProtocol) {
        var indices: [Int] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard part.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(part), number > 0 else { return nil }
            indices.append(number - 1)
        }
        self.indices = indices
    }

    /// The number of the parent item.
    var parent: ItemNumber { ItemNumber(indices: indices.dropLast()) }

    /// The index among the siblings.
    var index: Int { indices[indices.count - 1] }

    /// The number of an item below this one.
    func appending(_ index: Int) -> ItemNumber { ItemNumber(indices: indices + [index]) }

    /// Whether the other number equals this one or is below it.
    func contains(_ other: ItemNumber) -> Bool { other.indices.starts(with: indices) }

    /// The number as text.
    package var description: String { indices.map { String($0 + 1) }.joined(separator: ".") }
}
