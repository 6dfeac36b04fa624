// A full-screen program that fails on demand, for the tests of the terminal's state afterwards.

import Foundation
import ReactiveHooks
import TerminalHost

@main
enum TerminalVictim {
    static func main() throws {
        let ending = try FullScreen.run {
            let timers = useScreen().timers
            let isHanging = useState(false)
            useEffect(.preserved(by: isHanging.wrappedValue)) {
                guard isHanging.wrappedValue else { return nil }
                // Once it is on the screen.
                let timer = timers.every(0.001) { while true {} }
                return { timer.cancel() }
            }
            let hangsAtTheEnd = useState(false)
            useEffect(.preserved(by: hangsAtTheEnd.wrappedValue)) {
                guard hangsAtTheEnd.wrappedValue else { return nil }
                return {
                    FileHandle.standardOutput.write(Data("cleaning up".utf8))
                    while true {}
                }
            }
            if hangsAtTheEnd.wrappedValue { return text("will hang") }
            return text(isHanging.wrappedValue ? "hanging" : "ready").onKey { key in
                switch key {
                case .character("f"): fatalError("It fails on demand.")
                case .character("o"): print(overflow(1))
                case .character("h"): isHanging.wrappedValue = true
                case .character("c"): hangsAtTheEnd.wrappedValue = true
                default: return false
                }
                return true
            }
        }
        ending.exitProcess()
    }

    /// Recurses endlessly.
    private static func overflow(_ depth: Int) -> Int { depth == 0 ? 0 : overflow(depth + 1) &+ depth }
}
