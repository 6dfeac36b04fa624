// Collections that contain one another, far deeper than the stack is.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private final class Folder {
    let files: ObservableArray<Folder>
    init(_ files: [Folder]) { self.files = ObservableArray(files) }
}

private final class Scope {
    let names: ObservableDictionary<String, Scope>
    init(_ outer: Scope?) { names = outer.map { ["outer": $0] } ?? [:] }
}

private final class Room {
    let next: ObservableDictionary<Int, Room>
    init(_ next: Room?) { self.next = next.map { [1: $0] } ?? [:] }
}

private final class Member: Hashable {
    let friends: ObservableSet<Member>
    init(_ friend: Member?) { friends = friend.map { [$0] } ?? [] }
    static func == (a: Member, b: Member) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

#if DEBUG
private let veryDeep = 20_000
#else
private let veryDeep = 100_000
#endif

private func folders(_ depth: Int) -> Folder {
    var folder = Folder([])
    for _ in 0..<depth { folder = Folder([folder]) }
    return folder
}

private func scopes(_ depth: Int) -> Scope {
    var scope = Scope(nil)
    for _ in 0..<depth { scope = Scope(scope) }
    return scope
}

extension ReactiveCollectionsTests {
    @Suite struct DeepFreeingTests {
        private static let stack = 512 << 10

        @Test func nestedArrays() {
            onOtherThread(stackSize: Self.stack) {
                weak var last: Folder?
                do {
                    let end = Folder([])
                    last = end
                    var folder = end
                    for _ in 0..<10_000 { folder = Folder([folder]) }
                }
                #expect(last == nil)
            }
        }

        @Test func chainsOfDictionaries() {
            onOtherThread(stackSize: Self.stack) {
                weak var last: Scope?
                do {
                    let end = Scope(nil)
                    last = end
                    var scope = end
                    for _ in 0..<veryDeep { scope = Scope(scope) }
                }
                #expect(last == nil)
            }
        }

        @Test func chainsOfDictionariesWithPlainKeys() {
            onOtherThread(stackSize: Self.stack) {
                weak var last: Room?
                do {
                    let end = Room(nil)
                    last = end
                    var room = end
                    for _ in 0..<10_000 { room = Room(room) }
                }
                #expect(last == nil)
            }
        }

        @Test func chainsOfSets() {
            onOtherThread(stackSize: Self.stack) {
                weak var last: Member?
                do {
                    let end = Member(nil)
                    last = end
                    var member = end
                    for _ in 0..<10_000 { member = Member(member) }
                }
                #expect(last == nil)
            }
        }

        @Test func elementsOfACollection() {
            onOtherThread(stackSize: Self.stack) {
                let array = ObservableArray([folders(10_000), folders(10_000), folders(10_000)])
                array[0] = Folder([])
                array.removeLast()
                try? inTransaction {
                    array.append(folders(10_000))
                    throw CancellationError()
                }
                inTransaction { array.removeAll() }
                let dictionary = ObservableDictionary(uniqueKeysWithValues: [(1, scopes(10_000)), (2, scopes(10_000))])
                dictionary[1] = Scope(nil)
                dictionary.removeAll()
                #expect(array.isEmpty && dictionary.isEmpty)
            }
        }

        @Test func snapshotsAndViews() {
            onOtherThread(stackSize: Self.stack) {
                do {
                    let snapshot = ObservableArray([folders(10_000)]).snapshot
                    let entries = ObservableDictionary(uniqueKeysWithValues: [(1, scopes(10_000))]).snapshot
                    #expect(snapshot.count == 1 && entries.count == 1)
                }
                do {
                    let array = ObservableArray([folders(10_000)])
                    let view = array.live.map { $0.files }
                    #expect(view.elements.count == 1)
                    array.removeAll()
                    #expect(view.isEmpty)
                }
            }
        }
    }
}
