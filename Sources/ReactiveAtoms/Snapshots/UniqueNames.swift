// Names for the nodes of a picture.

extension RecoilSnapshot {
    /// A name for each node that no other has: of several nodes with one name, all but the first get a number.
    var uniqueNames: [NodeKey: String] {
        var names: [NodeKey: String] = [:]
        for (name, nodes) in Dictionary(grouping: nodes, by: \.key.name) {
            let inOrder = nodes.sorted { $0.key.position < $1.key.position }
            for (index, node) in inOrder.enumerated() {
                names[node.key] = index == 0 ? name : "\(name) #\(index + 1)"
            }
        }
        return names
    }
}

extension NodeKey {
    /// Where it stands, to order nodes of one name by.
    fileprivate var position: String {
        guard let place else { return "" }
        let line = String(place.line + 1_000_000)
        return "\(place.fileID) \(line) \(place.column + 1_000_000)"
    }
}
