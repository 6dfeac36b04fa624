// The keys of a keyboard that a terminal can distinguish.

/// A key that a terminal can distinguish.
public enum Key: Sendable, Hashable {
    /// A key with a character.
    case character(Character)
    /// A letter with Ctrl, in lower case. Tab, enter and backspace have the codes of such letters, and are always
    /// reported as themselves.
    case control(Character)
    /// A key with a character, together with Alt.
    case alt(Character)
    case enter, tab, backTab, escape, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
}
