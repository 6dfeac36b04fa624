// Lifetimes: how reactions end, what they own, and clean-ups.

import Reactive

extension Chapter {
    static let lifetimes = Chapter(
        "Lifetimes",
        [
            Sample("A reaction goes on until it is cancelled") {
                let count = Observable(0)
                let observer = autorun { print("count:", count.value) }  // prints "count: 0"
                observer.cancel()
                count.value = 1
                print(observer.isCancelled, observer.runCount)  // prints "true 1"
            },
            Sample("Tied to an owner") {
                struct AppState { @Observable var title = "Inbox" }
                final class Screen {
                    private var bag: Set<AnyCancellable> = []
                    init(state: AppState) {
                        autorun { print(state.title) }.store(in: &bag)  // ends with the screen
                    }
                }
                let state = AppState()
                var screen: Screen? = Screen(state: state)
                print(screen != nil)  // prints "Inbox", "true"
                screen = nil
                state.title = "Drafts"
            },
            Sample("Made in a run of another, it belongs to that run") {
                let isOpen = Observable(true)
                let count = Observable(0)
                let owner = autorun {
                    if isOpen.value { autorun { print("count:", count.value) } }
                }  // prints "count: 0"
                count.value = 1  // prints "count: 1"
                isOpen.value = false
                count.value = 2
                owner.cancel()
            },
            Sample("Unless it is detached") {
                let count = Observable(0)
                var inner: Reaction?
                let owner = autorun {
                    inner = detached { autorun { print("count:", count.value) } }
                }  // prints "count: 0"
                owner.cancel()
                count.value = 1  // prints "count: 1"
                inner?.cancel()
            },
            Sample("Cleaning up before the next run, and at the end") {
                let channel = Observable("news")
                let observer = autorun {
                    let name = channel.value
                    print("open", name)
                    onCleanup { print("close", name) }
                }  // prints "open news"
                channel.value = "music"  // prints "close news", "open music"
                observer.cancel()  // prints "close music"
            },
        ])
}
