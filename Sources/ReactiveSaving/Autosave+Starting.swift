// How an autosave begins: a reaction that encodes, and one that reports failures.

package import Reactive

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
    ///   - writesUnchanged: Whether `flush` gives the file the contents even if nothing has changed.
    ///   - schedule: When what has changed is saved.
    ///   - name: What diagnostics call it.
    ///   - isolation: The actor that `encode` and `onError` belong to.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - onError: Gets what `flush` does not throw. Without one, errors go to `Diagnostics.onIssue`.
    ///   - judge: Whether what is at the path could be loaded, if nobody has tried. Called now, or not at all.
    ///   - loads: The same for files that somebody else puts there later.
    ///   - encode: Returns the contents; called with the graph locked. `NothingToSave` leaves the file as it is.
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
        if let judge { saver.judgePredecessor(judge) }
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

    /// Starts to report what a saver reports.
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
    /// Finds out whether what is at the path can be loaded, if nobody has tried.
    package func judgePredecessor(_ loads: (Data, Data?) -> Bool) {
        guard refusal == nil, let predecessor = try? Predecessor(of: contents.file) else { return }
        predecessor.judge(loads)
    }
}

/// Ends a saver when the reaction that it works for ends, however that comes about: captured by nothing else.
package final class SaverHold {
    package let saver: FileSaver

    package init(_ saver: FileSaver) { self.saver = saver }

    deinit { saver.end() }
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
