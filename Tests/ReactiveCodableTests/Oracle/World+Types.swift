// The types of the random graphs: all kinds of types in which `Codable` reaches an observable.

import Reactive
import ReactiveCollections

extension World {
    /// A key that is encoded in pairs, since its type is neither a string nor an integer.
    enum Kind: String, Codable, CaseIterable { case fruit, bread, tea }

    /// A key that is encoded as a member.
    enum Colour: String, Codable, CodingKeyRepresentable, CaseIterable { case red, green, blue }

    /// A key with parts.
    struct Spot: Hashable, Codable {
        var x: Int
        var y: Int
    }

    /// A struct: two copies have the same observables.
    struct Part: Codable, Drawable {
        @Observable var title: String
        @Observable var tags: Set<Int> = []
        @Observable var thing: Thing?
        private(set) var notes = ObservableArray<String>()
        let number: Int

        init(_ number: Int) {
            self.number = number
            _title = Observable(wrappedValue: "part \(number)")
        }

        func drawn(by artist: Artist) -> String {
            "Part\(number){title: \(artist.reference(to: _title)), tags: \(artist.reference(to: _tags)), "
                + "thing: \(artist.reference(to: _thing)), notes: \(artist.reference(to: notes))}"
        }
    }

    /// A generic property, whose `nil` is written as `null`.
    struct Box<Value: Codable & Drawable>: Codable, Drawable {
        @Observable var value: Value

        init(_ value: Value) { _value = Observable(wrappedValue: value) }

        func drawn(by artist: Artist) -> String { "Box{\(artist.reference(to: _value))}" }
    }

    /// Observables in the payloads of cases, and an observable without a property.
    indirect enum Payload: Codable, Drawable {
        case none
        case number(Int)
        case part(Part, tag: String)
        case thing(Thing)
        case observable(Observable<Int>)
        case list([Payload])
        case form(Form)

        func drawn(by artist: Artist) -> String {
            switch self {
            case .none: "none"
            case .number(let number): "number(\(number))"
            case .part(let part, let tag): "part(\(part.drawn(by: artist)), \(tag))"
            case .thing(let thing): "thing(\(thing.drawn(by: artist)))"
            case .observable(let observable): "observable(\(artist.reference(to: observable)))"
            case .list(let list): "list(\(list.drawn(by: artist)))"
            case .form(let form): "form(\(form.drawn(by: artist)))"
            }
        }

        /// The cases alone, for descriptions.
        var summary: String {
            switch self {
            case .none: "none"
            case .number(let number): "number \(number)"
            case .part(let part, _): "part \(part.number)"
            case .thing(let thing): "thing \(thing.name)"
            case .observable(let observable): "observable \(observable.value)"
            case .list(let list): "[" + list.map(\.summary).joined(separator: ", ") + "]"
            case .form: "form"
            }
        }
    }

    /// Encodes by hand, with nested containers, and reads the values of its observables meanwhile.
    struct Form: Codable, Drawable {
        @Observable var title = "form"
        @Observable var stars = 0
        @Observable var lines: [String] = []

        private enum CodingKeys: CodingKey { case title, more }
        private enum MoreKeys: CodingKey { case stars, lines, count }

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let more = try container.nestedContainer(keyedBy: MoreKeys.self, forKey: .more)
            var list = try more.nestedUnkeyedContainer(forKey: .lines)
            title = try container.decode(String.self, forKey: .title)
            stars = try more.decode(Int.self, forKey: .stars)
            while !list.isAtEnd { lines.append(try list.decode(String.self)) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(title, forKey: .title)
            var more = container.nestedContainer(keyedBy: MoreKeys.self, forKey: .more)
            try more.encode(stars, forKey: .stars)
            try more.encode(lines.count, forKey: .count)
            var list = more.nestedUnkeyedContainer(forKey: .lines)
            for line in lines { try list.encode(line) }
        }

        func drawn(by artist: Artist) -> String {
            "Form{title: \(artist.reference(to: _title)), stars: \(artist.reference(to: _stars)), "
                + "lines: \(artist.reference(to: _lines))}"
        }
    }

    /// A class: its instances are shared by reference.
    class Thing: Codable, Drawable {
        @Observable var name = ""
        @Observable var parts: [Part] = []
        @Observable var things: [Thing] = []
        @Observable var friend: Thing?
        @Observable var payload = Payload.none
        @Observable var byName: [String: Part] = [:]
        @Observable var byNumber: [Int: Part] = [:]
        @Observable var byKind: [Kind: Part] = [:]
        @Observable var byColour: [Colour: Thing] = [:]
        @Observable var bySpot: [Spot: Int] = [:]
        @Observable var marks: Set<String> = []
        @Observable var form = Form()
        @Observable var special: Special?
        private(set) var note = Box<String?>(nil)
        private(set) var count = Box(0)
        private(set) var list = Box<[Part]>([])
        private(set) var rows = ObservableArray<Part>()
        private(set) var team = ObservableArray<Thing>()
        private(set) var grid = ObservableArray<ObservableArray<Int>>()
        private(set) var members = ObservableDictionary<String, Part>()
        private(set) var ranks = ObservableDictionary<Int, Thing>()
        private(set) var counts = ObservableDictionary<Kind, Int>()
        private(set) var labels = ObservableSet<String>()

        init() {}

        func members(_ artist: Artist) -> [String] {
            [
                "name: " + artist.reference(to: _name), "parts: " + artist.reference(to: _parts),
                "things: " + artist.reference(to: _things), "friend: " + artist.reference(to: _friend),
                "payload: " + artist.reference(to: _payload), "byName: " + artist.reference(to: _byName),
                "byNumber: " + artist.reference(to: _byNumber), "byKind: " + artist.reference(to: _byKind),
                "byColour: " + artist.reference(to: _byColour), "bySpot: " + artist.reference(to: _bySpot),
                "marks: " + artist.reference(to: _marks), "form: " + artist.reference(to: _form),
                "special: " + artist.reference(to: _special), "note: " + note.drawn(by: artist),
                "count: " + count.drawn(by: artist), "list: " + list.drawn(by: artist),
                "rows: " + artist.reference(to: rows), "team: " + artist.reference(to: team),
                "grid: " + artist.reference(to: grid), "members: " + artist.reference(to: members),
                "ranks: " + artist.reference(to: ranks), "counts: " + artist.reference(to: counts),
                "labels: " + artist.reference(to: labels),
            ]
        }

        func drawn(by artist: Artist) -> String {
            artist.line(of: self) { "\(type(of: self)){" + members(artist).joined(separator: ", ") + "}" }
        }
    }

    /// A class that inherits observables and has its own.
    final class Special: Thing {
        @Observable var extra = 0
        @Observable var pair: [Part]?

        private enum CodingKeys: CodingKey { case extra, pair }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _extra = try container.decode(Observable<Int>.self, forKey: .extra)
            _pair = try container.decode(Observable<[Part]?>.self, forKey: .pair)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(_extra, forKey: .extra)
            try container.encode(_pair, forKey: .pair)
            try super.encode(to: container.superEncoder())
        }

        override func members(_ artist: Artist) -> [String] {
            super.members(artist) + ["extra: " + artist.reference(to: _extra), "pair: " + artist.reference(to: _pair)]
        }
    }

    /// The root: the same array may be on two of its paths.
    struct Root: Codable, Drawable {
        @Observable var first: Thing
        @Observable var second: Thing?
        @Observable var parts: [Part] = []
        @Observable var archive: [Part] = []
        /// State that only loading writes.
        @Observable var progress = 0

        init(_ first: Thing) { _first = Observable(wrappedValue: first) }

        func drawn(by artist: Artist) -> String {
            "Root{first: \(artist.reference(to: _first)), second: \(artist.reference(to: _second)), "
                + "parts: \(artist.reference(to: _parts)), archive: \(artist.reference(to: _archive)), "
                + "progress: \(artist.reference(to: _progress))}"
        }

        /// The numbers of the observables that loading writes.
        func loaded(_ registry: Registry) -> (parts: Int, progress: Int) {
            (registry.number(of: _parts), registry.number(of: _progress))
        }
    }
}
