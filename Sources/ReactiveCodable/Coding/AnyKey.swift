// Keys of any name, for coders that make keys and do not know a type of them.

/// A key of any name, or the index of an element, whose name is its number.
struct AnyKey: CodingKey, Hashable, CustomStringConvertible {
    let stringValue: String
    let intValue: Int?

    init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init(_ key: any CodingKey) {
        stringValue = key.stringValue
        intValue = key.intValue
    }

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init?(intValue: Int) { self.init(intValue) }

    var description: String { stringValue }
}
