// Temporary files that a server leaves in its folder when it is killed during a save. The next save of the same board
// removes one of them, but a board may never be saved again. *Saving* in the documentation of ReactiveCodable describes
// their names and their lock.

import Foundation

/// Removes the temporary files of boards, except those that a save is writing. All other files stay.
func removeLeftovers(in folder: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where isTemporaryFileOfABoard(name) {
        let path = folder.appending(path: name).path
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { continue }
        // A running save holds the lock. A save that ended after `open` has given the file its final name.
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isRegularFile(descriptor, at: path) { unlink(path) }
        close(descriptor)
    }
}

/// Whether a file name is `.NAME.json.saving` or `.NAME.json.NUMBER.saving`.
private func isTemporaryFileOfABoard(_ name: String) -> Bool {
    name.wholeMatch(of: /\.[a-z0-9\-]{1,40}\.json(\.[0-9]+)?\.saving/) != nil
}

private func isRegularFile(_ descriptor: Int32, at path: String) -> Bool {
    var opened = stat()
    var named = stat()
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_mode & S_IFMT == S_IFREG
        && (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
}
