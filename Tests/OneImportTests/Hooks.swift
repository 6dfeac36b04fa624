import ReactiveHooks

func hooksOfOneImport() -> [String] {
    @Observable var unit = "cm"
    var log: [String] = []
    let renderer = HookRenderer {
        let length = useState(1)
        return (text: "\(length.wrappedValue) \(unit)", grow: { length.wrappedValue += 1 })
    } onRender: {
        log.append($0.text)
    }
    renderer.output.grow()
    unit = "m"
    renderer.unmount()
    return log
}
