// The common part of the pictures of a snapshot: nodes with unique names, in order, and edges between their numbers.

/// The contents of a picture of a snapshot.
struct NodePicture {
    struct Node {
        let name: String
        let isAtom: Bool
        /// The numbers of the nodes that this one reads, in ascending order.
        let sources: [Int]
    }

    /// The nodes; the number of each is its index.
    let nodes: [Node]

    /// - Parameters:
    ///   - snapshot: The snapshot.
    ///   - isSortedByName: Whether the nodes are in the order of their names.
    ///   - encode: Encodes a name for the language of the picture.
    init(of snapshot: RecoilSnapshot, isSortedByName: Bool, _ encode: (String) -> String) {
        let captured = snapshot.nodes
        let names = Self.uniqueNames(of: captured).map(encode)
        let order = isSortedByName ? Self.order(of: names) : Array(captured.indices)
        var numbers: [NodeKey: Int] = [:]
        for (number, index) in order.enumerated() { numbers[captured[index].key] = number }
        nodes = order.map { index in
            let sources = captured[index].sources.compactMap { numbers[$0] }.sorted()
            return Node(name: names[index], isAtom: captured[index].isAtom, sources: sources)
        }
    }

    /// Returns a unique name for each node: of several nodes with one name, all but the first get a number.
    private static func uniqueNames(of nodes: [RecoilSnapshot.Node]) -> [String] {
        var names = nodes.map(\.key.name)
        var (last, count): (String?, Int) = (nil, 0)
        // No name contains the separator, so nodes with one name are neighbours.
        for index in order(of: nodes.map { "\($0.key.name)\0\($0.key.position)" }) {
            count = names[index] == last ? count + 1 : 1
            last = names[index]
            if count > 1 { names[index] += " #\(count)" }
        }
        return names
    }

    /// The indices of texts, in the order of the texts.
    @inline(never)
    private static func order(of texts: [String]) -> [Int] {
        texts.indices.sorted { texts[$0] < texts[$1] }
    }
}

extension NodeKey {
    /// The source location of the node, which orders nodes with one name.
    fileprivate var position: String {
        guard let location else { return "" }
        return "\(location.fileID) \(location.line + 1_000_000) \(location.column + 1_000_000)"
    }
}
