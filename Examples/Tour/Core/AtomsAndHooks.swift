// The module ReactiveAtomsHooks: atoms in bodies with hooks.
//
// The formatter would spread `HookRenderer { … } onRender: { … }` over five lines; in a tour it reads better on one
// line.
// swift-format-ignore-file

import ReactiveAtomsHooks
import ReactiveAtomsHooksTesting
import ReactiveAtomsTesting

extension Chapter {
    static let atomsAndHooks = Chapter(
        "Atoms and hooks",
        [
            Sample("A component that uses atoms") {
                func show(_ text: String) { print(text) }

                let counter = atom(1)
                let doubled = selector { accessor in try accessor.get(counter) * 2 }

                let store = RecoilStore()
                let page = HookRenderer {
                    recoilRoot(store) {
                        let count = useRecoilState(counter)
                        let double = useRecoilValue(doubled)
                        return (text: "\(count.wrappedValue) \(double)", add: { count.wrappedValue += 1 })
                    }
                } onRender: { show($0.text) }  // prints "1 2"
                page.output.add()  // prints "2 4"
                store.set(counter, 5)  // prints "5 10"
                page.unmount()
            },
            Sample("A render is tracked: a store can be read directly") {
                let count = atom(1)
                let store = RecoilStore()
                let page = HookRenderer {
                    hookScope { "count: \(store.getUnsafe(count))" }
                } onRender: { print($0) }  // prints "count: 1"
                store.set(count, 2)  // prints "count: 2"
                page.unmount()
            },
            Sample("The nearest store wins") {
                let count = atom(1)
                let store = RecoilStore()
                let page = HookRenderer {
                    recoilRoot(store) { "count: \(useRecoilValue(count))" }
                }
                print(page.output)  // prints "count: 1"
                page.unmount()

                let pages = HookRenderer {
                    recoilRoot(store) {
                        let inside = recoilRoot { accessor in accessor.set(count, 7) } _: { useRecoilValue(count) }
                        return [useRecoilValue(count), inside]
                    }
                }
                print(pages.output)
                // prints:
                // [1, 7]
                pages.unmount()
            },
            Sample("Writing without reading, and callbacks") {
                let prices = atom([5])
                @RecoilTestScope var recoil
                let tester = HookTester(scope: _recoil) {
                    let add = useRecoilCallback { (context, price: Int) in
                        context.update(prices) { $0.append(price) }
                    }
                    let set = useSetRecoilState(prices)
                    let reset = useResetRecoilState(prices)
                    return (add: add, set: set, reset: reset)
                }
                tester.value.add(10)
                print(recoil.useValue(prices) ?? [])
                // prints:
                // [5, 10]
                tester.value.set([])
                tester.value.reset()
                print(recoil.useValue(prices) ?? [], tester.valueHistory.count)
                // prints:
                // [5] 1
                tester.dispose()
            },
            Sample(awaiting: "Loadables and errors") { @MainActor in
                struct NoPrice: Error {}
                let allBooks = selector { @MainActor _ in await Task.yield(); return ["Emma", "Ulysses"] }
                let price = atom(0)
                let checked = selector { accessor in
                    let price = try accessor.get(price)
                    if price == 0 { throw NoPrice() }
                    return price
                }
                @RecoilTestScope var recoil
                let tester = HookTester(scope: _recoil) {
                    let books = useRecoilValueLoadable(allBooks)
                    if books.isLoading { return "loading" }
                    if let error = books.errors.first { return "failed: \(error)" }
                    return "\(books.data?.count ?? 0) books"
                }
                print(tester.value, "-", await tester.value { $0 != "loading" })  // prints "loading - 2 books"
                tester.dispose()
                let prices = HookTester(scope: _recoil) {
                    let refresh = useRecoilRefresher(checked)
                    do {
                        return ("\(try useRecoilThrowingValue(checked)) euros", refresh)
                    } catch {
                        return ("\(error)", refresh)
                    }
                }
                recoil.store.set(price, 5)
                print(prices.valueHistory.map(\.0))
                // prints:
                // ["NoPrice()", "5 euros"]
                prices.dispose()
            },
            Sample("Testing a hook that uses atoms") {
                let count = atom(1)
                @RecoilTestScope var recoil
                let tester = HookTester(scope: _recoil) { useRecoilState(count) }
                tester.value.wrappedValue = 5
                print(recoil.useValue(count) ?? 0)  // prints "5"
                tester.dispose()
            },
        ])
}
