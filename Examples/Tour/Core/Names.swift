// The two spellings for files in which Apple's `@Observable` macro takes the bare name.

import Observation
import Reactive

extension Chapter {
    static let names = Chapter(
        "Next to Observation and SwiftUI",
        [
            Sample("Two names that nothing else claims") {
                struct Settings {
                    @Observed var volume = 5
                    @Reactive.Observable var isMuted = false
                }
                let settings = Settings()
                let observer = autorun { print(settings.isMuted ? 0 : settings.volume) }  // prints "5"
                settings.isMuted = true  // prints "0"
                observer.cancel()
            }
        ])
}
