// Random documents and random changes of them, repeatable by seed.

package import ReactiveJSON
import TestSupport

package struct RandomDocuments: RandomNumberGenerator {
    private var random: SplitMix64

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    package mutating func next() -> UInt64 { random.next() }

    package mutating func below(_ bound: Int) -> Int { random.below(bound) }

    package mutating func scalar() -> JSONValue {
        switch below(8) {
        case 0: .null
        case 1: .bool(below(2) == 0)
        case 2: .number(JSONNumber(Double(below(100)) / 8)!)
        case 3, 4: .string(["", "a", "b", "~/", "é"][below(5)])
        default: .number(JSONNumber(below(6)))
        }
    }

    package mutating func document(depth: Int = 4) -> JSONValue {
        guard depth > 0, below(4) > 0 else { return scalar() }
        let count = below(6)
        if below(2) == 0 { return .array(JSONArray((0..<count).map { _ in document(depth: depth - 1) })) }
        return .object(JSONObject((0..<count).map { _ in (key(), document(depth: depth - 1)) }))
    }

    /// A key; two of them differ only in their normal form.
    package mutating func key() -> String {
        ["a", "b", "c", "0", "1", "a/b", "m~n", "", "\u{e9}", "e\u{301}"][below(10)]
    }

    /// Returns the document with a random change.
    package mutating func changed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let array) where below(6) > 0:
            var elements = array.elements
            switch below(5) {
            case 0: elements.insert(document(depth: 2), at: below(elements.count + 1))
            case 1 where !elements.isEmpty: elements.remove(at: below(elements.count))
            case 2 where !elements.isEmpty:
                elements.insert(elements.remove(at: below(elements.count)), at: below(elements.count + 1))
            case 3: elements.shuffle(using: &self)
            default:
                guard !elements.isEmpty else { return scalar() }
                let index = below(elements.count)
                elements[index] = changed(elements[index])
            }
            return .array(JSONArray(elements))
        case .object(let object) where below(6) > 0:
            let keys = object.sortedKeys
            switch below(4) {
            case 0: return .object(object.setting(key(), to: document(depth: 2)))
            case 1 where !keys.isEmpty: return .object(object.setting(keys[below(keys.count)], to: nil))
            default:
                guard !keys.isEmpty else { return scalar() }
                let key = keys[below(keys.count)]
                return .object(object.setting(key, to: changed(object[key] ?? .null)))
            }
        default: return document(depth: 2)
        }
    }

    /// An operation that may or may not fit.
    package mutating func operation(for document: JSONValue) -> JSONPatch.Operation {
        let path = pointer(into: document)
        switch below(6) {
        case 0: return .add(path: path, value: self.document(depth: 2))
        case 1: return .remove(path: path)
        case 2: return .replace(path: path, value: self.document(depth: 2))
        case 3: return .move(from: pointer(into: document), path: path)
        case 4: return .copy(from: pointer(into: document), path: path)
        default: return .test(path: path, value: document[path] ?? .null)
        }
    }

    private mutating func pointer(into document: JSONValue) -> JSONPointer {
        var value = document
        var pointer = JSONPointer.root
        while below(4) > 0 {
            switch value {
            case .array(let array):
                let index = below(array.count + 1)
                guard index < array.count else { return pointer.appending(below(2) == 0 ? "-" : String(index)) }
                value = array[index]
                pointer = pointer.appending(index)
            case .object(let object):
                let keys = object.sortedKeys + [key()]
                let key = keys[below(keys.count)]
                pointer = pointer.appending(key)
                guard let member = object[key] else { return pointer }
                value = member
            default: return below(8) == 0 ? pointer.appending("0") : pointer
            }
        }
        return pointer
    }
}
