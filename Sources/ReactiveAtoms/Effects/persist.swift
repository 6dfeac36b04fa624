// An effect that saves an atom in a file, through autosave.

public import Reactive
public import ReactiveSaving

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension AtomEffect where T: Codable {
    /// Loads the atom from a file on first use, and saves it after each change.
    ///
    /// ```swift
    /// let theme = atom("light", effects: [.persist(to: url)])
    /// ```
    ///
    /// - The file is read on first use, with the graph locked. Its value wins over the store's `initializeState`.
    /// - If the file does not exist, the atom has its default.
    /// - If the file cannot be read, the atom has its default too. The error is reported, and the file is not written:
    ///   nothing is lost. The report has the line and column of an error in JSON if the program links ReactiveCodable.
    /// - While the atom has failed or is loading, the file is not changed; the last value is saved.
    /// - Pending changes are saved when the store releases the node, and by ``RecoilStore/flush()``: call that before
    ///   the program ends.
    ///
    /// - Parameters:
    ///   - url: The file. The folder must exist.
    ///   - encoder: Any encoder that returns data.
    ///   - decoder: The matching decoder.
    ///   - schedule: When changes are saved; by default immediately.
    ///   - isolation: The actor that `onError` belongs to; by default the caller's. Errors elsewhere reach it by a hop.
    ///   - onError: Receives errors of loading and saving, outside the lock. Without it, errors are reported to
    ///     `Diagnostics.onIssue`.
    public static func persist<Encoder: DataEncoder & Sendable, Decoder: DataDecoder & Sendable>(
        to url: URL, encoder: Encoder = JSONEncoder(), decoder: Decoder = JSONDecoder(),
        schedule: Schedule = .immediate, isolation: isolated (any Actor)? = #isolation,
        onError: ((any Error) -> Void)? = nil
    ) -> AtomEffect {
        guard let onError, let home = ClosureIsolation.of(isolation) else {
            return persisting(to: url, encoder, decoder, schedule, onError)
        }
        let calls = IsolatedCalls(on: home)
        return persisting(to: url, encoder, decoder, schedule) { error in calls.call { onError(error) } }
    }

    /// - Parameter onError: May be called anywhere.
    private static func persisting<Encoder: DataEncoder & Sendable, Decoder: DataDecoder & Sendable>(
        to url: URL, _ encoder: Encoder, _ decoder: Decoder, _ schedule: Schedule, _ onError: ((any Error) -> Void)?
    ) -> AtomEffect {
        AtomEffect(isolation: nil) { (context: AtomEffectContext<T>) in
            do throws(LoadingError) {
                // An array, because some coders do not accept a single value.
                if let saved = try load([T].self, from: url, decoder: decoder).first { context.setSelf(saved) }
            } catch {
                guard error.kind == .noFile else {
                    report(error, in: context, to: onError)
                    return
                }
            }
            context.whenReady {
                let saving = context.graph.run {
                    Autosave.started(
                        to: AtomicFile(path: url.path), writesUnchanged: false, schedule: schedule,
                        named: "\(context.key.name), saving", isolation: nil, fileID: #fileID, line: #line,
                        onError: onError, judge: nil,
                        loads: { document, journal in
                            journal == nil && (try? decoder.decode([T].self, from: document)) != nil
                        }
                    ) { try encoder.encode(PersistedValue(context: context)) }
                }
                context.onFlush(isolation: nil) { try saving.flush() }
                context.onCleanup(isolation: nil) {
                    do { try saving.flush() } catch { report(error, in: context, to: onError) }
                    saving.cancel()
                }
            }
        }
    }

    private static func report(
        _ error: any Error, in context: AtomEffectContext<T>, to onError: ((any Error) -> Void)?
    ) {
        let key = context.key
        context.graph.whenFree {
            if let onError {
                onError(error)
            } else {
                Diagnostics.reportFailedSaving("\(key.name) is not saved: \(error)", site: key.name)
            }
        }
    }
}

/// The value that an autosave encodes: the last value of an atom, as the only element of an array.
private struct PersistedValue<T: Codable & Sendable>: Encodable {
    let context: AtomEffectContext<T>

    func encode(to encoder: any Encoder) throws {
        guard let value = context.latestValue else { throw NothingToSave() }
        var container = encoder.unkeyedContainer()
        try container.encode(value)
    }
}
