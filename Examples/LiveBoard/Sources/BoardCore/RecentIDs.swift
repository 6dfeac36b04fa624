// Which commands were carried out lately. A page that got no answer sends its command again, and meanwhile somebody else may have changed
// the same thing: what was done once must not be done on top of that.

/// The newest of the identities that were put in.
struct RecentIDs {
    private let limit: Int
    private var ids: Set<ItemID> = []
    /// A ring, of which `next` is the oldest once it is full.
    private var order: [ItemID] = []
    private var next = 0

    /// - Parameter limit: How many are kept.
    init(limit: Int) { self.limit = limit }

    func contains(_ id: ItemID) -> Bool { ids.contains(id) }

    mutating func insert(_ id: ItemID) {
        guard ids.insert(id).inserted else { return }
        if order.count < limit { return order.append(id) }
        ids.remove(order[next])
        order[next] = id
        next = (next + 1) % limit
    }
}
