// How an autosave begins: a reaction that encodes, and one that reports failures.

import Reactive

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension Autosave {
    /// Starts to save what `encode` returns to a file, after changes of anything that `encode` reads.
    ///
    /// Its reactions belong to the current graph.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - schedule: When what has changed is saved.
    ///   - name: What diagnostics call it.
    ///   - isolation: The actor that `encode` and `onError` belong to.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - onError: Gets what `flush` does not throw. Without one, errors go to `Diagnostics.onIssue`.
    ///   - encode: Returns the contents; called with the graph locked. `NothingToSave` leaves the file as it is.
    /// - Returns: The autosave.
    package static func started(
        to file: AtomicFile, schedule: Schedule, named name: String?, isolation: isolated (any Actor)?,
        fileID: StaticString, line: UInt, onError: ((any Error) -> Void)?, _ encode: @escaping () throws -> Data
    ) -> Autosave {
        let saver = FileSaver(file)
        let reporting = reaction(
            named: name.map { "\($0), errors" }, equals: .never, isolation: isolation, fileID: fileID, line: line,
            { saver.failure.value },
            onChange: { failure in
                guard let failure, !failure.wasThrown else { return }
                if let onError {
                    onError(failure.error)
                } else {
                    Diagnostics.reportFailedSaving("\(failure.error)", site: "\(fileID):\(line)")
                }
            })
        var isFirst = true
        let saving = reaction(
            named: name, equals: .never, schedule: schedule, isolation: isolation, fileID: fileID, line: line,
            {
                let result = Result { try encode() }
                if !isFirst, !result.hasNothing { saver.take(result) }
                isFirst = false
            },
            onChange: { saver.saveSoon() })
        return Autosave(URL(fileURLWithPath: file.path), saver: saver, saving: saving, reporting: reporting)
    }
}

/// Thrown by an object that has nothing to save now: the file is left as it is, and nothing is reported.
package struct NothingToSave: Error {
    package init() {}
}

extension Result<Data, any Error> {
    fileprivate var hasNothing: Bool {
        if case .failure(let error) = self { error is NothingToSave } else { false }
    }
}
