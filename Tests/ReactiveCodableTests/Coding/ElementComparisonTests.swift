// Elements of arrays that are compared by their bits: each change is found, and the elements are freed.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import Testing

private final class Part: Codable {
    @Observable var name: String
    init(_ name: String) { _name = Observable(wrappedValue: name) }
}

/// Has padding, at the same bytes in all values.
private struct Padded: Codable {
    var isDone = false
    var part: Part
}

/// Has as many bytes of padding as bytes with a meaning.
private struct Sparse: Codable {
    struct Inner: Codable {
        var isDone = false
        var part: Part
    }

    var number: Int8 = 1
    var inner: Inner
    var count: Int32 = 1
}

/// Values of different sizes.
private enum Choice: Codable {
    case one(Part)
    case two(Part, Part)
}

/// Shows a mirror without its choice.
private struct Hidden: Codable, CustomReflectable {
    var choice: Choice
    var customMirror: Mirror { Mirror(self, children: ["number": 0], displayStyle: .struct) }
}

/// A copy of `part` writes fewer bytes than one of `something`.
private enum Open: Codable {
    case part(Part)
    case something(any Codable)

    init(from decoder: any Decoder) throws { self = .something(try Pair(from: decoder)) }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .part(let part): try part.encode(to: encoder)
        case .something(let value): try value.encode(to: encoder)
        }
    }
}

private struct Pair: Codable {
    var first = 0
    var second: Int
}

/// Shows a mirror with as many bytes as a copy of `part` writes.
private struct HiddenOpen: Codable, CustomReflectable {
    var open: Open
    var customMirror: Mirror {
        Mirror(self, children: ["number": 0, "flag": false] as KeyValuePairs<String, Any>, displayStyle: .struct)
    }
}

private struct List<Element: Codable>: Codable { @Observable var list: [Element] }

extension ReactiveCodableTests {
    @Suite struct ElementComparisonTests {
        /// Returns the patch of a change from one array to another, which is checked against the documents.
        @discardableResult
        private func patch<Element: Codable>(_ old: [Element], _ new: [Element]) throws -> String {
            let root = List(list: old)
            var patch: JSONPatch = []
            let observation = deepObserve(root) { changes in
                if let next = try? changes.jsonPatch() { patch = patch.appending(next) }
            }
            defer { observation.cancel() }
            let before = try JSONValue(encoding: root)
            root.list = new
            let after = try JSONValue(encoding: root)
            #expect((try? NaiveJSONPatch.apply(patch, to: before)) == after, "\(patch) on \(before)")
            return patch.description
        }

        @Test func elementsOfAnySizeAreFound() throws {
            #expect(
                try patch([1, 2, 3, 4] as [UInt8], [1, 2, 9, 3, 4])
                    == #"[{"op":"add","path":"/list/2","value":9}]"#)
            #expect(
                try patch([true, false, false], [true, false])
                    == #"[{"op":"remove","path":"/list/2"}]"#)
            #expect(
                try patch([1, 2, 3, 4] as [Int16], [4, 1, 2, 3])
                    == #"[{"from":"/list/3","op":"move","path":"/list/0"}]"#)
        }

        @Test func everyChangedElementIsFound() throws {
            let parts = ["a", "b", "c", "d"].map(Part.init)
            func test<Element: Codable>(_ make: (Part) -> Element) throws {
                let all = parts.map(make)
                try patch(all, [all[0], all[1], all[1], all[1]])
                try patch([all[0], all[1], all[1], all[1]], all)
                try patch(all, [all[0], all[2], all[3], all[3]])
                try patch(all, [all[1], all[1], all[1], all[3]])
                try patch(all, [all[3], all[2], all[1], all[0]])
            }
            try test { $0 }
            try test { Padded(part: $0) }
            try test { Sparse(inner: .init(part: $0)) }
            try test { Choice.one($0) }
            try test { Choice.two(parts[0], $0) }
            try test { Choice.two($0, parts[0]) }
            try test { Hidden(choice: .two(parts[0], $0)) }
        }

        @Test func valuesWithMoreBitsThanTheFirstAreCompared() throws {
            let parts = ["a", "b", "c", "d"].map(Part.init)
            for first in [Choice.one(parts[0]), .two(parts[0], parts[1])] {
                for other in [Choice.one(parts[3]), .two(parts[3], parts[1])] {
                    let old: [Choice] = [first, .two(parts[1], parts[2])]
                    let new: [Choice] = [other, .two(parts[1], parts[3])]
                    try patch(old, new)
                    try patch(old.map(Hidden.init), new.map(Hidden.init))
                }
            }
        }

        @Test func bytesThatOnlySomeValuesHaveAreCompared() throws {
            func something(_ number: Int) -> Open { .something(Pair(second: number)) }
            let start: [Open] = [something(0), .part(Part("a"))]
            for count in 1...3 {
                let (old, new) = (start + [something(1)], start + (2..<2 + count).map(something))
                try patch(old, new)
                try patch(old.map(HiddenOpen.init), new.map(HiddenOpen.init))
                try patch(old.reversed(), new.reversed())
                try patch(old.reversed().map(HiddenOpen.init), new.reversed().map(HiddenOpen.init))
            }
        }

        @Test func aCopyOfAValueIsNoStepWhateverItsPaddingIs() throws {
            struct Root: Codable { @Observable var value: Padded }
            let root = Root(value: Padded(part: Part("a")))
            let history = History(root)
            defer { history.end() }
            for byte in 0..<100 as Range<UInt8> {
                // The bytes that copies may find in new memory.
                for size in stride(from: 16, through: 128, by: 16) {
                    let blocks = (0..<8).map { _ in UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16) }
                    for block in blocks { block.initializeMemory(as: UInt8.self, repeating: byte, count: size) }
                    for block in blocks { block.deallocate() }
                }
                root.value = root.value
            }
            #expect(history.undoCount == 0)
        }

        @Test func comparedElementsAreFreed() throws {
            func leaks<Element: Codable>(_ make: (Part) -> Element) throws -> Int {
                var references: [() -> Part?] = []
                func run() throws {
                    let parts = (0..<5).map { Part("\($0)") }
                    for part in parts { references.append { [weak part] in part } }
                    let all = parts.map(make)
                    try patch(Array(all[..<4]), all[1...].reversed())
                    try patch(all, [all[3], all[0], all[2]])
                }
                try run()
                return references.filter { $0() != nil }.count
            }
            #expect(try leaks { $0 } == 0)
            #expect(try leaks { Padded(part: $0) } == 0)
            #expect(try leaks { Choice.one($0) } == 0)
            #expect(try leaks { Choice.two($0, $0) } == 0)
        }
    }
}
