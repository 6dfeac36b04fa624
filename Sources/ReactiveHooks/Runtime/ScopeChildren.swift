// The scopes inside a scope, and how a render finds each of them again.
//
// A scope without an id is found by its kind, and the number of scopes of that kind before it. A scope with an id is
// found by its id, among those with ids of one type. The render first looks at the scope that followed the latest one
// in the previous render: a list without moves needs no look-up.

import Reactive

/// The scopes inside a scope.
@usableFromInline
struct ScopeChildren {
    /// The scopes of one kind without an id.
    private struct Row {
        let kind: ScopeKind
        var scopes: ContiguousArray<HookInstance> = []
        /// The number of these scopes that the current render has called.
        var visits = 0
    }

    private var rows: ContiguousArray<Row> = []
    /// The row that was used last.
    private var latestRow = 0
    private var groups: ContiguousArray<KeyedGroup> = []
    /// The group that was used last: scopes with ids of one type.
    @usableFromInline unowned(unsafe) var latestGroup: KeyedGroup?
    /// The number of scopes that the current render has called, and the number of all scopes.
    @usableFromInline var visits = 0
    @usableFromInline var count = 0
    /// The only instance, in a tree that is rendered once.
    private var only: HookInstance?
    /// The same, for uses that need no reference of their own.
    private(set) var unretainedOnly: Unmanaged<HookInstance>?

    /// Begins a render.
    mutating func begin() {
        visits = 0
        // No test sees this never hold: it only saves a loop.
        if rows.isEmpty { return }
        for index in rows.indices { rows[index].visits = 0 }
    }

    /// Records that the render has called a scope.
    @inlinable @inline(__always)
    mutating func visit(_ child: HookInstance, in renderNumber: Int) {
        child.visitedIn = renderNumber
        child.order = visits
        visits &+= 1
    }

    // MARK: - Scopes without an id

    private mutating func findRow(of kind: ScopeKind) {
        // No test sees this always hold: it only saves a search.
        guard latestRow >= rows.count || rows[latestRow].kind != kind else { return }
        if let index = rows.firstIndex(where: { $0.kind == kind }) {
            latestRow = index
        } else {
            latestRow = rows.count
            rows.append(Row(kind: kind))
        }
    }

    /// Sets the number of scopes that the render has called, of the kind that `next` was last called with.
    mutating func setVisitsOfLatestKind(_ visits: Int) { rows[latestRow].visits = visits }

    /// Counts one more scope of a kind. Returns the number of those before it in this render, and the scope, if it
    /// exists.
    mutating func next(of kind: ScopeKind) -> (position: Int, HookInstance?) {
        findRow(of: kind)
        let position = rows[latestRow].visits
        rows[latestRow].visits = position + 1
        let scopes = rows[latestRow].scopes
        return (position, position < scopes.count ? scopes[position] : nil)
    }

    /// Adds the scope that `next` did not find.
    mutating func append(_ child: HookInstance, of kind: ScopeKind) {
        rows[latestRow].scopes.append(child)
        count += 1
    }

    /// Sets the only instance.
    mutating func setOnly(_ child: HookInstance) -> Unmanaged<HookInstance> {
        let unretained = Unmanaged.passUnretained(child)
        only = child
        // No test sees this left out: it only saves instances.
        unretainedOnly = unretained
        return unretained
    }

    // MARK: - Scopes with an id

    /// Returns the scopes with ids of one type.
    @usableFromInline
    mutating func group<ID: Hashable>(of _: ID.Type) -> KeyedChildren<ID> {
        if let known = groups.first(where: { Swift.type(of: $0) == KeyedChildren<ID>.self }) {
            // No test sees this left out: it only saves a look-up.
            latestGroup = known
            return unsafeDowncast(known, to: KeyedChildren<ID>.self)
        }
        let group = KeyedChildren<ID>()
        groups.append(group)
        // No test sees this left out: it only saves a look-up.
        latestGroup = group
        return group
    }

    // MARK: - All

    /// Whether there are scopes that the current render has not called.
    // No test sees this boundary: it only saves a look at all scopes.
    var areIncomplete: Bool { visits < count }

    /// Removes the scopes that the render of that number has not called, and returns them.
    mutating func removeUnvisited(in renderNumber: Int) -> [HookInstance] {
        var gone: [HookInstance] = []
        // No test sees this always hold: it only saves the removal of nothing.
        // No test sees this boundary: it only saves the removal of nothing.
        for index in rows.indices where rows[index].visits < rows[index].scopes.count {
            gone += rows[index].scopes[rows[index].visits...]
            rows[index].scopes.removeSubrange(rows[index].visits...)
        }
        for group in groups { group.removeUnvisited(in: renderNumber, into: &gone) }
        // No test sees this left out: a number that is too high only costs a look at all scopes.
        count -= gone.count
        return gone
    }

    /// Removes all scopes, and returns them.
    mutating func removeAll() -> [HookInstance] {
        // No test sees this never hold: it only saves an empty list.
        if count == 0 { return [] }
        var all: [HookInstance] = []
        forEach { all.append($0) }
        // No test sees this left out: the scope around them is released, too.
        self = ScopeChildren()
        return all
    }

    func forEach(_ body: (HookInstance) -> Void) {
        for row in rows { row.scopes.forEach(body) }
        for group in groups { group.forEach(body) }
    }
}

/// A scope with an id.
@usableFromInline
final class KeyedInstance<ID: Hashable>: HookInstance {
    @usableFromInline let id: ID
    /// The number of scopes with an equal id before it.
    fileprivate let repetition: Int
    /// The next scope with an equal id.
    @exclusivity(unchecked) fileprivate var twin: HookInstance?

    @usableFromInline
    init(_ id: ID, repetition: Int, in parent: HookInstance) {
        self.id = id
        self.repetition = repetition
        super.init(in: parent, kind: .scope, position: 0, unit: nil)
    }

    override var ownName: String {
        let text =
            switch id {
            case let text as String: "s" + Self.encoded(text)
            case let number as any BinaryInteger: "k" + Self.encoded("\(number)")
            default: "k" + Self.encoded("\(type(of: AnyHashable(id).base)):\(id)")
            }
        return text + (repetition == 0 ? "" : "__\(repetition)")
    }

    /// Encodes a text with the characters that an id of HTML and a selector of CSS may have. Different texts stay
    /// different.
    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "_" + String(byte, radix: 16) + "_"
            }
        }
        return encoded
    }
}

/// The scopes with ids of one type, in a list in the order of the last render.
@usableFromInline
class KeyedGroup {
    @exclusivity(unchecked) @usableFromInline final var renderNumber = 0
    /// The last scope that the current render has called; `nil` if there is none yet.
    @exclusivity(unchecked) @usableFromInline unowned(unsafe) final var latest: HookInstance?
    /// The scope that is next unless the list has changed.
    @exclusivity(unchecked) @usableFromInline unowned(unsafe) final var expected: HookInstance?
    @exclusivity(unchecked) private unowned(unsafe) final var first: HookInstance?

    /// Begins a render.
    @usableFromInline
    final func begin(_ renderNumber: Int) {
        // No test sees this left out: the list would only be in a different order.
        self.renderNumber = renderNumber
        latest = nil
        expected = first
    }

    /// Inserts a scope after the latest one, and makes it the latest.
    @usableFromInline
    final func insert(_ child: HookInstance) {
        let next = latest.map(\.next) ?? first
        child.previous = latest
        child.next = next
        if let latest { latest.next = child } else { first = child }
        next?.previous = child
        // No test sees this left out: the list would only be in a different order.
        latest = child
    }

    @usableFromInline
    final func unlink(_ child: HookInstance) {
        if let previous = child.previous { previous.next = child.next } else { first = child.next }
        child.next?.previous = child.previous
    }

    func removeUnvisited(in renderNumber: Int, into gone: inout [HookInstance]) {}

    func forEach(_ body: (HookInstance) -> Void) {}
}

@usableFromInline
final class KeyedChildren<ID: Hashable>: KeyedGroup {
    /// The first scope with each id, which refers to its twins.
    @exclusivity(unchecked) @usableFromInline var scopes: [ID: KeyedInstance<ID>] = [:]

    /// Returns the scope with an id that is not the expected one. Creates it if necessary.
    @inlinable
    func find(_ id: ID, in parent: HookInstance) -> KeyedInstance<ID> {
        guard let known = scopes[id] else {
            let child = KeyedInstance(id, repetition: 0, in: parent)
            scopes[id] = child
            parent.children.count += 1
            // No test sees this left out: the next render would insert it.
            insert(child)
            parent.children.visit(child, in: parent.renderNumber)
            return child
        }
        if known.visitedIn == parent.renderNumber { return twin(of: known, in: parent) }
        // The scope that followed it is likely to follow again.
        // No test sees this left out: it only saves look-ups.
        expected = known.next
        // No test sees this block: the list would only be in a different order.
        if known.previous !== latest || latest == nil {
            unlink(known)
            insert(known)
        } else {
            // No test sees this left out: the list would only be in a different order.
            latest = known
        }
        parent.children.visit(known, in: parent.renderNumber)
        return known
    }

    /// Returns the next scope with the same id as one that this render has already called.
    @usableFromInline
    func twin(of known: KeyedInstance<ID>, in parent: HookInstance) -> KeyedInstance<ID> {
        var last = known
        while let twin = last.twin {
            last = unsafeDowncast(twin, to: KeyedInstance<ID>.self)
            if last.visitedIn != parent.renderNumber { break }
        }
        if last.visitedIn == parent.renderNumber {
            let twin = KeyedInstance(known.id, repetition: last.repetition + 1, in: parent)
            last.twin = twin
            parent.children.count += 1
            last = twin
        }
        if last.repetition == 1 { reportTwin(known.id) }
        parent.children.visit(last, in: parent.renderNumber)
        return last
    }

    private func reportTwin(_ id: ID) {
        Hosting.report(
            .misuse,
            """
            Two scopes in the same scope have the id \(id). The second one is identified by its position, so it does \
            not keep its state when the two change places. Give each HookScope(id:) a unique id.
            """, site: "HookScope(id: \(id))")
    }

    override func removeUnvisited(in renderNumber: Int, into gone: inout [HookInstance]) {
        let before = gone.count
        for scope in scopes.values {
            if scope.visitedIn != renderNumber { gone.append(scope) }
            var last = scope
            while let twin = last.twin.map({ unsafeDowncast($0, to: KeyedInstance<ID>.self) }) {
                if twin.visitedIn != renderNumber {
                    gone.append(twin)
                    last.twin = twin.twin
                } else {
                    last = twin
                }
            }
        }
        for scope in gone[before...] {
            let scope = unsafeDowncast(scope, to: KeyedInstance<ID>.self)
            guard scope.repetition == 0 else { continue }
            unlink(scope)
            scopes[scope.id] = nil
        }
    }

    override func forEach(_ body: (HookInstance) -> Void) {
        for scope in scopes.values {
            var next: HookInstance? = scope
            while let scope = next {
                next = unsafeDowncast(scope, to: KeyedInstance<ID>.self).twin
                body(scope)
            }
        }
    }
}
