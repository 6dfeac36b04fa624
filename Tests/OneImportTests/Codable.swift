import ReactiveCodable

private struct Person: Codable {
    @Observable var name = "Ann"
}

func graphOfOneImport() throws -> [String] {
    let person = Person()
    var log: [String] = []
    let reaction = autorun { log.append(person.name) }
    let observation = deepObserve(person) { changes in
        log += (try? changes.jsonPatch().operations.map(\.path.description)) ?? []
    }
    person.name = "Bob"
    let patch: JSONPatch = try JSONPatch(parsing: #"[{"op": "replace", "path": "/name", "value": "Cleo"}]"#)
    try inTransaction { try apply(patch, to: person) }
    reaction.cancel()
    observation.cancel()
    return log
}

/// The error that `load` throws.
func locationOfOneImport(_ error: any Error) -> String? { (error as? LoadingError)?.description }
