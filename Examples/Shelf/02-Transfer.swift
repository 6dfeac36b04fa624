// Several writes as one change: all of them or none.
//
//     swift run --package-path Examples Transfer

import Reactive

struct Overdrawn: Error {}

struct Bank {
    @Observable var checking = 100
    @Observable var savings = 0

    func save(_ amount: Int) throws {
        try inTransaction {
            checking -= amount
            savings += amount
            if checking < 0 { throw Overdrawn() }
        }
    }
}

let bank = Bank()
let report = autorun { print(bank.checking, "and", bank.savings) }  // prints "100 and 0"

// The report runs once for both writes. It never sees money that is in neither account.
try bank.save(30)  // prints "70 and 30"

// A transaction that throws is rolled back: nothing has changed, so the report does not run.
do {
    try bank.save(500)
} catch {
    print(error, bank.checking, bank.savings)  // prints "Overdrawn() 70 30"
}

// Writes that cancel each other out are not a change.
inTransaction {
    bank.checking -= 1
    bank.checking += 1
}
report.cancel()
