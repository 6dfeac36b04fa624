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
    ///   - judge: Returns whether the existing file can be loaded, or `nil` if its format is unknown. Called
    ///     immediately or not at all; called only if `load` was not called for the file.
    ///   - loads: Returns whether files can be loaded that appear at the path later.
    ///   - encode: Returns the contents. Called with the graph locked. If it throws `NothingToSave`, the file stays
    ///     unchanged.
    /// - Returns: The autosave.
    package static func started(
        to file: AtomicFile, writesUnchanged: Bool = true, schedule: Schedule, named name: String?,
        isolation: isolated (any Actor)?, fileID: StaticString, line: UInt, onError: ((any Error) -> Void)?,
        judge: ((Data, Data?) -> Bool?)?, loads: @escaping ContentsCheck, _ encode: @escaping () throws -> Data
    ) -> Autosave {
        let contents = DocumentContents(file, writesUnchanged: writesUnchanged, loads: loads)
        let saver = FileSaver(contents)
        let reporting = reporting(
            of: saver, named: name, isolation: isolation, fileID: fileID, line: line, onError: onError)
        saver.begin(on: isolation)
        if let judge { saver.checkPredecessor(judge) }
        let hold = SaverHold(saver)
        var isFirst = true
        let saving = reaction(
            named: name, equals: .never, schedule: schedule.keepingActor { saver.loseChange() }, isolation: isolation,
            fileID: fileID, line: line,
            {
                guard hold.saver.refusal == nil else { return }
                let result = Result { try encode() }
                if !isFirst, !result.hasNothing { contents.take(result) }
                isFirst = false
            },
            onChange: { hold.saver.saveSoon() })
        let graph = GraphHandle(of: saving)
        return Autosave(URL(fileURLWithPath: file.path), saver: saver, saving: [saving], reporting: reporting) {
            graph.withUntrackedLock {
                let result = Result { try encode() }
                if result.hasNothing { return false }
                contents.take(result)
                return true
            }
        }
    }

    /// Starts a reaction that reports the errors of a saver.
    package static func reporting(
        of saver: FileSaver, named name: String?, isolation: isolated (any Actor)?, fileID: StaticString, line: UInt,
        onError: ((any Error) -> Void)?
    ) -> Reaction {
        let hold = ReportsHold(saver, isolation, onError, site: "\(fileID):\(line)")
        return reaction(
            // It also reports a loss after the end of the actor.
            named: name.map { "\($0), errors" }, equals: .never, schedule: .immediate.keepingActor {},
            isolation: isolation, fileID: fileID, line: line,
            { saver.reportCount.value },
            onChange: { _ in hold.handler.handleReports() })
    }
}

extension FileSaver {
    /// Checks whether the existing file can be loaded, unless `load` was called for it.
    package func checkPredecessor(_ loads: (Data, Data?) -> Bool?) {
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

/// The handler of a saver's reports: the user's closure, or the library's issues without one.
package final class ReportHandler: @unchecked Sendable {
    // Sendable because the closure runs in its isolation; without one, it runs on any thread.
    private let saver: FileSaver
    private let isolation: ClosureIsolation?
    private let onError: ((any Error) -> Void)?
    private let site: String

    fileprivate init(
        _ saver: FileSaver, _ isolation: (any Actor)?, _ onError: ((any Error) -> Void)?, site: String
    ) {
        self.saver = saver
        self.isolation = isolation.map { ClosureIsolation($0) }
        self.onError = onError
        self.site = site
    }

    /// Passes on the reports that nothing has taken yet. In the isolation, outside the lock.
    fileprivate func handleReports() {
        for error in saver.takeReports() { handle(error) }
    }

    private func handle(_ error: any Error) {
        if let onError {
            onError(error)
        } else {
            Diagnostics.reportFailedSaving("\(error)", site: site)
        }
    }

    /// Passes on the last reports, after the reaction has ended: now, if the calling code runs in the isolation, else
    /// after a hop. If the actor is gone, the reports become issues, because the closure must not run elsewhere.
    func handleLastReports() {
        // No test sees this always hold: the handler would find no reports.
        guard saver.hasReports else { return }
        let graph = GraphHandle(of: saver.reportCount)
        let isOnGoneActor = isolation.map { $0.actor == nil } ?? false
        let reports = isOnGoneActor ? ReportHandler(saver, nil, nil, site: site) : self
        let handling: () -> Void = { graph.whenFree { detached { reports.handleReports() } } }
        if let isolation { isolation.run(handling) } else { handling() }
    }
}

/// Passes on the last reports of a saver when the reaction that reports them ends, in whichever way: only the reaction
/// captures this object.
private final class ReportsHold {
    private let saver: FileSaver
    let handler: ReportHandler

    init(_ saver: FileSaver, _ isolation: (any Actor)?, _ onError: ((any Error) -> Void)?, site: String) {
        self.saver = saver
        handler = ReportHandler(saver, isolation, onError, site: site)
    }

    deinit { saver.endReports(to: handler) }
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
