// The walk through a region: an encoder that produces no output and finds the cells of the region.
//
// A walk passes itself to the `encode(to:)` of values. It treats the values that these encode into its containers as
// follows:
//
//     plain values       are ignored: their type shows that they contain no observables
//     observables        become children, and are not entered: each is walked separately, later
//     all other values   are entered, through their `encode(to:)`
//
// So the depth of the stack is that of one region. A value becomes a cell of its own if that would still be too deep,
// or if its `encode(to:)` reads observables itself, as in `try container.encode(title, forKey: .title)`. The walk
// detects such a read when it first happens, by checking whether anything was tracked. It then marks the type, and
// begins again.
//
// An object that contains itself, other than through an observable, is entered once.
//
// If a cell's value is an array, a dictionary or a collection, each element is encoded into a region of its own; see
// Walk+Elements.swift, Walk+Members.swift and Walk+Rows.swift.
//
// An error ends the `encode(to:)` that threw it. It is not rethrown, so that the neighbours are still observed.

import Reactive

/// A walk over the region of one cell. Lives for the length of a call, on one thread.
///
/// Exclusivity is unchecked: an `encode(to:)` that a walk calls uses the walk again through its encoder. No access to a
/// property lasts while one runs.
final class Walk {
    let observer: DeepObserver
    /// The cell whose region is walked.
    @exclusivity(unchecked) private(set) var cell: Cell
    /// The part of the cell's value whose region is walked, if it is the region of a part.
    @exclusivity(unchecked) private var part: RegionPart?
    /// The region that is walked. `nil` until a cell is found.
    @exclusivity(unchecked) private var region: Region?
    /// The cells found so far.
    @exclusivity(unchecked) private var children: ContiguousArray<Cell> = []
    /// Whether the walk found a reason to begin again.
    @exclusivity(unchecked) private(set) var mustRepeat = false
    /// The objects being encoded.
    @exclusivity(unchecked) private var entered: Set<ObjectIdentifier> = []
    /// The position in the tracked reads up to which reads were attributed to types.
    @exclusivity(unchecked) private var readMark: UnsafeRawPointer?
    /// The type whose `encode(to:)` is running, if it may get cells of its own.
    @exclusivity(unchecked) private var running: WalkedType?
    /// The boxed keys, by their type.
    @exclusivity(unchecked) private var boxes: [ObjectIdentifier: KeyBoxes] = [:]

    init(of cell: Cell) {
        self.cell = cell
        observer = cell.owner
    }

    /// Walks the region of `cell` again. The caller handles its earlier children.
    func run(_ cell: Cell) {
        self.cell = cell
        while true {
            mustRepeat = false
            cell.evaluate { cell.encode(into: self) }
            guard mustRepeat else { break }
            dropRegion()
        }
        if cell.needsTranscript { observer.noteDirectReads(of: cell) }
    }

    /// Makes the cell's region and everything below it invalid.
    func dropRegion() {
        cell.region?.invalidate(&observer.orphans)
        cell.region = nil
    }

    /// Encodes the value of a cell.
    ///
    /// - Parameter last: The value at the last walk, if it is known.
    /// - Returns: Whether it was encoded by its parts. If so, the next walk should pass it as the last value.
    @discardableResult
    func encodeTop<Value: Encodable>(_ value: Value, last: Value? = nil) -> Bool {
        let info = observer.types.info(of: Value.self)
        // No test sees this always hold: optional arrays are then walked by elements, too.
        if info.hasElements, !cell.needsTranscript, let array = elementArray(value),
            // No test sees this always hold: no test has so many elements.
            // No test sees this boundary: as above.
            array.count <= Region.maximumCount
        {
            encodeElements(array, last: last)
            return true
        }
        // No test sees this always hold: optional collections are then walked by rows, too.
        if info.hasRows, !cell.needsTranscript, let elements = encodableElements(value) {
            encodeRows(elements, last: last)
            return true
        }
        // No test sees this always hold: optional dictionaries are then walked by members, too.
        if info.hasMembers, !cell.needsTranscript, let dictionary = memberDictionary(value) {
            encodeMembers(dictionary, last: last)
            return true
        }
        dropRegion()
        // No test sees this always hold: it only saves the transcript.
        let recording = cell.needsTranscript ? Transcript() : nil
        cell.transcript = recording
        switch info.kind {
        case _ where info.isPlain: break
        case .observable: found(value, info, at: Position(outer: nil, component: .itself), recording)
        default: enter(value, info, at: nil, recording)
        }
        cell.region = finishRegion()
        // No test sees this: it only saves keeping the value.
        return false
    }

    /// Encodes a part of the cell's value into a region of its own.
    ///
    /// - Returns: The region, if it contains cells.
    func encodePart<Value: Encodable>(_ value: Value, _ info: WalkedType, _ part: RegionPart) -> Region? {
        self.part = part
        visit(value, info, at: Position(outer: nil, component: .itself), nil)
        self.part = nil
        return finishRegion()
    }

    private func finishRegion() -> Region? {
        guard let region else { return nil }
        region.children = ContiguousArray(children)
        // No test sees this: the links of a region's children decide. More children cost only time and memory.
        children.removeAll(keepingCapacity: true)
        self.region = nil
        return region
    }

    /// Returns the keys from the root to a path in the walked region.
    func codingPath(_ regionPath: RegionPath?) -> [any CodingKey] {
        observer.codingPath(of: cell, part: part, regionPath)
    }

    /// Examines a value that is encoded into a container.
    func visit<Value: Encodable>(_ value: Value, at position: Position, _ recording: Transcript?) {
        visit(value, observer.types.info(of: Value.self), at: position, recording)
    }

    private func visit<Value: Encodable>(
        _ value: Value, _ info: WalkedType, at position: Position, _ recording: Transcript?
    ) {
        switch info.kind {
        case _ where info.isPlain:
            recording?.content = .leaf(value)
        case .observable:
            found(value, info, at: position, recording)
        case .optionalProperty:
            recording?.leavesOutNil = true
            found(value, info, at: position.ofProperty, recording)
        default:
            if info.readsObservables || _ReactionPart.stackIsLow {
                foundSeparate(value, info, at: position, recording)
            } else {
                enter(value, info, at: position.regionPath, recording)
            }
        }
    }

    private func found<Value>(_ value: Value, _ info: WalkedType, at position: Position, _ recording: Transcript?) {
        let object = unsafeBitCast(value, to: AnyObject.self)
        if let obstacle = unsafeDowncast(object, to: _Node.self).obstacle {
            recording?.content = Transcript.Content(observable: object)
            return observer.report(obstacle: obstacle, at: codingPath(position.regionPath))
        }
        found(object, at: position) {
            info.cellType.unsafelyUnwrapped.init(object, isPlain: info.hasPlainValues, in: observer)
        }
        recording?.content = Transcript.Content(observable: object)
    }

    /// Links the cell of an object to the walked cell.
    @discardableResult
    private func found(_ object: AnyObject, at position: Position, make: () -> Cell) -> Cell {
        let child = observer.cells[Identity(object)] ?? observer.add(make())
        link(child, at: position)
        return child
    }

    private func link(_ child: Cell, at position: Position) {
        let region = self.region ?? makeRegion()
        self.region = region
        children.append(child)
        child.link(to: region, at: position)
    }

    private func makeRegion() -> Region {
        switch part {
        case .element(let index): Region(of: cell, index: index)
        case .member(let name): MemberRegion(of: cell, name: name)
        case .row(let row, _): RowRegion(of: cell, row: row)
        case nil: Region(of: cell)
        }
    }

    /// Creates a cell for a value.
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
            link(child, at: position)
        }
        recording?.content = .cell(child.identity)
    }

    /// Encodes a value into this walk.
    private func enter<Value: Encodable>(
        _ value: Value, _ info: WalkedType, at regionPath: RegionPath?, _ recording: Transcript?
    ) {
        let object = info.isObject ? ObjectIdentifier(unsafeBitCast(value, to: AnyObject.self)) : nil
        if let object, !entered.insert(object).inserted { return }
        attributeReads()
        let outer = running
        running = info
        recording?.isStringKeyed = info.kind == .stringDictionary
        recording?.isUnordered = info.kind == .unordered
        do {
            try value.encode(
                to: WalkEncoder(
                    walk: self, regionPath: regionPath, isUnordered: info.kind == .unordered, recording: recording))
        } catch {
            recording?.content = .failure(error)
            observer.report(error, at: codingPath(regionPath))
        }
        attributeReads()
        running = outer
        if let object { entered.remove(object) }
    }

    /// Attributes the reads since the last call to the type whose `encode(to:)` is running.
    private func attributeReads() {
        let mark = _ReactionPart.readMark
        guard mark != readMark else { return }
        // No test sees this left out: types that read nothing would get cells of their own, too.
        readMark = mark
        guard let running else { return }
        needTranscript()
        if !running.readsObservables {
            running.readsObservables = true
            mustRepeat = true
        }
    }

    /// Ensures that the cell's encoding is recorded.
    private func needTranscript() {
        // No test sees this always hold: it only saves the transcript.
        guard observer.keepsValues, !cell.needsTranscript else { return }
        cell.needsTranscript = true
        mustRepeat = true
    }

    /// Returns the boxes for the keys of a type.
    func boxes<Key: CodingKey>(of type: Key.Type) -> KeyBoxes {
        // No test sees this never hold: it only saves boxes.
        if let known = boxes[ObjectIdentifier(type)] { return known }
        // A key of one byte needs no destruction.
        // No test sees this boundary: it only saves boxes.
        let made = KeyBoxes(areShared: MemoryLayout<Key>.size <= 1)
        // No test sees this left out: it only saves boxes.
        boxes[ObjectIdentifier(type)] = made
        return made
    }
}

/// The boxed keys of one type: one box for each key, if there are few. Exclusivity is unchecked for the reason given at
/// `Walk`.
final class KeyBoxes {
    private let areShared: Bool
    @exclusivity(unchecked) private var boxes: [BoxedKey?] = []

    init(areShared: Bool) { self.areShared = areShared }

    /// Returns a key in a box. Precondition: the key is of this type.
    func box<Key: CodingKey>(_ key: Key) -> BoxedKey {
        // No test sees this never hold: it only saves boxes.
        guard areShared else { return BoxedKey(key) }
        let index = MemoryLayout<Key>.size == 0 ? 0 : Int(unsafeBitCast(key, to: UInt8.self))
        while boxes.count <= index { boxes.append(nil) }
        // No test sees this never hold: it only saves boxes.
        if let known = boxes[index] { return known }
        let box = BoxedKey(key)
        // No test sees this left out: it only saves boxes.
        boxes[index] = box
        return box
    }
}
