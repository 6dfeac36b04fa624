import Reactive
import Testing

@Test func autorunFollowsWhatItReads() {
    let a = Observable(1)
    let double = Computed { a.value * 2 }
    var log: [Int] = []
    let r = autorun { log.append(double.value) }
    a.value = 2
    a.value += 1
    #expect(log == [2, 4, 6])
    r.cancel()
}
