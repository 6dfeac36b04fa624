// The identity of scopes without an id: their kind, and the site of their call.

/// The kind of a scope without an id. Scopes of different kinds do not share state.
@frozen @usableFromInline
struct ScopeKind: Equatable {
    /// The kind in the ids of `useId`; 0 for an ordinary scope.
    @usableFromInline let letter: UInt8
    /// The type of the view, or of the context.
    @usableFromInline let type: ObjectIdentifier?

    @inlinable
    init(letter: Unicode.Scalar?, type: Any.Type?) {
        self.letter = letter.map { UInt8(truncatingIfNeeded: $0.value) } ?? 0
        self.type = type.map { ObjectIdentifier($0) }
    }

    @inlinable static var scope: ScopeKind { ScopeKind(letter: nil, type: nil) }
    @inlinable static var environment: ScopeKind { ScopeKind(letter: "e", type: nil) }
    @inlinable
    static func provider(_ context: Any.Type) -> ScopeKind { ScopeKind(letter: "p", type: context) }
    @inlinable
    static func consumer(_ context: Any.Type) -> ScopeKind { ScopeKind(letter: "c", type: context) }
    @inlinable
    static func view(_ view: Any.Type) -> ScopeKind { ScopeKind(letter: "v", type: view) }

    var name: String { letter == 0 ? "" : String(UnicodeScalar(letter)) }
}

/// The source location of the call of a scope.
@frozen @usableFromInline
struct ScopeSite: Equatable {
    @usableFromInline let file: UnsafePointer<UInt8>
    @usableFromInline let line: UInt
    @usableFromInline let column: UInt

    @inlinable
    init(_ file: StaticString, _ line: UInt, _ column: UInt) {
        self.file = file.utf8Start
        self.line = line
        self.column = column
    }
}
