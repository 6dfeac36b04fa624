// The reactions of an autosave with a journal.
//
//     finding   a deep observation that turns each transaction into a patch, under the lock, so that none is missed
//     saving    a reaction with the user's schedule, which writes the waiting contents, and encodes a document if
//               one is needed
//
// `changes` triggers `saving`: `finding` increments it for each change of the object.

import Reactive
import ReactiveSaving

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// An autosave with a journal, before it starts.
struct JournalSaving<Object: Encodable> {
    private let object: Object
    private let version: Int?
    private let encoder: JSONEncoder
    private let contents: JournalContents
    private let saver: FileSaver

    init(_ object: Object, version: Int?, _ encoder: JSONEncoder, _ file: AtomicFile, minimumJournalSize: Int) {
        self.object = object
        self.version = version
        self.encoder = encoder
        contents = JournalContents(
            file, JournalCompactor(formatting: encoder.outputFormatting), minimumSize: minimumJournalSize,
            loads: DocumentFormat.json.check(upTo: version))
        saver = FileSaver(contents)
        contents.belong(to: saver)
    }

    /// Starts the autosave, in the current graph.
    func start(
        _ schedule: Schedule, named name: String?, isolation: isolated (any Actor)?, fileID: StaticString, line: UInt,
        onError: ((any Error) -> Void)?
    ) -> Autosave {
        let (saver, contents) = (saver, contents)
        let url = URL(fileURLWithPath: contents.file.path)
        let reporting = Autosave.reporting(
            of: saver, named: name, isolation: isolation, fileID: fileID, line: line, onError: onError)
        saver.begin(on: isolation)
        // No test sees this always hold: a refused saver writes nothing.
        guard saver.refusal == nil else {
            // No test sees this: a refused autosave encodes nothing.
            return Autosave(url, saver: saver, saving: [], reporting: reporting) { false }
        }
        saver.checkPredecessor(PredecessorChecks<Object, JSONEncoder>(encoder: encoder, version: version).decodes)

        let changes = Observable(0, named: "changes to be saved")
        let graph = GraphHandle(of: changes)
        let hold = SaverHold(saver)
        let finding = finding(changes, hold, named: name, isolation: isolation, fileID: fileID, line: line)
        let encodeDocument = { [object, encoder, version] in
            graph.withUntrackedLock {
                finding.catchUp()
                contents.take(
                    Result { VersionedDocument.text(of: try encoder.encode(object), version: version) })
                return true
            }
        }
        let saving = reaction(
            named: name.map { "\($0), saving" }, equals: .never, schedule: schedule.keepingActor { saver.loseChange() },
            isolation: isolation, fileID: fileID, line: line, { changes.value },
            onChange: { [weak hold] _ in
                // No test sees this always hold: both reactions are cancelled together.
                guard let hold, !finding.isCancelled else { return }
                if contents.needsDocument { _ = encodeDocument() }
                hold.saver.saveSoon()
            })
        saver.afterWriting {
            // The files are missing or belong to something else: the state is encoded in the isolation of `saving`.
            if contents.needsDocument { graph.withUntrackedLock { changes.value += 1 } }
        }
        return Autosave(
            url, saver: saver, saving: [finding, saving], reporting: reporting, encodeAnew: encodeDocument)
    }

    /// Starts the observation that passes on patches.
    private func finding(
        _ changes: Observable<Int>, _ hold: SaverHold, named name: String?, isolation: (any Actor)?,
        fileID: StaticString, line: UInt
    ) -> Reaction {
        let strategies = CodingStrategies(encoder: encoder, decoder: JSONDecoder())
        let isVersioned = version != nil
        let observer = DeepObserver(
            in: GraphHandle(of: changes), ValueCell.maker(for: object),
            .underLock { [contents] record in
                withExtendedLifetime(hold) {
                    // No test sees this always hold: it only saves the patch, which is dropped.
                    if !contents.needsDocument {
                        do {
                            let patch = try DeepChanges(record).jsonPatch(strategies)
                            if patch.isEmpty { return }
                            contents.take(isVersioned ? patch.inVersionedDocument : patch)
                        } catch {
                            // Encoding the whole document will throw the error again and report it.
                            contents.requireDocument()
                        }
                    }
                    changes.value += 1
                }
            })
        return Reaction.started(
            of: observer, named: name, schedule: .immediate.keepingActor { [saver] in saver.loseChange() },
            isolation: isolation, fileID: fileID, line: line)
    }
}

extension JSONPatch {
    /// The patch of a document with its version.
    fileprivate var inVersionedDocument: JSONPatch {
        JSONPatch(operations.map { $0.prefixed(by: VersionedDocument.pointer) })
    }
}
