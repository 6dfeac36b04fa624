import ReactiveAtomsHooks

func atomsWithHooksOfOneImport() -> [String] {
    @Observable var unit = "cm"
    var log: [String] = []
    let length = atom(1)
    let store = RecoilStore()
    let renderer = HookRenderer {
        recoilRoot(store) { "\(useRecoilValue(length)) \(unit)" }
    } onRender: {
        log.append($0)
    }
    store.set(length, 5)
    unit = "m"
    renderer.unmount()
    return log
}
