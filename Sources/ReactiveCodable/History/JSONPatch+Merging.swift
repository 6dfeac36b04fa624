// When two patches in a row are one edit, as those of typing are.

extension JSONPatch {
    /// The patch that does what this one does, and then `next`, if both only replace values, and at the same paths;
    /// else `nil`.
    ///
    /// Paths at which the two cancel each other out are left out, so that the result can be empty. Both must know their
    /// inverse.
    func merged(with next: JSONPatch) -> JSONPatch? {
        guard JSONPatch.replacements(in: operations) != nil, let start = undoing.flatMap(JSONPatch.replacements),
            let end = JSONPatch.replacements(in: next.operations), Set(start.keys) == Set(end.keys)
        else { return nil }
        let paths = next.operations.map(\.path).filter { start[$0] != end[$0] }
        return JSONPatch(
            paths.map { .replace(path: $0, value: end[$0] ?? .null) },
            undoing: paths.reversed().map { .replace(path: $0, value: start[$0] ?? .null) })
    }

    /// The values by path, if the operations do nothing but replace, each path once.
    private static func replacements(in operations: [Operation]) -> [JSONPointer: JSONValue]? {
        var values: [JSONPointer: JSONValue] = [:]
        for operation in operations {
            guard case .replace(let path, let value) = operation, values.updateValue(value, forKey: path) == nil else {
                return nil
            }
        }
        return values
    }
}
