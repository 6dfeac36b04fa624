// Components: first render, further renders, markup, and lists of 1,000 keyed components.
//
// By hand, a state is an observable, a body is an `ObserverScope`, and a row is a scope or a computed.

import Harness
import Reactive
import ReactiveHooks

private let rows = 1_000

extension Workload {
    static var hooks: [Workload] {
        [
            Workload("first render of a component", repetitions: 2_000) {
                { count in
                    for i in 0..<count {
                        let number = Observable(i)
                        let scope = ObserverScope { number.value }
                        check(scope.output, i)
                        scope.cancel()
                    }
                }
            } ours: {
                { count in
                    for i in 0..<count {
                        let renderer = HookRenderer { useState(i).wrappedValue }
                        check(renderer.output, i)
                        renderer.unmount()
                    }
                }
            },
            Workload("set of a useState, and render", repetitions: 5_000) {
                let (number, seen) = (Observable(0), Counter())
                let scope = ObserverScope { seen.count = number.value }
                return keeping(scope) { count in
                    for i in 1...count { number.value = -i }
                    check(seen.count, -count)
                }
            } ours: {
                let seen = Counter()
                let renderer = HookRenderer {
                    let number = useState(0)
                    seen.count = number.wrappedValue
                    return number
                }
                let number = renderer.output
                return keeping(renderer) { count in
                    for i in 1...count { number.wrappedValue = -i }
                    check(seen.count, -count)
                }
            },
            Workload("set of a useState, with useMemo and useEffect", repetitions: 5_000) {
                let (number, seen) = (Observable(0), Counter())
                let next = Computed { number.value - 1 }
                let scope = ObserverScope {
                    next.value
                } onRender: {
                    seen.count = $0
                }
                return keeping(scope) { count in
                    for i in 1...count { number.value = -i }
                    check(seen.count, -count - 1)
                }
            } ours: {
                let seen = Counter()
                let renderer = HookRenderer {
                    let number = useState(0)
                    let now = number.wrappedValue
                    let next = useMemo(.preserved(by: now)) { now - 1 }
                    useEffect(.preserved(by: next)) {
                        seen.count = next
                        return nil
                    }
                    return number
                }
                let number = renderer.output
                return keeping(renderer) { count in
                    for i in 1...count { number.wrappedValue = -i }
                    check(seen.count, -count - 1)
                }
            },
            Workload("renderToString of 1,000 components", unit: .milliseconds, repetitions: 3) {
                let names = (0..<rows).map { "item \($0)" }
                let expected = names.reduce(9) { $0 + $1.utf8.count + 12 }
                return { count in
                    for _ in 0..<count { check(page(of: names).utf8.count, expected) }
                }
            } ours: {
                let names = (0..<rows).map { "item \($0)" }
                let expected = page(of: names)
                func item(_ name: String) -> HTML {
                    hookScope {
                        let number = useState(0)
                        return "<li>\(name): \(number.wrappedValue)</li>"
                    }
                }
                return { count in
                    for _ in 0..<count { check(renderToString { "<ul>\(names.map(item))</ul>" }, expected) }
                }
            },
            Workload("1,000 keyed components, first render", unit: .milliseconds, repetitions: 3) {
                { count in
                    for _ in 0..<count {
                        let numbers = (0..<rows).map { Observable($0) }
                        let computeds = numbers.map { number in Computed { number.value } }
                        let list = ObserverScope { computeds.reduce(0) { $0 + $1.value } }
                        check(list.output, rows * (rows - 1) / 2)
                        list.cancel()
                    }
                }
            } ours: {
                { count in
                    for _ in 0..<count {
                        let list = HookRenderer {
                            (0..<rows).reduce(0) { sum, row in
                                sum + hookScope(id: row) { useState(row).wrappedValue }
                            }
                        }
                        check(list.output, rows * (rows - 1) / 2)
                        list.unmount()
                    }
                }
            },
            Workload("one of 1,000 keyed components, same output", repetitions: 1_000) {
                let seen = Counter()
                let numbers = (0..<rows).map { _ in Observable(0) }
                let scopes = numbers.map { number in ObserverScope { seen.count = number.value } }
                return keeping(scopes) { count in
                    for i in 1...count { numbers[i * 7 % rows].value += i }
                    check(seen.count, numbers[count * 7 % rows].value)
                }
            } ours: {
                let (seen, states) = (Counter(), States())
                let list = HookRenderer {
                    for row in 0..<rows {
                        hookScope(id: row) {
                            let number = useState(0)
                            states[row] = number
                            seen.count = number.wrappedValue
                        }
                    }
                }
                return keeping(list) { count in
                    for i in 1...count { states[i * 7 % rows].wrappedValue += i }
                    check(seen.count, states[count * 7 % rows].wrappedValue)
                }
            },
            Workload("one of 1,000 keyed components, root joins", repetitions: 50) {
                let total = Counter()
                let numbers = (0..<rows).map { _ in Observable(0) }
                let computeds = numbers.map { number in Computed { number.value } }
                let list = ObserverScope {
                    computeds.reduce(0) { $0 + $1.value }
                } onRender: {
                    total.count = $0
                }
                return keeping(list) { count in
                    for i in 1...count { numbers[i * 7 % rows].value += i }
                    check(total.count, numbers.reduce(0) { $0 + $1.value })
                }
            } ours: {
                let (total, states) = (Counter(), States())
                let list = HookRenderer {
                    (0..<rows).reduce(0) { sum, row in
                        sum
                            + hookScope(id: row) {
                                let number = useState(0)
                                states[row] = number
                                return number.wrappedValue
                            }
                    }
                } onRender: {
                    total.count = $0
                }
                return keeping(list) { count in
                    for i in 1...count { states[i * 7 % rows].wrappedValue += i }
                    check(total.count, states.sum)
                }
            },
        ]
    }
}

/// The bindings that the rows' first renders returned.
private final class States {
    private var all = [Binding<Int>?](repeating: nil, count: rows)

    var sum: Int { all.reduce(0) { $0 + ($1?.wrappedValue ?? 0) } }

    subscript(row: Int) -> Binding<Int> {
        get { all[row]! }
        set { if all[row] == nil { all[row] = newValue } }
    }
}

// MARK: - Markup by hand

/// The markup of the same page.
private func page(of names: [String]) -> String {
    var markup = Markup()
    markup.add("<ul>")
    for name in names {
        markup.add("<li>")
        markup.add(escaping: name)
        markup.add(": 0</li>")
    }
    markup.add("</ul>")
    return markup.text
}

/// A builder of markup by appending.
private struct Markup {
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func add(_ markup: String) { bytes += markup.utf8 }

    mutating func add(escaping text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): add("&amp;")
            case UInt8(ascii: "<"): add("&lt;")
            case UInt8(ascii: ">"): add("&gt;")
            case UInt8(ascii: "\""): add("&quot;")
            case UInt8(ascii: "'"): add("&#39;")
            default: bytes.append(byte)
            }
        }
    }
}
