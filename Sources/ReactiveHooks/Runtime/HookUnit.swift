// What lets a scope with an id render by itself: a part of the tree's reaction that tracks it, and its body with what that returned last.

import Reactive

/// Tracks the body of one unit.
final class RenderPart: _ReactionPart {
    /// The unit; `nil` between the end of one root and the beginning of the next.
    var instance: HookInstance?
    /// The place in the list of all parts.
    fileprivate var index = 0

    override init(of reaction: Reaction) { super.init(of: reaction) }
}

/// All parts of a tree's reaction, and those of which something has changed. Guarded by the graph's lock.
final class RenderParts: PartedContent {
    private(set) var root: RenderPart?
    private var parts: [RenderPart] = []
    /// Something that the root's body has read has changed.
    var hasRootChanged = false
    /// The other parts of which something has changed.
    private(set) var changed: [RenderPart] = []

    func begin(in reaction: Reaction) { root = make(in: reaction) }
    func update(_ part: _ReactionPart) {
        if part === root {
            hasRootChanged = true
        } else {
            changed.append(unsafeDowncast(part, to: RenderPart.self))
        }
    }
    func finishUpdate() -> Bool { false }
    func discardUpdate() {}
    func deliver() {}
    func forEachPart(_ body: (_ReactionPart) -> Void) { parts.forEach(body) }

    func end() {
        for part in parts {
            part.end()
            part.instance = nil
        }
        parts = []
        root = nil
    }

    func make(in reaction: Reaction) -> RenderPart {
        let part = RenderPart(of: reaction)
        part.index = parts.count
        parts.append(part)
        return part
    }

    func end(_ part: RenderPart) {
        part.end()
        part.instance = nil
        guard part.index < parts.count, parts[part.index] === part else { return }
        let last = parts.removeLast()
        guard last !== part else { return }
        last.index = part.index
        parts[part.index] = last
    }

    /// Forgets what has changed.
    func forgetChanged() {
        hasRootChanged = false
        if !changed.isEmpty { changed.removeAll(keepingCapacity: true) }
    }
}

/// What a scope without an id is, so that scopes of different kinds do not take one another's state.
enum ScopeKind: Hashable {
    case root
    case scope
    case environment
    case provider(ObjectIdentifier)
    case consumer(ObjectIdentifier)
    case view(ObjectIdentifier)

    /// Stands for the kind in the ids of `useId`.
    var name: String {
        switch self {
        case .root, .scope: ""
        case .environment: "e"
        case .provider: "p"
        case .consumer: "c"
        case .view: "v"
        }
    }
}

/// Where a scope is called.
struct ScopeSite: Equatable {
    private let file: UnsafePointer<UInt8>
    private let line: UInt
    private let column: UInt

    init(_ file: StaticString, _ line: UInt, _ column: UInt) {
        self.file = file.utf8Start
        self.line = line
        self.column = column
    }
}

/// The body of a scope with an id, as the last render of the enclosing body called it.
class ScopeContent {
    /// Runs the body again; returns whether the output differs.
    func renderAgain(_ instance: HookInstance, in environment: EnvironmentValues) -> Bool { true }

    /// Releases the outputs that the pass has replaced. Outside the lock, since that may run code of the user's.
    func releaseOld() {}
}

final class ScopeContentOf<Output, E: Error>: ScopeContent {
    /// Set by each render of the enclosing body.
    var body: () throws(E) -> Output
    private var result: Result<Output, E>?
    private var oldResults: [Result<Output, E>] = []

    init(_ body: @escaping () throws(E) -> Output) { self.body = body }

    /// What the body returned or threw last. Precondition: it has run.
    var output: Result<Output, E> { result.unsafelyUnwrapped }

    func render(_ instance: HookInstance, in environment: EnvironmentValues) {
        if let result, !_isPOD(Output.self) {
            if oldResults.isEmpty { instance.tree.discarded.append(self) }
            oldResults.append(result)
        }
        do throws(E) {
            result = .success(try instance.render(in: environment, body))
        } catch {
            result = .failure(error)
        }
    }

    override func renderAgain(_ instance: HookInstance, in environment: EnvironmentValues) -> Bool {
        let old = output
        render(instance, in: environment)
        guard case .success(let before) = old, case .success(let after) = output else { return true }
        return !isSame(before, after)
    }

    override func releaseOld() {
        let old = oldResults
        oldResults = []
        withExtendedLifetime(old) {}
    }
}

/// Whether two outputs cannot be told apart: they are equal, or consist of the same bits, such as references to the same objects; tuples if
/// that holds for each element.
private func isSame<Output>(_ a: Output, _ b: Output) -> Bool {
    if Equality<Output>.automatic(a, b) { return true }
    if withUnsafeBytes(of: a, { a in withUnsafeBytes(of: b) { b in a.elementsEqual(b) } }) { return true }
    let (first, second) = (Mirror(reflecting: a), Mirror(reflecting: b))
    return first.displayStyle == .tuple
        && zip(first.children, second.children).allSatisfy { first, second in
            func compare<Element>(_ value: Element) -> Bool {
                (second.value as? Element).map { isSame(value, $0) } ?? false
            }
            return _openExistential(first.value, do: compare)
        }
}
