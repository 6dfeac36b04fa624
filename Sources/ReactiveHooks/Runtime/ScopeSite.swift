// What tells scopes apart that have no id: their kind, and where they are called.

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
