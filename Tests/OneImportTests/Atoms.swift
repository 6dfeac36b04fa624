import ReactiveAtoms

func atomsOfOneImport() -> [Int] {
    @Observable var factor = 2
    var log: [Int] = []
    let count = atom(1)
    let store = RecoilStore()
    let reaction = autorun { log.append(store.getUnsafe(count) * factor) }
    inTransaction {
        store.set(count, 5)
        factor = 3
    }
    reaction.cancel()
    return log
}

/// The error that `persist` reports.
func locationOfOneImport(_ error: LoadingError) -> String { error.description }
