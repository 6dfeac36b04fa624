// Who may read a file that saving creates.

/// The permissions that `autosave` gives to a file that it creates.
///
/// They do not matter once the file exists: a save that replaces a file keeps that file's permissions.
public enum NewFileAccess: Sendable {
    /// Read and write for everybody whom the umask of the process does not exclude: mode 0666 less the umask, usually
    /// 0644.
    case umask
    /// Read and write for the user of the process alone: mode 0600, from the moment that the file exists.
    case ownerOnly
}
