// Reactions: `autorun`, `reaction`, `when` and `untracked`.
//
// The formatter would spread `reaction { … } onChange: { … }` over five lines; in a tour it reads better on one line.
// swift-format-ignore-file

import Reactive

extension Chapter {
    static let reactions = Chapter(
        "Reactions",
        [
            Sample("autorun: now, and after each change") {
                let count = Observable(0)
                let observer = autorun { print("count:", count.value) }  // prints "count: 0"
                count.value = 1  // prints "count: 1"
                observer.cancel()
            },
            Sample("autorun: only of what the last run read") {
                let name = Observable("Ann")
                let nickname = Observable("Annie")
                let isFormal = Observable(true)
                let observer = autorun { print(isFormal.value ? name.value : nickname.value) }  // prints "Ann"
                nickname.value = "Nan"
                isFormal.value = false  // prints "Nan"
                name.value = "Anna"
                nickname.value = "Annie"  // prints "Annie"
                observer.cancel()
            },
            Sample("reaction: track one closure, act in another") {
                struct State { @Observable var greeting = "" }
                let state = State()
                let observer = reaction { state.greeting } onChange: { print($0) }
                state.greeting = "hello"  // prints "hello"
                observer.cancel()
            },
            Sample("reaction: with the new value, with both, with neither") {
                struct State { @Observable var greeting = "hello" }
                let state = State()
                let shout = reaction { state.greeting } onChange: { print($0.uppercased()) }
                let compare = reaction { state.greeting } onChange: { print($1, "became", $0) }
                let notice = reaction { state.greeting } onChange: { print("changed") }
                state.greeting = "goodbye"  // prints "GOODBYE", "hello became goodbye", "changed"
                for reaction in [shout, compare, notice] { reaction.cancel() }
            },
            Sample("reaction: also for the first value, and also for an equal one") {
                struct State { @Observable(equals: .never) var score = 1 }
                let state = State()
                let first = reaction(fireImmediately: true) { state.score } onChange: { print("now", $0) }
                // prints:
                // now 1
                let every = reaction(equals: .never) { state.score } onChange: { print("every", $0) }
                state.score = 1  // prints "every 1"
                state.score = 2  // prints "now 2", "every 2"
                first.cancel()
                every.cancel()
            },
            Sample("when: once, as soon as a condition holds") {
                struct Job { @Observable var progress = 0 }
                let job = Job()
                when { job.progress == 100 } effect: { print("done") }
                job.progress = 50
                job.progress = 100  // prints "done"
                job.progress = 0
                job.progress = 100
            },
            Sample("when, armed again by its effect: nothing is left of those that have fired") {
                let score = Observable(0)
                func arm() {
                    let last = score.value
                    when { score.value > last } effect: {
                        print("best:", score.value)
                        if score.value < 5 { arm() }
                    }
                }
                arm()
                score.value = 3  // prints "best: 3"
                score.value = 2
                score.value = 5  // prints "best: 5"
            },
            Sample("untracked: read without subscribing") {
                let name = Observable("Ann")
                let visits = Observable(1)
                let observer = autorun { print(name.value, untracked { visits.value }) }  // prints "Ann 1"
                visits.value = 2
                name.value = "Bob"  // prints "Bob 2"
                observer.cancel()
            },
            Sample("A run that changes what it read runs again, until it settles") {
                let age = Observable(-3)
                let observer = autorun {
                    print(age.value)
                    if age.value < 0 { age.value = 0 }
                }  // prints "-3", "0"
                observer.cancel()
            },
            Sample("A body that throws stays subscribed") {
                struct Negative: Error {}
                let number = Observable(4)
                let observer = autorun(onError: { print("error:", $0) }) {
                    if number.value < 0 { throw Negative() }
                    print("fine:", number.value)
                }  // prints "fine: 4"
                number.value = -1  // prints "error: Negative()"
                number.value = 9  // prints "fine: 9"
                observer.cancel()
            },
        ])
}
