import ReactiveCollectionsHooks

private struct Name: Identifiable {
    let id: String
}

func renderedListOfOneImport() -> [[String]] {
    @Observable var mark = "-"
    var log: [[String]] = []
    let names: ObservableArray = [Name(id: "a")]
    let lines = names.rendered { name in "\(mark) \(name.id)" }
    let reaction = autorun { log.append(lines.elements) }
    names.append(Name(id: "b"))
    reaction.cancel()
    return log
}
