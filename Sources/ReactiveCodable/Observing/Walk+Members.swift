// The walk through a dictionary with string or integer keys, value by value: only values that are new since the last
// walk are encoded.
//
// As for arrays (Walk+Elements.swift), the last dictionary is kept, and values are compared by their bits
// (MemberComparison.swift). If the last dictionary is not known, all values are new.

import Reactive

extension Walk {
    /// Encodes the values of a dictionary that were not in it at the last walk.
    ///
    /// - Complexity: O(*n*) comparisons of bits, and the encoding of the new values.
    func encodeMembers<D: MemberDictionary>(_ dictionary: D, last: Any?) {
        let info = observer.types.info(of: D.Member.self)
        guard let region = cell.region as? MembersRegion, let last = last as? D else {
            // No test sees this left out: a cell that keeps a region of members also keeps its last dictionary.
            dropRegion()
            let region = MembersRegion(of: cell)
            cell.region = region
            dictionary.forEachMember { key, value in
                region.set(encodePart(value, info, .member(key.memberName)), named: key.memberName)
            }
            return
        }
        let difference = dictionary.exactDifference(from: last)
        // No test sees this left out: without a difference, the values are compared.
        observer.note(difference: difference, of: cell)
        // Before anything is encoded: a link from newly encoded values replaces an invalid one.
        for key in difference.removed + difference.replaced {
            region.removeMember(named: key.memberName)?.invalidate(&observer.orphans)
        }
        for key in difference.inserted + difference.replaced {
            guard let value = dictionary.member(key) else { continue }
            region.set(encodePart(value, info, .member(key.memberName)), named: key.memberName)
        }
    }
}
