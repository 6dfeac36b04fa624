// A past value that any encoder can encode.

import Reactive

/// A value at one moment, which any encoder can encode.
///
/// ```swift
/// let json = try JSONEncoder().encode(change.oldValue)
/// ```
///
/// All observables in it are encoded as they were at that moment. Only state that is not observable, such as a plain
/// `var` of a class, is encoded with its present value. That state must be readable on the thread that encodes the
/// snapshot.
public struct Snapshot: Encodable, @unchecked Sendable {
    // Sendable because everything that it refers to is read with the graph of the root locked.
    enum Content {
        /// The value of a cell at the moment.
        case region(Cell?)
        case saved(SavedValue?)
    }

    private let graph: GraphHandle
    private let view: RecordedPast
    private let content: Content

    init(_ record: ChangeRecord, isBefore: Bool, _ content: Content) {
        graph = record.observer.graph
        view = RecordedPast(record, isBefore: isBefore)
        self.content = content
    }

    /// Encodes the value as it was. Locks the graph meanwhile; does not subscribe.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: Any error that encoding the value throws; `EncodingError` in a transaction of a different graph.
    public func encode(to encoder: any Encoder) throws {
        if let search = encoder as? ObservableSearchEncoder { try search.end(with: graph) }
        if let obstacle = graph.obstacle(to: "a recorded change") {
            throw EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: obstacle))
        }
        try graph.withUntrackedLock {
            try PastView.with(view) {
                switch content {
                case .region(let cell):
                    try cell.flatMap { view.saved(ofCell: $0) }?.encode(to: encoder)
                case .saved(let value): try value?.encode(to: encoder)
                }
            }
        }
    }
}
