import ReactiveCollections

func collectionsOfOneImport() -> [Int] {
    @Observable var limit = 2
    var log: [Int] = []
    let numbers: ObservableArray = [1, 2, 3]
    let small = numbers.live.filter { $0 <= limit }
    let reaction = autorun { log.append(small.count) }
    numbers.append(0)
    limit = 3
    reaction.cancel()
    return log
}
