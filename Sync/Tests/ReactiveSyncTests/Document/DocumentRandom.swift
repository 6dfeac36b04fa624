// Random documents, patches and edits. The seed determines everything.

import ReactiveCodable

@testable import ReactiveSync

struct DocumentRandom: RandomNumberGenerator {
    private var state: UInt64
    /// Whether lists are long enough to have several branches.
    let isLarge: Bool

    init(seed: UInt64) {
        state = seed &* 0x2545_F491_4F6C_DD1D &+ 1
        isLarge = seed % 16 == 15
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}

// MARK: - Documents

extension DocumentRandom {
    mutating func identity() -> JSONValue {
        switch below(8) {
        case 0: .number(JSONNumber(below(3)))
        case 1: "é"
        case 2: "e\u{301}"
        default: .string("i" + String(below(isLarge ? 200 : 12)))
        }
    }

    mutating func key() -> String { pick(["a", "b", "c", "id", "note", "cards", "é", "e\u{301}", "", "a/b~"]) }

    mutating func scalar() -> JSONValue {
        switch below(7) {
        case 0: .null
        case 1: .bool(oneIn(2))
        case 2: .number(JSONNumber(below(4)))
        case 3: 1.5
        default: .string(text())
        }
    }

    mutating func text() -> String {
        (0..<below(6)).map { _ in pick(["a", "b", " ", "👨‍👩‍👧", "é", "e\u{301}", "🇩🇪"]) }.joined()
    }

    mutating func card() -> JSONValue {
        ["id": identity(), "note": .string(text()), "tags": list(of: below(4)) { $0.scalar() }]
    }

    mutating func column() -> JSONValue {
        ["id": identity(), "title": .string(text()), "cards": keyed(isLarge ? 60 : 5) { $0.card() }]
    }

    /// A list whose elements have different identities.
    mutating func keyed(_ maximum: Int, _ element: (inout DocumentRandom) -> JSONValue) -> JSONValue {
        var seen: Set<JSONValue> = []
        let elements = (0..<below(maximum + 1)).compactMap { _ -> JSONValue? in
            let element = element(&self)
            return seen.insert(element["id"] ?? .null).inserted ? element : nil
        }
        return .array(JSONArray(elements))
    }

    mutating func list(of count: Int, _ element: (inout DocumentRandom) -> JSONValue) -> JSONValue {
        .array(JSONArray((0..<count).map { _ in element(&self) }))
    }

    mutating func value(_ depth: Int = 2) -> JSONValue {
        switch below(depth == 0 ? 4 : 9) {
        case 4: card()
        case 5: list(of: below(4)) { $0.value(depth - 1) }
        case 6: object(below(4), depth - 1)
        case 7: list(of: below(5)) { $0.card() }
        case 8: ["id": value(0)]
        default: scalar()
        }
    }

    mutating func object(_ count: Int, _ depth: Int) -> JSONValue {
        .object(JSONObject((0..<count).map { _ in (key(), value(depth)) }))
    }

    mutating func document() -> JSONValue {
        if oneIn(40) { return value() }
        let wide = isLarge ? (0..<50).map { ("k\($0)", value(1)) } : []
        return [
            "title": .string(text()),
            "columns": keyed(isLarge ? 10 : 4) { $0.column() },
            "mixed": list(of: below(isLarge ? 120 : 7)) { $0.value() },
            "map": .object(JSONObject(wide + [(key(), value()), (key(), value())])),
            "empty": [],
        ]
    }
}

// MARK: - Patches

extension DocumentRandom {
    /// Returns a pointer to a value in a document.
    mutating func pointer(in json: JSONValue) -> [String] {
        var (json, tokens) = (json, [String]())
        while !oneIn(5) {
            switch json {
            case .array(let array) where !array.isEmpty:
                let index = below(array.count)
                tokens.append(String(index))
                json = array[index]
            case .object(let object) where !object.isEmpty:
                let member = object[below(object.count)]
                tokens.append(member.key)
                json = member.value
            default: return tokens
            }
        }
        return tokens
    }

    /// Returns a pointer at which a value can be added.
    mutating func place(in json: JSONValue) -> [String] {
        let tokens = pointer(in: json)
        switch json[JSONPointer(tokens: tokens)] {
        case .array(let array)?: return tokens + [oneIn(4) ? "-" : String(below(array.count + 1))]
        case .object?: return tokens + [key()]
        default: return tokens.isEmpty ? [] : tokens
        }
    }

    mutating func operation(for json: JSONValue) -> JSONPatch.Operation {
        let target = JSONPointer(tokens: pointer(in: json))
        let place = JSONPointer(tokens: self.place(in: json))
        switch below(8) {
        case 0, 1: return .add(path: place, value: value())
        case 2: return .remove(path: target)
        case 3, 4: return .replace(path: target, value: value())
        case 5: return .copy(from: target, path: place)
        case 6 where oneIn(4): return .test(path: target, value: json[target] ?? .null)
        default: return .move(from: target, path: place)
        }
    }

    /// A patch that fits a document.
    mutating func patch(for json: JSONValue) -> JSONPatch {
        var (json, operations) = (json, [JSONPatch.Operation]())
        for _ in 0...below(5) {
            if oneIn(5), let (steps, next) = relocation(in: json) {
                operations += steps
                json = next
                continue
            }
            let operation = operation(for: json)
            guard let next = try? JSONPatch([operation]).applying(to: json), next.valueCount < 20_000 else { continue }
            operations.append(operation)
            json = next
        }
        return JSONPatch(operations)
    }

    /// A card that is removed from one column, changed, and added to a different one.
    private mutating func relocation(in json: JSONValue) -> ([JSONPatch.Operation], JSONValue)? {
        guard case .array(let columns)? = json["columns"], columns.count > 1 else { return nil }
        let (from, to) = (below(columns.count), below(columns.count))
        guard case .array(let cards)? = columns[from]["cards"], case .array(let others)? = columns[to]["cards"],
            !cards.isEmpty
        else { return nil }
        let index = below(cards.count)
        guard case .object(let card) = cards[index] else { return nil }
        let changed: JSONValue = oneIn(2) ? cards[index] : .object(card.setting("note", to: .string(text())))
        let end = others.count - (from == to ? 1 : 0)
        let steps: [JSONPatch.Operation] = [
            .remove(path: JSONPointer(tokens: ["columns", String(from), "cards", String(index)])),
            .add(
                path: JSONPointer(tokens: ["columns", String(to), "cards", String(below(end + 1))]), value: changed),
        ]
        guard let next = try? JSONPatch(steps).applying(to: json) else { return nil }
        return (steps, next)
    }
}

// MARK: - Edits

extension DocumentRandom {
    /// Returns a path to a value in a document, or a similar path.
    mutating func path(in json: JSONValue) -> DocumentPath {
        var (json, path) = (json, DocumentPath.root)
        for token in pointer(in: json) {
            switch json {
            case .array(let array):
                guard let index = Int(token) else { return path }
                guard let identity = array[index]["id"], identity.isIdentity else { return path }
                path = path.appending(element: oneIn(30) ? self.identity() : identity)
                json = array[index]
            default:
                path = path.appending(oneIn(60) ? key() : token)
                json = json[token] ?? .null
            }
        }
        return path
    }

    private func value(at path: DocumentPath, in json: JSONValue) -> JSONValue? {
        var found: JSONValue? = json
        for token in path.tokens {
            switch (token, found) {
            case (.member(let key), let value?): found = value[key]
            case (.element(let identity), .array(let array)?): found = array.first { $0["id"] == identity }
            default: return nil
            }
        }
        return found
    }

    mutating func listPath(in json: JSONValue) -> (DocumentPath, JSONArray) {
        for _ in 0..<20 {
            let path = path(in: json)
            if case .array(let array)? = value(at: path, in: json) { return (path, array) }
        }
        return (DocumentPath([.member("columns")]), [])
    }

    mutating func anchor() -> Anchor {
        Anchor(after: oneIn(3) ? nil : identity(), before: oneIn(3) ? nil : identity(), index: below(8))
    }

    mutating func edit(for json: JSONValue) -> Edit {
        switch below(12) {
        case 0, 1: return .set(oneIn(3) ? path(in: json).appending(key()) : path(in: json), value())
        case 2, 3:
            let path = path(in: json)
            var base = text()
            if case .string(let current)? = value(at: path, in: json), !oneIn(4) { base = current }
            return .text(path, base: base, value: text())
        case 4: return .remove(path(in: json))
        case 5, 6: return .insert(listPath(in: json).0, oneIn(8) ? value() : card(), anchor())
        case 7, 8, 9:
            let (list, elements) = listPath(in: json)
            let id = elements.isEmpty || oneIn(4) ? identity() : pick(elements.elements)["id"] ?? identity()
            return .move(listPath(in: json).0, id, from: oneIn(3) ? nil : list, anchor())
        default:
            let (list, elements) = listPath(in: json)
            let start = below(elements.count + 1)
            let end = start + below(elements.count - start + 1)
            let removed = oneIn(2) ? [] : Array(elements[start..<min(end, start + 3)])
            let after = start > 0 ? elements[start - 1] : nil
            return .splice(
                list, index: oneIn(2) ? start : below(elements.count + 3), removed: removed,
                inserted: (0..<below(3)).map { _ in value(1) }, after: oneIn(2) ? after : value(0))
        }
    }

    mutating func edits(for json: JSONValue, _ count: Int = 5) -> [Edit] {
        (0...below(count)).map { _ in edit(for: json) }
    }
}
