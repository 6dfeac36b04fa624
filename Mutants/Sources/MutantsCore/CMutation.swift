// The mutants of a C file: conditions, their parts, boundaries and statements.
//
// A reader of lines is enough for code in our format: a statement is on a line of its own or begins one, and a
// condition's parentheses are balanced. What it does not understand has no mutants; what does not compile is found when
// the copy is built.

import Foundation

extension Mutation {
    /// Finds the mutants of a C file.
    package init(
        ofC source: String, file: String, firstNumber: Int = 0, includes: @escaping (Mutant) -> Bool = { _ in true }
    ) {
        var mutator = CMutator(
            builder: MutationBuilder(file: file, source: source, firstNumber: firstNumber, includes: includes),
            text: Array(source.utf8))
        mutator.run()
        self = mutator.builder.mutation
    }
}

private struct CMutator {
    var builder: MutationBuilder
    let text: [UInt8]
    /// How many braces are open, not counting those around all declarations.
    private var depth = 0
    /// Whether the parts of conditional compilation around the line are compiled on Linux; `nil` if unknown.
    private var regions: [Bool?] = []

    init(builder: MutationBuilder, text: [UInt8]) {
        self.builder = builder
        self.text = text
    }

    mutating func run() {
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            read(start..<end)
            start = end + 1
        }
    }

    private mutating func read(_ whole: Range<Int>) {
        let code = codeOf(whole)
        let words = string(code)
        if words.hasPrefix("#") { return readDirective(words) }
        if regions.contains(false) { return }
        defer {
            for byte in text[code] {
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "}") { depth -= 1 }
            }
        }
        // Function bodies only: structures have braces too, but no parentheses in their lines.
        guard depth > 0, !words.isEmpty, !words.hasPrefix("//") else { return }
        for keyword in ["if (", "while (", "for ("]
        where ["", "else ", "} else "].contains(where: { words.hasPrefix($0 + keyword) }) {
            guard let open = text[code].firstIndex(of: UInt8(ascii: "(")), let close = closing(of: open, in: code)
            else {
                return
            }
            let condition = keyword == "for (" ? middle(of: open + 1..<close) : open + 1..<close
            if let condition { addCondition(condition, isLoop: keyword != "if (") }
            var rest = close + 1
            while rest < code.upperBound, text[rest] == UInt8(ascii: " ") { rest += 1 }
            readStatement(rest..<code.upperBound)
            return
        }
        if words.hasPrefix("return "), words.hasSuffix(";") {
            let value = code.lowerBound + 7..<code.upperBound - 1
            if parts(of: value).count > 1 { addParts(of: value) }
            return
        }
        readStatement(code)
    }

    /// Follows conditional compilation: code for a different system is not built.
    private mutating func readDirective(_ words: String) {
        if words.hasPrefix("#if ") {
            regions.append(Self.isCompiled(words.dropFirst(4)))
        } else if words.hasPrefix("#if") {
            regions.append(nil)
        } else if words.hasPrefix("#else"), let region = regions.popLast() {
            regions.append(region.map { !$0 })
        } else if words.hasPrefix("#endif") {
            regions.removeLast()
        }
    }

    /// Whether a condition holds on Linux, without a sanitizer; `nil` if it is about anything else.
    private static func isCompiled(_ condition: some StringProtocol) -> Bool? {
        let known: KeyValuePairs = [
            "defined(__linux__)": true, "defined(__APPLE__)": false, "defined(_WIN32)": false,
            "defined(__wasi__)": false,
            "__has_feature(thread_sanitizer)": false, "__has_feature(address_sanitizer)": false,
        ]
        var text = String(condition)
        for (term, value) in known { text = text.replacingOccurrences(of: term, with: value ? "1" : "0") }
        text = text.replacingOccurrences(of: "!1", with: "0").replacingOccurrences(of: "!0", with: "1")
        let all = text.components(separatedBy: " && ")
        if all.contains("0") { return false }
        if all.allSatisfy({ $0 == "1" }) { return true }
        let any = text.components(separatedBy: " || ")
        return any.contains("1") ? true : any.allSatisfy { $0 == "0" } ? false : nil
    }

    /// A statement that fits into its line.
    private mutating func readStatement(_ code: Range<Int>) {
        let words = string(code)
        guard words.hasSuffix(";"), isCall(words) || isAssignment(words),
            let isActive = builder.add(.deleted, of: code)
        else { return }
        // The outer braces keep an `else` behind the statement where it belongs.
        builder.edits.wrap(code, in: "{ if (!\(isActive)) { ", " } }")
    }

    private mutating func addCondition(_ condition: Range<Int>, isLoop: Bool) {
        if !isLoop, let isActive = builder.add(.alwaysTrue, of: condition) {
            builder.edits.wrap(condition, in: "\(isActive) || (", ")")
        }
        if let isActive = builder.add(.alwaysFalse, of: condition) {
            builder.edits.wrap(condition, in: "!\(isActive) && (", ")")
        }
        addParts(of: condition)
    }

    private mutating func addParts(of condition: Range<Int>) {
        let parts = parts(of: condition)
        guard parts.count > 1 else { return }
        for part in parts {
            let kind = part.isAlternative ? Mutant.Kind.alwaysFalse : .alwaysTrue
            guard let isActive = builder.add(kind, of: part.range) else { continue }
            let (before, after) = part.isAlternative ? ("(!\(isActive) && (", "))") : ("(\(isActive) || (", "))")
            builder.edits.wrap(part.range, in: before, after)
        }
    }

    // MARK: - Reading

    /// The piece of a line without its indentation and comment.
    private func codeOf(_ whole: Range<Int>) -> Range<Int> {
        var start = whole.lowerBound
        while start < whole.upperBound, text[start] == UInt8(ascii: " ") { start += 1 }
        var end = whole.upperBound
        for index in start..<max(start, whole.upperBound - 1)
        where text[index] == UInt8(ascii: "/") && text[index + 1] == UInt8(ascii: "/") {
            end = index
            break
        }
        while end > start, text[end - 1] == UInt8(ascii: " ") { end -= 1 }
        return start..<end
    }

    private func closing(of open: Int, in code: Range<Int>) -> Int? {
        var depth = 0
        for index in open..<code.upperBound {
            if text[index] == UInt8(ascii: "(") { depth += 1 }
            if text[index] == UInt8(ascii: ")") {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    /// The condition of a `for`.
    private func middle(of header: Range<Int>) -> Range<Int>? {
        let semicolons = header.filter { text[$0] == UInt8(ascii: ";") }
        guard semicolons.count == 2 else { return nil }
        let condition = codeOf(semicolons[0] + 1..<semicolons[1])
        return condition.isEmpty ? nil : condition
    }

    /// The operands of `&&` or `||` at the outermost level.
    private func parts(of condition: Range<Int>) -> [(range: Range<Int>, isAlternative: Bool)] {
        var depth = 0
        var starts = [condition.lowerBound]
        var ends: [Int] = []
        var operators: [UInt8] = []
        for index in condition.dropLast() {
            if text[index] == UInt8(ascii: "(") { depth += 1 }
            if text[index] == UInt8(ascii: ")") { depth -= 1 }
            let isOperator =
                [UInt8(ascii: "&"), UInt8(ascii: "|")].contains(text[index]) && text[index + 1] == text[index]
            guard depth == 0, isOperator else { continue }
            ends.append(index)
            starts.append(index + 2)
            operators.append(text[index])
        }
        ends.append(condition.upperBound)
        // Not mixed: `&&` binds more strongly.
        guard Set(operators).count <= 1 else { return [] }
        return zip(starts, ends).map { (codeOf($0..<$1), operators.first == UInt8(ascii: "|")) }
    }

    private func isCall(_ words: String) -> Bool {
        let name = words.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return (name.hasPrefix("__atomic_") || name.hasPrefix("reactive_")) && words.dropFirst(name.count).first == "("
    }

    private func isAssignment(_ words: String) -> Bool {
        guard let equals = words.firstIndex(of: "=") else { return false }
        let target = words[..<equals].drop { $0 == "*" }
        // A declaration has a type in front of the name.
        let name = target.split(separator: " ")
        return name.count == 1 || (name.count == 2 && ["+", "-", "|", "&"].contains(name[1]))
    }

    private func string(_ code: Range<Int>) -> String { String(decoding: text[code], as: UTF8.self) }
}
