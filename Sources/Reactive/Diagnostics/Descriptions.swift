// The descriptions of library objects. Printing an object reads its value without subscribing, because it must not
// change the program. It must not stop the program either. So where the value cannot be read, because another graph is
// held, the description shows the name of the object.

import CReactive

extension Observable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The description of the value.
    public var description: String { placeholder ?? untracked { String(describing: value) } }

    /// The value, and the name of the observable in diagnostics.
    public var debugDescription: String {
        placeholder ?? "Observable(\(untracked { String(reflecting: value) }), \(NodeName.text(of: node.pointee)))"
    }

    /// The value alone, for `dump`.
    public var customMirror: Mirror { mirror { value } }
}

extension Computed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The description of the value, which is evaluated now if necessary.
    public var description: String { placeholder ?? untracked { String(describing: value) } }

    /// The value, evaluated now if necessary, and the name of the computed in diagnostics.
    public var debugDescription: String {
        placeholder ?? "Computed(\(untracked { String(reflecting: value) }), \(NodeName.text(of: node.pointee)))"
    }

    /// The value alone, for `dump`.
    public var customMirror: Mirror { mirror { value } }
}

extension Source: CustomStringConvertible {
    /// The name in diagnostics.
    public var description: String { "Source(\(NodeName.text(of: node.pointee)))" }
}

extension _Node {
    /// The text that replaces the value where it cannot be read; `nil` where it can.
    fileprivate var placeholder: String? {
        obstacle == nil ? nil : "\(NodeName.text(of: node.pointee)) of \(graph.name)"
    }

    fileprivate func mirror(_ value: () -> Any) -> Mirror {
        Mirror(self, children: ["value": placeholder ?? untracked(value)], displayStyle: .class)
    }
}

extension ThrowingComputed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The description of the value or the error, evaluated now if necessary.
    public var description: String {
        result.placeholder
            ?? untracked {
                do { return String(describing: try value) } catch { return "\(error)" }
            }
    }

    /// The value or the error, evaluated now if necessary, and the name of the computed in diagnostics.
    public var debugDescription: String {
        "ThrowingComputed(\(description), \(NodeName.text(of: result.node.pointee)))"
    }

    /// The value or the error alone, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["value": description], displayStyle: .class) }
}

extension Diagnostics.GraphSnapshot: CustomStringConvertible {
    /// One line per node: its kind and its sources. Complexity: O(nodes and edges).
    public var description: String {
        if nodes.isEmpty { return "no live reactions" }
        var sources = [[String]](repeating: [], count: nodes.count)
        for edge in edges { sources[edge.observer].append(nodes[edge.source].name) }
        let lines = nodes.map { node in
            let names = sources[node.id]
            return "\(node.kind) \(node.name)" + (names.isEmpty ? "" : " reads \(names.joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }
}

extension Reaction: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name and the state.
    public final var description: String {
        placeholder ?? "Reaction(\(name), ran \(runCount) times\(isCancelled ? ", cancelled" : ""))"
    }

    /// The name, the state, and the cause of the last run.
    public final var debugDescription: String {
        placeholder ?? lastCause.map { "\(description) because of \($0)" } ?? description
    }

    /// The name and the number of runs, for `dump`.
    public final var customMirror: Mirror {
        Mirror(
            self, children: obstacle == nil ? ["name": name, "runCount": runCount] : ["name": name],
            displayStyle: .class)
    }
}
