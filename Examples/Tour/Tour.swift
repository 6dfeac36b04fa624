import Reactive

@main
struct Tour {
    static func main() {
        struct Counter { @Observable var count = 0 }
        let counter = Counter()
        let double = Computed { counter.count * 2 }
        autorun { print("count:", counter.count, "double:", double.value) }
        counter.count += 1
        inTransaction {
            counter.count = 5; counter.count += 1
        }
    }
}
