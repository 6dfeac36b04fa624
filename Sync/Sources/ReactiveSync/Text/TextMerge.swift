// Merges concurrent changes of one text.
//
//     base      "Buy milk and bread"             the text that both changes began with
//     current   "Buy oat milk and bread"         after the first change
//     edited    "Buy milk and rye bread today"   after the second change
//     merged    "Buy oat milk and rye bread today"
//
// Each change replaces ranges of the base, its *hunks*. Both lists of hunks are applied if no range of one touches a
// range of the other. A hunk that both have is applied once. If ranges touch and differ, the texts conflict.
//
// All replicas must merge alike, so nothing in this file depends on the system:
// - Characters are runs of Unicode scalars, by rules in this file. Swift's `Character` depends on the version of
//   Unicode of the system.
// - The difference is Myers's algorithm, as implemented in this file.
// A change of either changes the meaning of the entries in existing logs.

/// Merges two changes of one text.
public enum TextMerge {
    /// Merges two changes of one text, range by range.
    ///
    /// ```swift
    /// let merged = TextMerge.merged(base: "Buy milk", current: "Buy oat milk", edited: "Buy milk today")
    /// print(merged ?? "a conflict")  // prints "Buy oat milk today"
    /// ```
    ///
    /// Both changes are applied if they replace different ranges. A change that both contain is applied once. Ranges
    /// that touch count as the same range, so insertions at one position conflict, except if they are equal. A
    /// character with its combining marks, an emoji with its modifiers, and a line break are never split.
    ///
    /// The result is the same on all systems. The function may be called from any thread.
    ///
    /// - Parameters:
    ///   - base: The text that both changes began with.
    ///   - current: The text after one change.
    ///   - edited: The text after the other change.
    /// - Returns: The text with both changes; `nil` if both replace the same range differently.
    /// - Complexity: O(*n* · *d*) for texts of *n* characters with *d* inserted or removed ones. O(*n*) if *d* is more
    ///   than 500: the change then counts as one range from the first to the last difference.
    public static func merged(base: String, current: String, edited: String) -> String? {
        if edited.isEqual(to: base) || edited.isEqual(to: current) { return current }
        if current.isEqual(to: base) { return edited }
        let base = TextUnits(base)
        guard
            let hunks = Hunk.merged(
                Hunk.hunks(from: base, to: TextUnits(current)), Hunk.hunks(from: base, to: TextUnits(edited)))
        else { return nil }
        var result = String.UnicodeScalarView()
        var position = 0
        for hunk in hunks {
            result.append(contentsOf: base.scalars(position..<hunk.range.lowerBound))
            result.append(contentsOf: hunk.new)
            position = hunk.range.upperBound
        }
        result.append(contentsOf: base.scalars(position..<base.count))
        return String(result)
    }
}

extension String {
    /// Returns whether both have the same Unicode scalars.
    fileprivate func isEqual(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

// MARK: - Hunks

/// A range of a text, and its replacement.
private struct Hunk {
    let range: Range<Int>
    let new: ArraySlice<Unicode.Scalar>

    /// The maximum number of insertions and removals. The memory grows with its square.
    private static let maximumDistance = 500

    /// Returns both lists of hunks as one; `nil` if hunks touch that are not equal.
    static func merged(_ left: [Hunk], _ right: [Hunk]) -> [Hunk]? {
        var result: [Hunk] = []
        var (left, right) = (left[...], right[...])
        while let first = left.first, let second = right.first {
            if first.range == second.range, first.new == second.new {
                result.append(first)
                left.removeFirst()
                right.removeFirst()
            } else if first.range.upperBound < second.range.lowerBound {
                result.append(first)
                left.removeFirst()
            } else if second.range.upperBound < first.range.lowerBound {
                result.append(second)
                right.removeFirst()
            } else {
                return nil
            }
        }
        return result + left + right
    }

    /// Returns the hunks that turn one text into a different one, ascending. No hunk touches the next.
    static func hunks(from old: TextUnits, to new: TextUnits) -> [Hunk] {
        let shorter = min(old.count, new.count)
        let prefix = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
        let rest = shorter - prefix
        let suffix = (0..<rest).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? rest
        let oldMiddle = prefix..<(old.count - suffix)
        let newMiddle = prefix..<(new.count - suffix)
        guard !oldMiddle.isEmpty || !newMiddle.isEmpty else { return [] }
        let matches =
            oldMiddle.isEmpty || newMiddle.isEmpty
            ? [] : commonRuns(old, oldMiddle, new, newMiddle) ?? []
        var result: [Hunk] = []
        var (x, y) = (oldMiddle.lowerBound, newMiddle.lowerBound)
        for match in matches + [(oldMiddle.upperBound, newMiddle.upperBound, 0)] {
            if x < match.old || y < match.new {
                result.append(Hunk(range: x..<match.old, new: new.scalars(y..<match.new)))
            }
            (x, y) = (match.old + match.count, match.new + match.count)
        }
        return result
    }

    /// Returns the runs of characters that two ranges have in common by the shortest edit: E. Myers, "An O(ND)
    /// Difference Algorithm and Its Variations", Algorithmica 1 (1986). Returns `nil` if the edit is longer than the
    /// maximum.
    private static func commonRuns(
        _ old: TextUnits, _ oldRange: Range<Int>, _ new: TextUnits, _ newRange: Range<Int>
    ) -> [(old: Int, new: Int, count: Int)]? {
        let (oldCount, newCount) = (oldRange.count, newRange.count)
        let limit = min(maximumDistance, oldCount + newCount)
        // furthest[k + limit + 1]: the number of old characters consumed on the diagonal k, which is old minus new.
        var furthest = [Int](repeating: 0, count: 2 * limit + 3)
        var rounds: [[Int]] = []
        for distance in 0...limit {
            rounds.append(Array(furthest[(limit + 1 - distance)...(limit + 1 + distance)]))
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let (below, above) = (furthest[diagonal + limit], furthest[diagonal + limit + 2])
                let inserts = diagonal == -distance || (diagonal != distance && below < above)
                var x = inserts ? above : below + 1
                while x < oldCount, x - diagonal >= 0, x - diagonal < newCount,
                    old[oldRange.lowerBound + x] == new[newRange.lowerBound + x - diagonal]
                {
                    x += 1
                }
                furthest[diagonal + limit + 1] = x
                if x == oldCount, x - diagonal == newCount {
                    return backtrack(rounds, oldRange, newRange)
                }
            }
        }
        return nil
    }

    /// Returns the runs of the shortest edit, from the end of both ranges back to their start.
    private static func backtrack(
        _ rounds: [[Int]], _ oldRange: Range<Int>, _ newRange: Range<Int>
    ) -> [(old: Int, new: Int, count: Int)] {
        var runs: [(old: Int, new: Int, count: Int)] = []
        var (x, y) = (oldRange.count, newRange.count)
        for distance in rounds.indices.reversed() {
            // The furthest old character on each diagonal before this round.
            func reached(_ diagonal: Int) -> Int { rounds[distance][diagonal + distance] }
            let diagonal = x - y
            let inserts =
                diagonal == -distance || (diagonal != distance && reached(diagonal - 1) < reached(diagonal + 1))
            let before = distance == 0 ? 0 : inserts ? diagonal + 1 : diagonal - 1
            let from = distance == 0 ? 0 : reached(before)
            // The start of the run of equal characters, after the insertion or removal.
            let start = distance == 0 ? 0 : inserts ? from : from + 1
            if start < x {
                runs.append(
                    (oldRange.lowerBound + start, newRange.lowerBound + start - diagonal, x - start))
            }
            (x, y) = (from, from - before)
        }
        return runs.reversed()
    }
}

// MARK: - Characters

/// A text as characters: runs of scalars that belong together, by rules that never change.
private struct TextUnits {
    private let all: [Unicode.Scalar]
    /// The start of each character, and the end.
    private let starts: [Int]

    init(_ text: String) {
        all = Array(text.unicodeScalars)
        var starts: [Int] = []
        var flags = 0
        for (index, scalar) in all.enumerated() {
            let isFlag = (0x1F1E6...0x1F1FF).contains(scalar.value)
            flags = isFlag ? flags + 1 : 0
            // Two regional indicators are one flag.
            let isSecondOfFlag = isFlag && flags % 2 == 0
            if index == 0 || !(isSecondOfFlag || TextUnits.extends(scalar, after: all[index - 1])) {
                starts.append(index)
            }
        }
        starts.append(all.count)
        self.starts = starts
    }

    var count: Int { starts.count - 1 }

    subscript(index: Int) -> ArraySlice<Unicode.Scalar> { all[starts[index]..<starts[index + 1]] }

    func scalars(_ range: Range<Int>) -> ArraySlice<Unicode.Scalar> {
        all[starts[range.lowerBound]..<starts[range.upperBound]]
    }

    /// Returns whether a scalar belongs to the character of the previous scalar.
    private static func extends(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: previous.value == 0x0D
        case ..<0x0300: previous.value == 0x200D
        case 0x0300...0x036F, 0x0483...0x0489, 0x0591...0x05BD, 0x0610...0x061A, 0x064B...0x065F, 0x093A...0x093C,
            0x093E...0x094F, 0x0E31, 0x0E34...0x0E3A, 0x0E47...0x0E4E, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x200C,
            0x200D, 0x20D0...0x20FF, 0x302A...0x302F, 0x3099, 0x309A, 0xFE00...0xFE0F, 0xFE20...0xFE2F,
            0x1F3FB...0x1F3FF, 0xE0020...0xE007F, 0xE0100...0xE01EF:
            // Marks, joiners, variation selectors, skin tones, tags.
            true
        case 0x1160...0x11FF:
            // The vowels and finals of a Hangul syllable.
            (0x1100...0x11FF).contains(previous.value) || (0xAC00...0xD7A3).contains(previous.value)
        default: previous.value == 0x200D
        }
    }
}
