// Keys of any name, for coders that need a key that no type declares.

/// A key of any name, or the index of an element.
enum AnyKey: CodingKey {
    case name(String)
    /// An index whose name is its number, as in paths.
    case index(Int)
    /// An index with the name that the standard coders use.
    case element(Int)
    /// The name and the number of a key of a different type.
    indirect case numbered(String, Int)

    init(_ key: any CodingKey) {
        self = key.intValue.map { .numbered(key.stringValue, $0) } ?? .name(key.stringValue)
    }

    init(stringValue: String) { self = .name(stringValue) }
    init(intValue: Int) { self = .index(intValue) }

    /// The key under which the standard coders encode the superclass.
    static let `super` = AnyKey.name("super")

    var stringValue: String {
        switch self {
        case .name(let name), .numbered(let name, _): name
        case .index(let index): "\(index)"
        case .element(let index): "Index \(index)"
        }
    }

    var intValue: Int? {
        switch self {
        case .name: nil
        case .index(let index), .element(let index), .numbered(_, let index): index
        }
    }
}
