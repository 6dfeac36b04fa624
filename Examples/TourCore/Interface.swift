// Rendering: `ObserverScope`, what a user interface is made of.

import Reactive

extension Chapter {
    static let interface = Chapter(
        "Rendering",
        [
            Sample("A render closure that runs again, once per transaction") {
                struct Progress {
                    @Observable var done = 1
                    @Observable var total = 3
                }
                let state = Progress()
                let scope = ObserverScope { "\(state.done) of \(state.total)" } onRender: { print($0) }  // prints "1 of 3"
                state.done += 1  // prints "2 of 3"
                inTransaction {
                    state.total = 4
                    state.done = 4
                    print("now", scope.output)  // prints "now 4 of 4"
                }  // prints "4 of 4"
                scope.invalidate()  // prints "4 of 4"
                print(scope.renderCount)  // prints "4"
                scope.cancel()
            }
        ])
}
