// An element of sets whose equality leaves a part out.

/// Equal to others with the same number and any name.
struct Named: Hashable {
    var number: Int
    var name: String

    init(_ number: Int, _ name: String) {
        self.number = number
        self.name = name
    }

    static func == (a: Named, b: Named) -> Bool { a.number == b.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
