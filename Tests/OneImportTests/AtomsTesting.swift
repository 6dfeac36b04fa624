import ReactiveAtomsTesting

func nodesUnderTestOfOneImport() -> [Int?] {
    @Observable var factor = 2
    let count = atom(1)
    let product = selector { accessor in try accessor.get(count) * factor }
    @RecoilTestScope var recoil
    _recoil.stubState(node: count, value: 5)
    let before = recoil.useValue(product)
    factor = 3
    return [before, recoil.useValue(product)]
}
