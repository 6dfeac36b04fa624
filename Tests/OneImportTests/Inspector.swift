import ReactiveInspector

func pageOfOneImport() -> String {
    let count = Observable(1, named: "count")
    let reaction = autorun { _ = count.value }
    defer { reaction.cancel() }
    return Diagnostics.graph().html
}
