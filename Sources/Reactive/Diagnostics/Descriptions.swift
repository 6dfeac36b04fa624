// What printing a library object shows. Printing reads the value without subscribing: looking must not change the
// program. Nor must it stop the program, so where another graph is held, which is where the value cannot be read, it
// shows the name of the object.

import CReactive

extension Observable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value, as it would print itself.
    public var description: String { placeholder ?? untracked { String(describing: value) } }

    /// The value and what diagnostics call the observable.
    public var debugDescription: String {
        placeholder ?? "Observable(\(untracked { String(reflecting: value) }), \(NodeName.text(of: node.pointee)))"
    }

    /// The value alone, for `dump`.
    public var customMirror: Mirror { mirror { value } }
}

extension Computed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value, computed now if need be, as it would print itself.
    public var description: String { placeholder ?? untracked { String(describing: value) } }

    /// The value, computed now if need be, and what diagnostics call the computed.
    public var debugDescription: String {
        placeholder ?? "Computed(\(untracked { String(reflecting: value) }), \(NodeName.text(of: node.pointee)))"
    }

    /// The value alone, for `dump`.
    public var customMirror: Mirror { mirror { value } }
}

extension Source: CustomStringConvertible {
    /// What diagnostics call it.
    public var description: String { "Source(\(NodeName.text(of: node.pointee)))" }
}

extension _Node {
    /// What is shown instead of the value where that cannot be read; `nil` where it can.
    fileprivate var placeholder: String? {
        obstacle == nil ? nil : "\(NodeName.text(of: node.pointee)) of \(graph.name)"
    }

    fileprivate func mirror(_ value: () -> Any) -> Mirror {
        Mirror(self, children: ["value": placeholder ?? untracked(value)], displayStyle: .class)
    }
}

extension ThrowingComputed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value or the error, computed now if need be, as it would print itself.
    public var description: String {
        result.placeholder
            ?? untracked {
                do { return String(describing: try value) } catch { return "\(error)" }
            }
    }

    /// The value or the error, computed now if need be, and what diagnostics call the computed.
    public var debugDescription: String {
        "ThrowingComputed(\(description), \(NodeName.text(of: result.node.pointee)))"
    }

    /// The value or the error alone, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["value": description], displayStyle: .class) }
}

extension Diagnostics.GraphSnapshot: CustomStringConvertible {
    /// A line for each node: what it is, and what it reads. Takes time in proportion to nodes and edges.
    public var description: String {
        let edges = Dictionary(grouping: edges, by: \.observer)
        let lines = nodes.map { node in
            let sources = edges[node.id, default: []].map { nodes[$0.source].name }
            return "\(node.kind) \(node.name)" + (sources.isEmpty ? "" : " reads \(sources.joined(separator: ", "))")
        }
        return lines.isEmpty ? "no live reactions" : lines.joined(separator: "\n")
    }
}

extension Reaction: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name and state.
    public final var description: String {
        placeholder ?? "Reaction(\(name), ran \(runCount) times\(isCancelled ? ", cancelled" : ""))"
    }

    /// Name, state, and why it ran.
    public final var debugDescription: String {
        placeholder ?? lastCause.map { "\(description) because of \($0)" } ?? description
    }

    /// Name and number of runs, for `dump`.
    public final var customMirror: Mirror {
        Mirror(
            self, children: obstacle == nil ? ["name": name, "runCount": runCount] : ["name": name],
            displayStyle: .class)
    }
}
