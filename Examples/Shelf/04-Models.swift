// Models in classes and actors: what they derive and what they do ends with them.
//
//     swift run --package-path Examples Models

import Reactive

final class Order {
    @Observable var price = 5
    @Observable var count = 1

    /// `of: self` keeps the order alive no longer than everybody else does, and there is no `[weak self]` to write.
    private(set) lazy var total = Computed(of: self) { $0.price * $0.count }

    init() {
        autorun(of: self) { print("total:", $0.total.value) }
    }
}

var order: Order? = Order()  // prints "total: 5"
order?.count = 3  // prints "total: 15"
order = nil
print("live reactions:", Diagnostics.liveReactions.count)  // prints "live reactions: 0"

/// An actor follows state that others write. Its reaction runs in its own isolation.
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
