// The live reactions of a graph: a registry, in no order, which keeps each until it is cancelled.

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Adds a new reaction, which gets the next number in the order of creation.
    func register(_ reaction: ObserverPointer) {
        _ = reaction.asNode.object.retain()
        pointee.reactions_created += 1
        reaction.pointee.node.creation_number = pointee.reactions_created
        reaction.pointee.node.registry_index = UInt32(pointee.reactions.count)
        pointee.reactions.push(reaction)
    }

    /// Removes a reaction. The caller takes over the registry's reference.
    func unregister(_ reaction: ObserverPointer) {
        let last = pointee.reactions.pop(ObserverPointer.self)
        let index = reaction.pointee.node.registry_index
        pointee.reactions.elements(of: ObserverPointer.self)[Int(index)] = last
        last.pointee.node.registry_index = index
        // No test sees this: it only saves a call when the reaction is freed.
        reaction.pointee.node.registry_index = 0
    }

    /// The live reactions, the oldest first. Under the lock.
    func reactionsInOrder() -> [ObserverPointer] {
        guard pointee.reactions.count > 0 else { return [] }
        let reactions = pointee.reactions.elements(of: ObserverPointer.self)
        return UnsafeBufferPointer(start: reactions, count: pointee.reactions.count)
            // No test sees this boundary: no two numbers are equal.
            .sorted { $0.pointee.node.creation_number < $1.pointee.node.creation_number }
    }
}
