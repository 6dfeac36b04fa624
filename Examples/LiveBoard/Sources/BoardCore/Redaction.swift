// The values that the inspector must not show.

/// Returns the text of a value for the inspector.
///
/// Hides the identities of commands, which contain the identities of pages: whoever knows the identity of a page can
/// send commands in its name, and make the board ignore its own.
@Sendable package func describeWithoutSecrets(_ value: Any, named name: String) -> String {
    let isSecret = name.hasPrefix(Board.lastCommandsName) || value is CommandID || value is Board
    return isSecret ? "hidden" : String(describing: value)
}
