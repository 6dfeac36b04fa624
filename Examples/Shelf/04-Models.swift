// Models in classes and actors: their computeds and reactions end with them.
//
//     swift run --package-path Examples Models

import Reactive

final class Order {
    @Observable var price = 5
    @Observable var count = 1

    /// With `of: self`, the computed does not keep the order alive. No `[weak self]` is necessary.
    private(set) lazy var total = Computed(of: self) { $0.price * $0.count }

    init() {
        autorun(of: self) { print("total:", $0.total.value) }
    }
}

var order: Order? = Order()  // prints "total: 5"
order?.count = 3  // prints "total: 15"
order = nil
print("live reactions:", Diagnostics.liveReactions.count)  // prints "live reactions: 0"

/// An actor that observes external state. Its reaction runs on the actor.
actor Inbox {
    private var count = 0

    func follow(_ messages: Observable<[String]>) {
        autorun(of: self) { $0.count = messages.value.count }
    }

    func send(_ text: String, to messages: Observable<[String]>) {
        messages.value.append(text)
        print("messages:", count)
    }
}

let messages = Observable(["hello"])
let inbox = Inbox()
await inbox.follow(messages)
await inbox.send("how are you?", to: messages)  // prints "messages: 2"
