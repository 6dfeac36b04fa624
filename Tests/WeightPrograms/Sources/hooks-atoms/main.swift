// A component that uses atoms.

import ReactiveAtomsHooks

let counter = atom(1)
let doubled = selector { accessor in try accessor.get(counter) * 2 }

func showCounter() {
    let store = RecoilStore()
    let page = HookRenderer {
        recoilRoot(store) {
            let count = useRecoilState(counter)
            let double = useRecoilValue(doubled)
            let isShown = useState(true)
            useEffect(.once) { nil }
            return (
                text: "\(count.wrappedValue) \(double) \(isShown.wrappedValue)", add: { count.wrappedValue += 1 }
            )
        }
    }
    page.output.add()
    store.set(counter, 5)
    print(page.output.text)
    page.unmount()
}

showCounter()
