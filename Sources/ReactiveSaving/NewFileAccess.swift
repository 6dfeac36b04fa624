// The permissions of files that saving creates.

/// The permissions that `autosave` gives to a file that it creates.
///
/// They apply only to new files: a save that replaces a file keeps that file's permissions.
public enum NewFileAccess: Sendable {
    /// Read and write for everybody whom the umask of the process does not exclude: mode 0666 minus the umask, usually
    /// 0644.
    case umask
    /// Read and write for the user of the process alone: mode 0600, from the moment when the file is created.
    case ownerOnly
}
