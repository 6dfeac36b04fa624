// Money in whole cents. Parsing and adding use no floating point.

/// An amount of money.
package struct Money: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The amount in cents; may be negative.
    package let cents: Int

    /// The largest amount that can be entered. The total of a million products at this price still fits into an `Int`.
    static let largest = Money(cents: 999_999_99)
    static let zero = Money(cents: 0)

    package init(cents: Int) { self.cents = cents }

    /// Parses an amount such as `4`, `4.5` or `4.50`, up to ``largest``; `nil` for all other texts.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { part in part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        }
        guard areDigits, 1...2 ~= parts.count, 1...6 ~= parts[0].utf8.count, let whole = Int(parts[0]) else {
            return nil
        }
        guard parts.count == 2 else {
            cents = whole * 100
            return
        }
        guard 1...2 ~= parts[1].utf8.count, let fraction = Int(parts[1]) else { return nil }
        cents = whole * 100 + (parts[1].utf8.count == 1 ? fraction * 10 : fraction)
    }

    /// The amount with two digits for the cents, such as `4.50`.
    package var description: String {
        let (whole, fraction) = cents.magnitude.quotientAndRemainder(dividingBy: 100)
        return "\(cents < 0 ? "-" : "")\(whole).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    package static func < (a: Money, b: Money) -> Bool { a.cents < b.cents }
    package static func + (a: Money, b: Money) -> Money { Money(cents: a.cents + b.cents) }
    package static func - (a: Money, b: Money) -> Money { Money(cents: a.cents - b.cents) }
    package static func * (count: Int, price: Money) -> Money { Money(cents: count * price.cents) }
}
