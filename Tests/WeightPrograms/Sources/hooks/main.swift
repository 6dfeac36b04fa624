// A component with state and an effect.

import ReactiveHooks

func showCounter() {
    let page = HookRenderer {
        let count = useState(1)
        useEffect(.once) { nil }
        return (text: "\(count.wrappedValue)", add: { count.wrappedValue += 1 })
    }
    page.output.add()
    print(page.output.text)
    page.unmount()
}

showCounter()
