// Small choices that random tests make.

extension SplitMix64 {
    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True once in `times` on average.
    mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

    /// An element of a collection that is not empty.
    mutating func pick<Choices: RandomAccessCollection>(_ choices: Choices) -> Choices.Element {
        choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
    }
}
