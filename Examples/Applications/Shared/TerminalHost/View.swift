// The output of a component: a small tree of styled text with actions for keys.

/// The output of a component: text with a layout, and actions for keys.
public struct View {
    indirect enum Content {
        case text([(text: String, style: Style)], wraps: Bool)
        case stack(Axis, spacing: Int, [View])
        case scroll([View], visible: Int)
        case box(title: String, style: Style, isHeavy: Bool, View)
        case bar(fraction: Double, Style)
        case space(Style)
        case keys(View, (Key) -> Bool)
    }

    enum Axis {
        case horizontal, vertical
    }

    var content: Content
    var isFlexible = false
    var fixedWidth: Int?
    var fixedHeight: Int?

    init(_ content: Content) { self.content = content }

    // MARK: - Changing a view

    /// Returns the view in a form that takes the remaining space of a row or column. Several flexible views share it
    /// equally.
    public func flexible() -> View {
        var view = self
        view.isFlexible = true
        return view
    }

    /// Returns the view with a fixed size.
    public func frame(width: Int? = nil, height: Int? = nil) -> View {
        var view = self
        view.fixedWidth = width ?? fixedWidth
        view.fixedHeight = height ?? fixedHeight
        return view
    }

    /// Returns the view with an action for keys.
    ///
    /// A key goes to inner views before outer ones, and to later views before earlier ones, until one handles it.
    ///
    /// - Parameter action: Handles a key. Returns whether it did.
    public func onKey(_ action: @escaping (Key) -> Bool) -> View {
        var view = View(.keys(self, action))
        view.isFlexible = isFlexible
        return view
    }

    /// Passes a key to this view.
    ///
    /// - Returns: Whether the view has handled it.
    public func handle(_ key: Key) -> Bool {
        switch content {
        case .text, .bar, .space: false
        case .stack(_, _, let views), .scroll(let views, _): views.reversed().contains { $0.handle(key) }
        case .box(_, _, _, let view): view.handle(key)
        case .keys(let view, let action): view.handle(key) || action(key)
        }
    }
}

// MARK: - Making views

/// Shows text on one line. Text that does not fit is cut with "…".
public func text(_ text: String, _ style: Style = .plain) -> View {
    View(.text([(text, style)], wraps: false))
}

/// Shows text in several styles, one after the other.
public func text(_ spans: [(text: String, style: Style)]) -> View {
    View(.text(spans, wraps: false))
}

/// Shows text, broken into lines of the available width.
public func paragraph(_ text: String, _ style: Style = .plain) -> View {
    View(.text([(text, style)], wraps: true))
}

/// Shows views side by side.
public func row(spacing: Int = 0, @ViewBuilder _ content: () -> [View]) -> View {
    View(.stack(.horizontal, spacing: spacing, content()))
}

/// Shows views one below the other.
public func column(spacing: Int = 0, @ViewBuilder _ content: () -> [View]) -> View {
    View(.stack(.vertical, spacing: spacing, content()))
}

/// Shows as many views as fit, one below the other, including one that must be visible.
public func scroll(to visible: Int, @ViewBuilder _ content: () -> [View]) -> View {
    View(.scroll(content(), visible: visible))
}

/// Shows views one below the other in a frame with a title.
public func box(
    _ title: String, style: Style = .plain, isHeavy: Bool = false, @ViewBuilder _ content: () -> [View]
) -> View {
    View(.box(title: title, style: style, isHeavy: isHeavy, column(content)))
}

/// Shows a progress from 0 to 1 over the whole width.
public func progressBar(_ fraction: Double, _ style: Style = .plain) -> View {
    View(.bar(fraction: fraction, style))
}

/// Shows blank space that takes the rest of a row or column.
public func spacer(_ style: Style = .plain) -> View { View(.space(style)).flexible() }

/// A result builder for lists of views.
@resultBuilder
public enum ViewBuilder {
    /// A statement.
    public static func buildExpression(_ view: View) -> [View] { [view] }
    /// A statement that is a list.
    public static func buildExpression(_ views: [View]) -> [View] { views }
    /// Statements one after the other.
    public static func buildBlock(_ views: [View]...) -> [View] { views.flatMap { $0 } }
    /// `if` without `else`.
    public static func buildOptional(_ views: [View]?) -> [View] { views ?? [] }
    /// `if`.
    public static func buildEither(first views: [View]) -> [View] { views }
    /// `else`.
    public static func buildEither(second views: [View]) -> [View] { views }
    /// `for`.
    public static func buildArray(_ views: [[View]]) -> [View] { views.flatMap { $0 } }
}
