// A component on a loop, while other threads change its state.

import Foundation
import ProgramSupport
import Reactive
import ReactiveHooks
import TerminalHost
import Testing

@Suite(.alone) struct StageTests {
    @Test func aKeySeesTheChangesOfTheKeyBefore() {
        let news = Observable(0)
        let show = Show {
            let count = useState(0)
            let shown = count.wrappedValue
            return text("\(shown) \(news.value)").onKey { _ in
                count.wrappedValue = shown + 1
                return true
            }
        }
        let (press, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            for _ in 0..<3000 {
                press.wait()
                for _ in 0..<10 { news.value += 1 }
            }
            end.signal()
        }
        for _ in 0..<3000 {
            press.signal()
            show.type("+")
        }
        end.wait()
        #expect(show.text.hasPrefix("3000 "))
    }
}
