// The walk through a region: an encoder that encodes nothing and finds what to observe.
//
// It hands itself to `encode(to:)` of the values that it comes by. Of what these put into its containers,
//
//     plain values       are passed over: a type that can contain no observable is known by its type
//     observables        become children, and are not entered: each is walked by itself, later
//     all else           is entered, by its `encode(to:)`
//
// so that the stack is as deep as one region. Where that is too deep as well, and where a value's `encode(to:)` reads
// observables itself (as in `try container.encode(title, forKey: .title)`), the value becomes a cell of its own. The
// latter is found out when it happens first, by looking whether anything was tracked; from then on it is known of the
// type, and the walk begins anew.
//
// An object that contains itself other than through an observable is entered once.
//
// An error ends the `encode(to:)` that threw it. It goes no further, so that the neighbours are observed.

import Reactive

/// A walk over the region of one cell. Lives for the length of a call, on one thread.
///
/// Exclusivity is unchecked: an `encode(to:)` that a walk calls comes back through its encoder, and no access to a
/// property lasts while one runs.
final class Walk {
    let observer: DeepObserver
    /// The cell whose region is being walked.
    @exclusivity(unchecked) private(set) var cell: Cell
    /// The walk found out something that makes it worth beginning anew.
    @exclusivity(unchecked) private(set) var mustRepeat = false
    /// The objects that are being encoded.
    @exclusivity(unchecked) private var entered: Set<ObjectIdentifier> = []
    /// Where the tracking of reads stood when it was last attributed.
    @exclusivity(unchecked) private var readMark: UnsafeRawPointer?
    /// The type whose `encode(to:)` is running, if it may get cells of its own.
    @exclusivity(unchecked) private var running: WalkedType?
    /// Keys in boxes, by their type.
    @exclusivity(unchecked) private var boxes: [ObjectIdentifier: KeyBoxes] = [:]

    init(of cell: Cell) {
        self.cell = cell
        observer = cell.owner
    }

    /// Walks the region of `cell` anew. Its last children are left to the caller.
    func run(_ cell: Cell) {
        self.cell = cell
        repeat {
            mustRepeat = false
            running = nil
            observer.orphans += cell.children
            cell.children = []
            cell.walk &+= 1
            cell.transcript = nil
            cell.evaluate { cell.encode(into: self) }
        } while mustRepeat
    }

    /// Encodes the value that a cell stands for.
    func encodeTop<Value: Encodable>(_ value: Value) {
        readMark = _ReactionPart.readMark
        let info = observer.types.info(of: Value.self)
        let recording = cell.needsTranscript ? Transcript() : nil
        cell.transcript = recording
        switch info.kind {
        case _ where info.isPlain: recording?.content = .leaf(value)
        case .observable: found(value, info, at: Position(outer: nil, step: .here), recording)
        default: enter(value, info, at: nil, recording)
        }
    }

    /// Looks at a value that is being put into a container.
    func visit<Value: Encodable>(_ value: Value, at position: Position, _ recording: Transcript?) {
        let info = observer.types.info(of: Value.self)
        switch info.kind {
        case _ where info.isPlain:
            recording?.content = .leaf(value)
        case .observable:
            found(value, info, at: position, recording)
        default:
            if info.readsObservables || _ReactionPart.stackIsLow {
                foundSeparate(value, info, at: position, recording)
            } else {
                enter(value, info, at: position.place, recording)
            }
        }
    }

    private func found<Value>(_ value: Value, _ info: WalkedType, at position: Position, _ recording: Transcript?) {
        let object = unsafeBitCast(value, to: AnyObject.self)
        if let obstacle = unsafeDowncast(object, to: _Node.self).obstacle {
            recording?.content = .observable(object as! any EncodableObservable)
            return observer.report(obstacle: obstacle, in: cell, at: position.place)
        }
        found(object, at: position) {
            info.cellType.unsafelyUnwrapped.init(object, isPlain: info.hasPlainValues, in: observer)
        }
        recording?.content = .observable(object as! any EncodableObservable)
    }

    /// Links the cell of an object to the cell that is being walked.
    @discardableResult
    private func found(_ object: AnyObject, at position: Position, make: () -> Cell) -> Cell {
        let child = observer.cells[Identity(object)] ?? observer.add(make())
        child.link(to: cell, at: position)
        return child
    }

    /// Gives a value a cell of its own.
    private func foundSeparate<Value: Encodable>(
        _ value: Value, _ info: WalkedType, at position: Position, _ recording: Transcript?
    ) {
        needTranscript()
        let child: Cell
        if info.isObject {
            let object = unsafeBitCast(value, to: AnyObject.self)
            child = found(object, at: position) { ValueCell(value, object: Identity(object), in: observer) }
        } else {
            child = observer.add(ValueCell(value, object: nil, in: observer))
            child.link(to: cell, at: position)
        }
        recording?.content = .cell(child)
    }

    /// Encodes a value into this walk.
    private func enter<Value: Encodable>(
        _ value: Value, _ info: WalkedType, at place: Place?, _ recording: Transcript?
    ) {
        let object = info.isObject ? ObjectIdentifier(unsafeBitCast(value, to: AnyObject.self)) : nil
        if let object, !entered.insert(object).inserted { return }
        attributeReads()
        let outer = running
        running = info
        recording?.isStringKeyed = info.kind == .stringDictionary
        do {
            try value.encode(to: WalkEncoder(walk: self, place: place, recording: recording))
        } catch {
            recording?.content = .failure(error)
            observer.report(error, in: cell, at: place)
        }
        attributeReads()
        running = outer
        if let object { entered.remove(object) }
    }

    /// Blames what has been read since the last time on the type whose `encode(to:)` is running.
    private func attributeReads() {
        let mark = _ReactionPart.readMark
        guard mark != readMark else { return }
        readMark = mark
        guard let running else { return }
        needTranscript()
        if !running.readsObservables {
            running.readsObservables = true
            mustRepeat = true
        }
    }

    /// Makes sure that what the cell encodes is recorded.
    private func needTranscript() {
        guard observer.keepsValues, !cell.needsTranscript else { return }
        cell.needsTranscript = true
        mustRepeat = true
    }

    /// Where to find boxes for the keys of a type.
    func boxes<Key: CodingKey>(of type: Key.Type) -> KeyBoxes {
        if let known = boxes[ObjectIdentifier(type)] { return known }
        let made = KeyBoxes(areShared: MemoryLayout<Key>.size <= 1 && _isPOD(type))
        boxes[ObjectIdentifier(type)] = made
        return made
    }
}

/// Keys of one type in boxes: one box for each, if there are few. Exclusivity is unchecked for the reason of `Walk`.
final class KeyBoxes {
    private let areShared: Bool
    @exclusivity(unchecked) private var boxes: [BoxedKey?] = []

    init(areShared: Bool) { self.areShared = areShared }

    /// A key in a box. Precondition: it is of the type that this is for.
    func box<Key: CodingKey>(_ key: Key) -> BoxedKey {
        guard areShared else { return BoxedKey(key) }
        let index = MemoryLayout<Key>.size == 0 ? 0 : Int(unsafeBitCast(key, to: UInt8.self))
        while boxes.count <= index { boxes.append(nil) }
        if let known = boxes[index] { return known }
        let box = BoxedKey(key)
        boxes[index] = box
        return box
    }
}
