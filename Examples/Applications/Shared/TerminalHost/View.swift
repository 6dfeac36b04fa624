// What a component renders: a small tree of styled text, and what its keys do.

/// What a component renders: text, laid out, and what keys do.
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

    /// Takes what its neighbours in a row or column leave; several share it equally.
    public func flexible() -> View {
        var view = self
        view.isFlexible = true
        return view
    }

    /// Is of this size, whatever it holds.
    public func frame(width: Int? = nil, height: Int? = nil) -> View {
        var view = self
        view.fixedWidth = width ?? fixedWidth
        view.fixedHeight = height ?? fixedHeight
        return view
    }

    /// Says what keys do while this view is shown.
    ///
    /// A key goes to inner views before outer ones, and to later ones before earlier ones, until one takes it.
    ///
    /// - Parameter action: Returns whether it takes the key.
    public func onKey(_ action: @escaping (Key) -> Bool) -> View {
        var view = View(.keys(self, action))
        view.isFlexible = isFlexible
        return view
    }

    /// Gives a key to this view.
    ///
    /// - Returns: Whether something has taken it.
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

/// Shows text. What does not fit into the width ends in "…".
public func text(_ text: String, _ style: Style = .plain) -> View {
    View(.text([(text, style)], wraps: false))
}

/// Shows text in several styles, one after the other.
public func text(_ spans: [(text: String, style: Style)]) -> View {
    View(.text(spans, wraps: false))
}

/// Shows text, broken into lines where it is too long.
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

/// Shows as many views as fit, one below the other, so that one of them is visible.
public func scroll(to visible: Int, @ViewBuilder _ content: () -> [View]) -> View {
    View(.scroll(content(), visible: visible))
}

/// Shows views one below the other in a frame with a title.
public func box(
    _ title: String, style: Style = .plain, isHeavy: Bool = false, @ViewBuilder _ content: () -> [View]
) -> View {
    View(.box(title: title, style: style, isHeavy: isHeavy, column(content)))
}

/// Shows how much of something is done, from 0 to 1, over the whole width.
public func progressBar(_ fraction: Double, _ style: Style = .plain) -> View {
    View(.bar(fraction: fraction, style))
}

/// Takes what is left of a row or column, and is blank.
public func spacer(_ style: Style = .plain) -> View { View(.space(style)).flexible() }

/// Makes lists of views out of statements.
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
