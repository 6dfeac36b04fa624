// Starts an autosave: a reaction that encodes, and one that reports failures.

package import Reactive

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension Autosave {
    /// Starts to save the result of `encode` to a file after each change of a value that `encode` reads.
    ///
    /// Its reactions belong to the current graph.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - writesUnchanged: Whether `flush` writes the contents to the file even if nothing has changed.
    ///   - schedule: The schedule of the saves.
    ///   - name: What diagnostics call it.
    ///   - isolation: The actor that runs `encode` and `onError`.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    ///   - onError: Receives errors, as in `autosave`. Without it, `Diagnostics.onIssue` receives them.
    ///   - judge: Returns whether the existing file can be loaded. Called immediately or not at all; called only if
    ///     `load` was not called for the file.
    ///   - loads: Returns the same for files that appear at the path later.
    ///   - encode: Returns the contents. Called with the graph locked. If it throws `NothingToSave`, the file stays
    ///     unchanged.
    /// - Returns: The autosave.
    package static func started(
        to file: AtomicFile, writesUnchanged: Bool = true, schedule: Schedule, named name: String?,
        isolation: isolated (any Actor)?, fileID: StaticString, line: UInt, onError: ((any Error) -> Void)?,
        judge: ((Data, Data?) -> Bool)?, loads: @escaping ContentsCheck, _ encode: @escaping () throws -> Data
    ) -> Autosave {
        let contents = DocumentContents(file, writesUnchanged: writesUnchanged, loads: loads)
        let saver = FileSaver(contents)
        let reporting = reporting(
            of: saver, named: name, isolation: isolation, fileID: fileID, line: line, onError: onError)
        saver.begin()
        if let judge { saver.checkPredecessor(judge) }
        let hold = SaverHold(saver)
        var isFirst = true
        let saving = reaction(
            named: name, equals: .never, schedule: schedule, isolation: isolation, fileID: fileID, line: line,
            {
                guard hold.saver.refusal == nil else { return }
                let result = Result { try encode() }
                if !isFirst, !result.hasNothing { contents.take(result) }
                isFirst = false
            },
            onChange: { saver.saveSoon() })
        let graph = GraphHandle(of: saving)
        return Autosave(URL(fileURLWithPath: file.path), saver: saver, saving: [saving], reporting: reporting) {
            graph.withUntrackedLock {
                let result = Result { try encode() }
                if !result.hasNothing { contents.take(result) }
            }
        }
    }

    /// Starts a reaction that reports the errors of a saver.
    package static func reporting(
        of saver: FileSaver, named name: String?, isolation: isolated (any Actor)?, fileID: StaticString, line: UInt,
        onError: ((any Error) -> Void)?
    ) -> Reaction {
        reaction(
            named: name.map { "\($0), errors" }, equals: .never, isolation: isolation, fileID: fileID, line: line,
            { saver.reportCount.value },
            onChange: { _ in
                for error in saver.takeReports() {
                    if let onError {
                        onError(error)
                    } else {
                        Diagnostics.reportFailedSaving("\(error)", site: "\(fileID):\(line)")
                    }
                }
            })
    }
}

extension FileSaver {
    /// Checks whether the existing file can be loaded, unless `load` was called for it.
    package func checkPredecessor(_ loads: (Data, Data?) -> Bool) {
        guard refusal == nil, let predecessor = try? Predecessor(of: contents.file) else { return }
        predecessor.judge(loads)
    }
}

/// Ends a saver when its reaction ends, in whichever way: only the reaction captures this object.
package final class SaverHold {
    package let saver: FileSaver

    package init(_ saver: FileSaver) { self.saver = saver }

    deinit { saver.end() }
}

/// The error of an object that has nothing to save now: the file stays unchanged, and nothing is reported.
package struct NothingToSave: Error {
    package init() {}
}

extension Result<Data, any Error> {
    fileprivate var hasNothing: Bool {
        if case .failure(let error) = self { error is NothingToSave } else { false }
    }
}
