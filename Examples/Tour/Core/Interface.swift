// Rendering: `ObserverScope`, the basis of user interfaces.
//
// The formatter would spread `reaction { … } onChange: { … }` over five lines; in a tour it reads better on one line.
// swift-format-ignore-file

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
                let job = Progress()
                let scope = ObserverScope { "\(job.done) of \(job.total)" } onRender: { print($0) }  // prints "1 of 3"
                job.done += 1  // prints "2 of 3"
                inTransaction {
                    job.total = 4
                    job.done = 4
                    print("now", scope.output)  // prints "now 4 of 4"
                }  // prints "4 of 4"
                scope.invalidate()  // prints "4 of 4"
                print(scope.renderCount)  // prints "4"
                scope.cancel()
            }
        ])
}
