// Transactions: several writes as one change, rolled back if the body throws.

import Reactive

private struct Refused: Error {}

extension Chapter {
    static let transactions = Chapter(
        "Transactions",
        [
            Sample("Several writes, one run") {
                struct Account { @Observable var balance = 100 }
                let account = Account()
                let savings = Account()
                let sum = Computed { account.balance + savings.balance }
                let observer = autorun { print(account.balance, savings.balance) }  // prints "100 100"
                inTransaction {
                    account.balance -= 20
                    savings.balance += 20
                    print("sum:", sum.value)  // prints "sum: 200"
                }  // prints "80 120"
                observer.cancel()
            },
            Sample("A value put back wakes nobody") {
                let count = Observable(0)
                let observer = autorun { print("count:", count.value) }  // prints "count: 0"
                inTransaction {
                    count.value = 1
                    count.value = 0
                }
                print(observer.runCount)  // prints "1"
                observer.cancel()
            },
            Sample("An error takes every write back") {
                let stock = Observable(3)
                let orders = Observable<[String]>([])
                do {
                    try inTransaction {
                        orders.value.append("book")
                        stock.value -= 5
                        if stock.value < 0 { throw Refused() }
                    }
                } catch {
                    print(error, stock.value, orders.value)  // prints "Refused() 3 []"
                }
            },
            Sample("A nested body takes back its own writes only") {
                let log = Observable<[String]>([])
                inTransaction {
                    log.value.append("outer")
                    do {
                        try inTransaction {
                            log.value.append("inner")
                            throw Refused()
                        }
                    } catch {
                        log.value.append("went on")
                    }
                }
                print(log.value.joined(separator: ", "))  // prints "outer, went on"
            },
            Sample("Unless it is told to keep them") {
                let log = Observable<[String]>([])
                func attempt() throws { throw Refused() }
                do {
                    try inTransaction(onError: .commit) {
                        log.value.append("trying")
                        try attempt()  // "trying" stays in the log
                    }
                } catch {
                    print(error, log.value.joined())  // prints "Refused() trying"
                }
            },
        ])
}
