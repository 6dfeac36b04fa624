// How a cell looks.

/// How text looks: what every terminal can do.
public struct Style: Sendable, Hashable {
    /// One of the colours that every terminal has.
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
    /// Whether text and background change places.
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

    /// The terminal's own.
    public static let plain = Style()
    /// Bold.
    public static let bold = Style(isBold: true)
    /// Dim.
    public static let dim = Style(isDim: true)
    /// Text and background change places.
    public static let reversed = Style(isReversed: true)
    /// A colour.
    public static func color(_ color: Color) -> Style { Style(color: color) }

    /// The same in bold.
    public var bold: Style {
        var style = self
        style.isBold = true
        return style
    }

    /// The escape sequence that makes the text that follows look so, whatever it looked like before.
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
