// A minimal reaction that consists of parts, for the tests of those.

import Reactive

/// The delegate of a reaction with a part for each of some closures.
final class ToyParts: PartsDelegate {
    private let closures: [() -> Void]
    private var parts: [_ReactionPart] = []
    /// The number of closure runs after the first ones.
    private(set) var updates = 0

    init(_ closures: [() -> Void]) { self.closures = closures }

    func start(isolation: (any Actor)? = nil) -> Reaction {
        .started(of: self, named: nil, schedule: .immediate, isolation: isolation, fileID: #fileID, line: #line)
    }

    func begin(in reaction: Reaction) {
        parts = closures.map { closure in
            let part = _ReactionPart(of: reaction)
            part.evaluate(closure)
            return part
        }
    }

    func update(_ part: _ReactionPart) {
        updates += 1
        part.evaluate(closures[parts.firstIndex { $0 === part }!])
    }

    func finishUpdate() -> Bool { false }
    func discardUpdate() {}
    func deliver() {}
    func end() { parts.forEach { $0.end() } }
    func forEachPart(_ body: (_ReactionPart) -> Void) { parts.forEach(body) }
}
