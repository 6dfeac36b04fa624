import ReactiveHooks
import Testing
@Test func smoke() {
    var log: [String] = []
    let renderer = HookRenderer {
        let count = useState(0)
        useEffect(.preserved(by: count.wrappedValue)) {
            log.append("effect \(count.wrappedValue)")
            return { log.append("undo") }
        }
        log.append("render \(count.wrappedValue)")
        return count
    } onRender: { log.append("out \($0.wrappedValue)") }
    renderer.output.wrappedValue += 1
    renderer.unmount()
    #expect(log == ["render 0", "out 0", "effect 0", "render 1", "out 1", "undo", "effect 1", "undo"])
}
