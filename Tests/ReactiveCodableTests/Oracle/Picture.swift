// A picture of a graph: for each observable and each class instance that a root reaches, one line with its contents.
//
//     #0   Thing{name: #1, parts: #2, friend: #3}
//     #1   "a"
//     #2   [Part{title: #4, tags: #5, thing: #6}]
//     #3   ·
//
// A number identifies one object forever. So equal pictures mean equal values in the same objects, with the same
// sharing. The types draw pictures with code of their own, not through `Codable`.

import Reactive
import ReactiveCollections

/// A type whose contents can be drawn.
protocol Drawable {
    /// The contents on one line. `artist` draws objects, which appear as their numbers.
    func drawn(by artist: Artist) -> String
}

/// The numbers of objects. They are kept alive, so that no address is used twice.
final class Registry {
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var kept: [AnyObject] = []

    func number(of object: AnyObject) -> Int {
        let identifier = ObjectIdentifier(object)
        if let number = numbers[identifier] { return number }
        numbers[identifier] = kept.count
        kept.append(object)
        return kept.count - 1
    }

    func object(_ number: Int) -> AnyObject { kept[number] }
}

/// The lines of objects, by their numbers.
typealias Picture = [Int: String]

/// Draws values: objects on lines of their own, or everything in one text without identities.
final class Artist {
    /// `nil` for a text of the values alone.
    private let registry: Registry?
    private(set) var picture: Picture = [:]

    private init(_ registry: Registry?) { self.registry = registry }

    static func picture(of root: some Drawable, _ registry: Registry) -> Picture {
        let artist = Artist(registry)
        artist.picture[-1] = root.drawn(by: artist)
        return artist.picture
    }

    /// The values without identities, for graphs without cycles: equal for graphs that differ in sharing only.
    static func values(of root: some Drawable) -> String { root.drawn(by: Artist(nil)) }

    func reference<Value: Drawable>(to observable: Observable<Value>) -> String {
        line(of: observable) { observable.value.drawn(by: self) }
    }

    func reference<Element: Drawable>(to array: ObservableArray<Element>) -> String {
        line(of: array) { array.elements.drawn(by: self) }
    }

    func reference<Key: Hashable, Value: Drawable>(to dictionary: ObservableDictionary<Key, Value>) -> String {
        line(of: dictionary) { dictionary.elements.drawn(by: self) }
    }

    func reference<Element: Drawable>(to set: ObservableSet<Element>) -> String {
        line(of: set) { set.elements.drawn(by: self) }
    }

    func line(of object: AnyObject, _ contents: () -> String) -> String {
        guard let registry else { return contents() }
        let number = registry.number(of: object)
        if picture[number] == nil {
            picture[number] = "?"
            picture[number] = contents()
        }
        return "#\(number)"
    }
}

extension Picture {
    /// The differences, for a message.
    func difference(from expected: Picture) -> String {
        let numbers = Set(keys).union(expected.keys).sorted().filter { self[$0] != expected[$0] }
        return numbers.prefix(8).map {
            "    #\($0): \(self[$0] ?? "not reached"), expected \(expected[$0] ?? "not reached")"
        }.joined(separator: "\n")
    }

    /// The numbers that appear in a line.
    static func references(in line: String) -> [Int] {
        line.split(separator: "#", omittingEmptySubsequences: false).dropFirst()
            .compactMap { Int($0.prefix { $0.isNumber }) }
    }

    /// The lines that a root reaches, of a picture that may have more.
    var reached: Picture {
        var result: Picture = [:]
        var pending = [-1]
        while let number = pending.popLast() {
            guard result[number] == nil, let line = self[number] else { continue }
            result[number] = line
            pending += Picture.references(in: line)
        }
        return result
    }
}

// MARK: - Plain values

extension String: Drawable {
    func drawn(by artist: Artist) -> String { "\"\(self)\"" }
}

extension Int: Drawable {
    func drawn(by artist: Artist) -> String { "\(self)" }
}

extension Optional: Drawable where Wrapped: Drawable {
    func drawn(by artist: Artist) -> String { map { $0.drawn(by: artist) } ?? "·" }
}

extension Array: Drawable where Element: Drawable {
    func drawn(by artist: Artist) -> String { "[" + map { $0.drawn(by: artist) }.joined(separator: ", ") + "]" }
}

extension ObservableArray: Drawable where Element: Drawable {
    func drawn(by artist: Artist) -> String { artist.reference(to: self) }
}

extension Set: Drawable where Element: Drawable {
    func drawn(by artist: Artist) -> String {
        "{" + map { $0.drawn(by: artist) }.sorted().joined(separator: ", ") + "}"
    }
}

extension Dictionary: Drawable where Value: Drawable {
    func drawn(by artist: Artist) -> String {
        // Sorted, since drawing gives numbers to new objects.
        "{"
            + sorted { "\($0.key)" < "\($1.key)" }.map { "\($0.key): \($0.value.drawn(by: artist))" }
            .joined(separator: ", ") + "}"
    }
}
