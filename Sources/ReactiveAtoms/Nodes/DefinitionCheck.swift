// Detects that one source location, which stands for one node, is used for different nodes.
//
// `func doubled(_ n: Int) -> Selector<Int> { selector { _ in n * 2 } }` creates the node of its location, whatever `n`
// is. The first use in a store decides what the node computes; `doubled(5)` after `doubled(1)` would be 2. The closure
// shows the difference. A closure is two words: its code, and its context, which contains the captures. A closure
// without captures has no context, so a store recognises a node by comparing two words on each use. Only if the words
// differ, it compares more:
//
// - The contexts of one closure have the same layout. The compiler describes it for debugging tools ("capture
//   descriptors", part of the reflection metadata): the generic arguments, then the captured values and their types.
//   Different generic arguments are different nodes. Captured values are compared if they are `Equatable`, or consist
//   of such values.
// - Different captured objects prove little in a property: it may create a formatter for each closure. In a function
//   with parameters, the object is assumed to be one of them. Elsewhere an object counts as a different node's only if
//   it is captured twice while the original is still in use.
// - Optimisation turns different constants (`doubled(1)`, `doubled(5)`) into different code at one location. It also
//   does so for generic code that it specialises in some places only. So different code counts only in functions with
//   parameters.
// - Defaults, `atom(n)`, are compared if a function creates the atom: there they are closures that return the default.
//   A property may use `atom(UUID())`: the first default counts, and there is nothing to compare.
//
// Optimisation splits captured values and gives one closure several bodies. In optimised builds (`capturesAreAsWritten`
// is false) an object may be a part of a text. Different code then counts only without captures: the constants are in
// the code.
//
// Uncertain cases count as equal: weak and unowned captures, functions, layouts without a description. A location is
// reported once in each store.

import Reactive

/// The definition of a node, as two words. For the compiler only; do not use it.
@frozen
public struct _NodeDefinition: Sendable {
    /// The code of the closure.
    @usableFromInline let code: UInt
    /// The context of the closure, which the node keeps; 0 for none.
    @usableFromInline let context: UInt
    /// Whether the closure returns a default that was passed as a value.
    @usableFromInline let isDefaultValue: Bool

    /// The definition of a node that its value alone identifies, or of an atom whose first default counts.
    @inlinable
    static var none: _NodeDefinition { _NodeDefinition(code: 0, context: 0, isDefaultValue: false) }

    @inlinable @inline(__always)
    init(code: UInt, context: UInt, isDefaultValue: Bool) {
        self.code = code
        self.context = context
        self.isDefaultValue = isDefaultValue
    }

    /// Creates the definition of a closure.
    ///
    /// - Parameters:
    ///   - closure: A structure that contains only the closure: a closure itself would be wrapped to be passed.
    ///   - isDefaultValue: Whether it returns a default that was passed as a value.
    @inlinable @inline(__always)
    init<Closure>(closure: Closure, isDefaultValue: Bool) {
        self = withUnsafeBytes(of: closure) { words in
            _NodeDefinition(
                code: words.load(as: UInt.self),
                context: words.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self),
                isDefaultValue: isDefaultValue)
        }
    }

    /// Returns the closure.
    func closure<Closure>(as type: Closure.Type) -> Closure {
        withUnsafeBytes(of: (code, context)) { $0.load(as: type) }
    }

    /// The captures of the closure.
    fileprivate var captures: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: context) }
}

extension _AnyNodeInstance {
    /// Compares the definition of a use with that in the store, and reports a difference. Under the lock.
    @inlinable @inline(__always)
    final func check(_ use: _NodeDefinition) {
        if use.context != definition.context || use.code != definition.code { examine(use) }
    }

    @usableFromInline @inline(never)
    final func examine(_ use: _NodeDefinition) {
        guard !isDefinitionAccepted, let location = key.location else { return }
        guard let comparison = details.comparison ?? DefinitionComparison(of: definition, at: location) else {
            isDefinitionAccepted = true
            return
        }
        details.comparison = comparison
        guard untracked({ comparison.provesDifferent(use, defaultValue(of:)) }) else { return }
        isDefinitionAccepted = true
        details.comparison = nil
        let family = isAtom ? "`atomFamily { parameter in … }`" : "`selectorFamily { parameter, accessor in … }`"
        let message = """
            \(key.name) at \(location.fileAndLine) is one node, but was created for different parameters, objects \
            or types. \
            All of them use the first definition. Use \(family) for one node per parameter, or `selector(of: owner)` \
            for one selector per object.
            """
        Hosting.report(.misuse, message, site: "\(location.fileID):\(location.line)")
    }
}

/// Whether closures capture what the source shows. This is so in debug builds; the library and its users are assumed to
/// be built in the same way.
#if DEBUG
private let capturesAreAsWritten = true
#else
private let capturesAreAsWritten = false
#endif

/// Compares uses of a node with the definition that a store has of it.
final class DefinitionComparison {
    private let definition: _NodeDefinition
    private let hasParameters: Bool
    private let layout: CaptureLayout?
    /// The object that the last use captured instead of the original one.
    private weak var suspect: AnyObject?

    /// Returns `nil` if there is nothing to compare.
    init?(of definition: _NodeDefinition, at location: NodeKey.SourceLocation) {
        guard definition.code != 0 else { return nil }
        self.definition = definition
        hasParameters = location.hasParameters
        layout = definition.isDefaultValue ? nil : definition.captures.flatMap { CaptureLayout(ofContext: $0) }
    }

    /// Returns whether a use certainly has a different definition: a different closure, or a different default.
    ///
    /// - Parameter defaultValue: Returns the value that a closure was created from.
    func provesDifferent(_ use: _NodeDefinition, _ defaultValue: (_NodeDefinition) -> Any?) -> Bool {
        if definition.isDefaultValue, use.isDefaultValue {
            guard let old = defaultValue(definition), let new = defaultValue(use) else { return false }
            return CapturedDifference(old, new) == .values
        }
        guard definition.code == use.code else {
            return hasParameters && (capturesAreAsWritten || definition.context | use.context == 0)
        }
        guard let layout, let old = definition.captures, let new = use.captures else { return false }
        switch layout.difference(between: old, and: new) {
        case .none: return false
        case .values: return true
        case .objects(let object):
            guard capturesAreAsWritten else { return false }
            if hasParameters || suspect === object { return true }
            suspect = object
            return false
        }
    }
}

// MARK: - What closures capture

/// The difference between captured values.
private enum CapturedDifference: Equatable {
    /// No certain difference.
    case none
    /// A different object.
    case objects(AnyObject)
    case values

    static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.none, .none), (.values, .values): true
        case (.objects(let a), .objects(let b)): a === b
        default: false
        }
    }

    /// Compares two values of one type: by their `==`, or part by part.
    init(_ old: Any, _ new: Any) {
        self = .none
        let type = type(of: old)
        guard type == Swift.type(of: new) else {
            self = .values
            return
        }
        if let old = old as? any Equatable {
            if !Self.isEqual(old, new) { self = type is AnyObject.Type ? .objects(new as AnyObject) : .values }
            return
        }
        if let old = old as? Any.Type, let new = new as? Any.Type {
            if old != new { self = .values }
            return
        }
        if type is AnyObject.Type {
            if (old as AnyObject) !== (new as AnyObject) { self = .objects(new as AnyObject) }
            return
        }
        let (oldParts, newParts) = (Mirror(reflecting: old).children, Mirror(reflecting: new).children)
        if oldParts.count != newParts.count {
            self = .values
            return
        }
        // Of many parts, the first hundred are enough.
        for (old, new) in zip(oldParts, newParts).prefix(100) {
            let part = CapturedDifference(old.value, new.value)
            if self == .none || part == .values { self = part }
        }
    }

    private static func isEqual<A: Equatable>(_ a: A, _ b: Any) -> Bool { (b as? A) == a }
}

/// The layout of a closure's context, as far as it is known.
///
/// Reads the data that the compiler writes for the reflection library (`Closure context` in the Swift project's
/// RemoteInspection). The metadata of a context contains the kind 1024, the offset of the first capture, and a
/// descriptor. The descriptor contains three counts (captures, sources of generic arguments, stored generic arguments),
/// and then the mangled type of each capture. If a closure captures only one object, that object is its context.
private struct CaptureLayout {
    private struct Capture {
        let offset: Int
        let size: Int
        /// Copies the value; `nil` if it must not be copied: a weak or unowned reference, a noncopyable value.
        let load: ((UnsafeRawPointer) -> Any)?
    }

    private let metadata: UnsafeRawPointer
    private let isObject: Bool
    /// The bounds of the generic arguments and of the captures whose types are known.
    private var start = 0
    private var argumentsEnd = 0
    private var end = 0
    private var captures: [Capture] = []

    init?(ofContext context: UnsafeRawPointer) {
        metadata = context.load(as: UnsafeRawPointer.self)
        let kind = metadata.load(as: UInt.self)
        isObject = kind == 0 || kind > 2047
        if isObject { return }
        let word = MemoryLayout<UInt>.size
        guard kind == 1024,
            let descriptor = metadata.load(fromByteOffset: word + max(4, word), as: UnsafeRawPointer?.self)
        else { return nil }
        func count(_ index: Int) -> Int { Int(descriptor.load(fromByteOffset: 4 * index, as: UInt32.self)) }
        start = Int(metadata.load(fromByteOffset: word, as: UInt32.self))
        argumentsEnd = start + count(2) * word
        end = argumentsEnd
        for index in 0..<count(0) {
            let record = descriptor + 4 * (3 + index)
            let name = MangledName(at: record + Int(record.load(as: Int32.self)))
            // After an unknown type, the offsets are unknown, too.
            guard let type = name.type else { break }
            append(type, isStrong: name.isStrong)
        }
    }

    private mutating func append<T>(_ type: T.Type, isStrong: Bool) {
        let alignment = MemoryLayout<T>.alignment
        let offset = (end + alignment - 1) / alignment * alignment
        let load: (UnsafeRawPointer) -> Any = { $0.load(as: T.self) }
        let mayLoad = isStrong && Self.isCopyable(type)
        captures.append(Capture(offset: offset, size: MemoryLayout<T>.size, load: mayLoad ? load : nil))
        end = offset + MemoryLayout<T>.size
    }

    /// Returns whether values of a type can be copied: a flag in its value witness table, after the eight functions,
    /// the size and the stride.
    private static func isCopyable(_ type: Any.Type) -> Bool {
        let word = MemoryLayout<UInt>.size
        let witnesses = unsafeBitCast(type, to: UnsafeRawPointer.self).load(
            fromByteOffset: -word, as: UnsafeRawPointer.self)
        return witnesses.load(fromByteOffset: 10 * word, as: UInt32.self) & 0x0080_0000 == 0
    }

    func difference(between old: UnsafeRawPointer, and new: UnsafeRawPointer) -> CapturedDifference {
        let isSameLayout = new.load(as: UnsafeRawPointer.self) == metadata
        if isObject {
            let kind = new.load(as: UnsafeRawPointer.self).load(as: UInt.self)
            guard kind == 0 || kind > 2047 else { return .none }
            return .objects(Unmanaged<AnyObject>.fromOpaque(new).takeUnretainedValue())
        }
        guard isSameLayout, differ(old, new, start, end) else { return .none }
        if differ(old, new, start, argumentsEnd) { return .values }
        var result = CapturedDifference.none
        for capture in captures where differ(old, new, capture.offset, capture.offset + capture.size) {
            guard let load = capture.load else { continue }
            let difference = CapturedDifference(load(old + capture.offset), load(new + capture.offset))
            if difference == .values { return .values }
            if result == .none { result = difference }
        }
        return result
    }

    private func differ(_ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ start: Int, _ end: Int) -> Bool {
        !UnsafeRawBufferPointer(start: old + start, count: end - start)
            .elementsEqual(UnsafeRawBufferPointer(start: new + start, count: end - start))
    }
}

/// The name of a type as the compiler writes it: text that contains references.
private struct MangledName {
    private let start: UnsafePointer<UInt8>
    private let count: Int

    init(at address: UnsafeRawPointer) {
        start = address.assumingMemoryBound(to: UInt8.self)
        var count = 0
        while start[count] != 0 {
            switch start[count] {
            // A reference of four bytes, or a pointer.
            case 0x01...0x17: count += 5
            case 0x18...0x1F: count += 1 + MemoryLayout<UInt>.size
            default: count += 1
            }
        }
        self.count = count
    }

    /// The type, if it does not depend on generic arguments.
    var type: Any.Type? {
        _getTypeByMangledNameInContext(start, UInt(count), genericContext: nil, genericArguments: nil)
    }

    /// Whether it is not a weak, unowned or unmanaged reference: `Xw`, `Xo`, `Xu` at the end.
    var isStrong: Bool {
        guard count > 2, start[count - 2] == UInt8(ascii: "X") else { return true }
        return !"wou".utf8.contains(start[count - 1])
    }
}
