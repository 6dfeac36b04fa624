// The style of a cell.

/// The style of text, limited to features of all terminals.
public struct Style: Sendable, Hashable {
    /// A colour that all terminals have.
    public enum Color: Int, Sendable {
        case red = 1
        case green, yellow, blue, magenta, cyan, white
    }

    /// The colour of the text; `nil` for the terminal's own.
    public var color: Color?
    /// Whether it is bold.
    public var isBold: Bool
    /// Whether it is dim.
    public var isDim: Bool
    /// Whether it is underlined.
    public var isUnderlined: Bool
    /// Whether the colours of text and background are swapped.
    public var isReversed: Bool

    /// Creates a style.
    public init(
        color: Color? = nil, isBold: Bool = false, isDim: Bool = false, isUnderlined: Bool = false,
        isReversed: Bool = false
    ) {
        self.color = color
        self.isBold = isBold
        self.isDim = isDim
        self.isUnderlined = isUnderlined
        self.isReversed = isReversed
    }

    /// The terminal's default style.
    public static let plain = Style()
    /// Bold text.
    public static let bold = Style(isBold: true)
    /// Dim text.
    public static let dim = Style(isDim: true)
    /// The colours of text and background swapped.
    public static let reversed = Style(isReversed: true)
    /// Returns a style with a colour.
    public static func color(_ color: Color) -> Style { Style(color: color) }

    /// This style in bold.
    public var bold: Style {
        var style = self
        style.isBold = true
        return style
    }

    /// Returns the escape sequence that sets this style for the text that follows, independent of the previous style.
    func escapeSequence(isColored: Bool) -> String {
        var parameters = ["0"]
        if isBold { parameters.append("1") }
        if isDim { parameters.append("2") }
        if isUnderlined { parameters.append("4") }
        if isReversed { parameters.append("7") }
        if let color, isColored { parameters.append("\(30 + color.rawValue)") }
        return "\u{1B}[\(parameters.joined(separator: ";"))m"
    }
}
