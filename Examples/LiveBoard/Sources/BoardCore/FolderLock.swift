// Ensures that one server uses a folder. Two servers would overwrite each other's files and lose acknowledged changes.
//
// The lock (`flock`) is on the folder itself, not on a file in it. So a crash leaves no lock file, no user can remove
// the lock by mistake, and a symbolic link to the folder has the same lock. The system releases it when the process
// ends, also after `kill -9`.

import Foundation

/// The exclusive right to use a folder. Holds it until it is released.
final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Locks a folder.
    ///
    /// - Throws: ``FolderIsTaken``, or ``FolderCannotBeLocked``.
    init(_ folder: URL) throws {
        descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FolderCannotBeLocked(path: folder.path, errorNumber: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(descriptor)
            if number == EWOULDBLOCK { throw FolderIsTaken(path: folder.path) }
            throw FolderCannotBeLocked(path: folder.path, errorNumber: number)
        }
    }

    deinit { close(descriptor) }
}

/// Another server uses the folder.
package struct FolderIsTaken: Error, CustomStringConvertible {
    let path: String

    /// The message for the user.
    package var description: String {
        "another LiveBoard serves the boards in \(path); stop it, or choose a different folder with --folder"
    }
}

/// The system cannot lock the folder.
package struct FolderCannotBeLocked: Error, CustomStringConvertible {
    let path: String
    let errorNumber: Int32

    /// The message for the user.
    package var description: String {
        """
        the folder \(path) cannot be locked (\(String(cString: strerror(errorNumber)))), so another LiveBoard could \
        overwrite its boards; choose a different folder with --folder
        """
    }
}
