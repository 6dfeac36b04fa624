// The keys of a keyboard, as far as a terminal tells them apart.

/// A key, as far as a terminal tells it from others.
public enum Key: Sendable, Hashable {
    /// A key that makes a character.
    case character(Character)
    /// A letter with Ctrl, in lower case. Tab, enter and backspace are letters with Ctrl too, and never told as such.
    case control(Character)
    /// A key that makes a character, with Alt.
    case alt(Character)
    case enter, tab, backTab, escape, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
}
