// The rule for two people in one text field.
//
//     base      "Buy milk"              what both began with
//     current   "Buy oat milk"          what the first one made of it
//     edited    "Buy milk today"        what the second one sends
//     merged    "Buy oat milk today"
//
// Each of them has replaced one range of the base. If the ranges do not touch, both replacements are made; if they do, nobody can say what
// is meant, and the second one is asked.

extension Edit {
    /// The text with this edit, where it has become `current` meanwhile.
    ///
    /// - Returns: `nil` if both have changed the same place.
    /// - Complexity: O(length of the texts).
    func merged(into current: String) -> String? {
        if text == base || text == current { return current }
        if current == base { return text }
        let base = Array(base)
        let theirs = Replacement(from: base, to: Array(current))
        let ours = Replacement(from: base, to: Array(text))
        if theirs.range.upperBound < ours.range.lowerBound {
            return String(ours.applied(to: theirs.applied(to: base), shift: theirs.growth))
        }
        if ours.range.upperBound < theirs.range.lowerBound {
            return String(ours.applied(to: theirs.applied(to: base), shift: 0))
        }
        return nil
    }
}

/// One range of a text, and what took its place.
private struct Replacement {
    let range: Range<Int>
    let new: ArraySlice<Character>

    /// The smallest replacement that makes one text into the other.
    init(from base: [Character], to text: [Character]) {
        let shorter = min(base.count, text.count)
        let prefix = (0..<shorter).first { base[$0] != text[$0] } ?? shorter
        let rest = shorter - prefix
        let suffix = (0..<rest).first { base[base.count - 1 - $0] != text[text.count - 1 - $0] } ?? rest
        range = prefix..<(base.count - suffix)
        new = text[prefix..<(text.count - suffix)]
    }

    var growth: Int { new.count - range.count }

    func applied(to text: [Character], shift: Int = 0) -> [Character] {
        var text = text
        text.replaceSubrange((range.lowerBound + shift)..<(range.upperBound + shift), with: new)
        return text
    }
}
