import ReactiveAtomsHooksTesting

func hooksUnderTestOfOneImport() -> [Int] {
    @Observable var factor = 2
    let count = atom(1)
    @RecoilTestScope var recoil
    let tester = HookTester(scope: _recoil) { useRecoilValue(count) * factor }
    recoil.store.set(count, 5)
    factor = 3
    tester.dispose()
    return tester.valueHistory
}
