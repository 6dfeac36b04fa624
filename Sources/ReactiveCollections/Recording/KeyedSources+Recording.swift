// Dictionaries for modules that record changes and write them back.

import Reactive

extension RecordableMembers {
    /// Inserts, updates and removes members until the collection has those of a value.
    fileprivate func become(_ new: Recorded) {
        let difference = new.difference(from: value)
        for key in difference.removed { setMember(nil, for: key) }
        for key in difference.inserted + difference.replaced { setMember(new.member(key), for: key) }
    }
}

extension ObservableDictionary: RecordableMembers {
    /// The current entries. Observers depend on the whole dictionary.
    package var value: DictionarySnapshot<Key, Value> {
        get { snapshot }
        set { graphHandle.inTransaction { untracked { become(newValue) } } }
    }

    package func areSame(_ old: DictionarySnapshot<Key, Value>, _ new: DictionarySnapshot<Key, Value>) -> Bool {
        untracked { old.table.isEqual(to: new.table, by: areEqual) }
    }

    package func setMember(_ member: Value?, for key: Key) {
        if let member { updateValue(member, forKey: key) } else { removeValue(forKey: key) }
    }
}

extension ObservableDictionary: CreatableState {
    package var creator: (_ value: DictionarySnapshot<Key, Value>, _ name: StateName) -> ObservableDictionary {
        let areEqual = areEqual
        return { value, name in
            let new = ObservableDictionary(
                table: KeyedTable(Dictionary(value)), areEqual: areEqual, named: nil, fileID: #fileID, line: #line)
            new.take(name)
            return new
        }
    }
}

extension ObservableDictionary: EncodableObservable where Key: Encodable, Value: Encodable {}

// For recorders, a reader of a single key depends on the whole collection.

extension EntryNode: AspectOfState {
    package var recordableState: (any RecordableState)? { collection as? any RecordableState }
}

extension AspectNode: AspectOfState {
    package var recordableState: (any RecordableState)? { collection as? any RecordableState }
}
