// The network as state: letters wait until there is a connection.
//
//     swift run --package-path Examples Reachability

import Reactive

/// A stand-in for a system monitor such as `NWPathMonitor`: after its start, it calls a handler.
@MainActor final class PathMonitor {
    var onUpdate: ((Bool) -> Void)?
    private(set) var isRunning = false

    func start() {
        print("monitor starts")
        isRunning = true
    }

    func cancel() {
        print("monitor ends")
        isRunning = false
    }

    func report(_ isConnected: Bool) { if isRunning { onUpdate?(isConnected) } }
}

/// Whether there is a connection. The monitor runs only while this is observed.
@MainActor final class Reachability {
    let isOnline: Observable<Bool>

    init(_ monitor: PathMonitor) {
        isOnline = Observable(
            false, named: "isOnline", onObserved: { monitor.start() }, onUnobserved: { monitor.cancel() })
        monitor.onUpdate = { [weak isOnline] in isOnline?.value = $0 }
    }
}

let monitor = PathMonitor()
let network = Reachability(monitor)
let letters = Observable<[String]>([])

let sending = autorun {
    guard network.isOnline.value else { return print("waiting:", letters.value.count) }
    for letter in letters.value { print("sent:", letter) }
    letters.value = []
}
// prints:
// waiting: 0
// monitor starts
letters.value.append("Dear Ann")  // prints "waiting: 1"
letters.value.append("Dear Bob")  // prints "waiting: 2"
monitor.report(true)
// prints:
// sent: Dear Ann
// sent: Dear Bob
letters.value.append("Dear Cid")  // prints "sent: Dear Cid"
monitor.report(false)  // prints "waiting: 0"
sending.cancel()  // prints "monitor ends"
