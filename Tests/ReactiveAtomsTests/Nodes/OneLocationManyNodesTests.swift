// One source location that is used for different nodes: nodes of instances, and reports of misuse.

import Foundation
import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

private func doubled(_ n: Int) -> Selector<Int> { selector { _ in n * 2 } }
private func counter(_ n: Int) -> Atom<Int> { atom(n) }
private func greeting(_ name: String) -> Selector<String> { selector { _ in "hello \(name)" } }
private func loaded(_ n: Int) -> AsyncSelector<Int> { selector { _ async in n } }
private func started(_ n: Int) -> Atom<Int> { atom { n } }
private func halved(_ n: Int) -> MutableSelector<Int> { selector(get: { _ in n / 2 }, set: { _, _ in }) }
private func scaled(_ n: Int) -> SelectorFamily<Int, Int> { selectorFamily { parameter, _ in parameter * n } }

private final class Item {
    let price: Int
    init(_ price: Int) { self.price = price }
    var total: Selector<Int> { selector { [self] _ in price * 2 } }
    var label: Selector<String> { selector { [weak self] _ in "\(self?.price ?? 0)" } }
}

private func discounted(_ item: Item) -> Selector<Int> { selector { _ in item.price / 2 } }

private struct Row {
    struct Style { let size: Int }
    let id: Int
    var style = Style(size: 1)
    var title: Selector<String> { selector { _ in "row \(id)" } }
    var look: Selector<Int> { selector { [style] _ in style.size } }
}

private protocol Named {}
extension Named {
    static var name: Selector<String> { selector { _ in "\(Self.self)" } }
}
private enum User: Named {}
private enum Post: Named {}

private struct Box<Content> {
    static var size: Selector<Int> { selector { _ in MemoryLayout<Content>.size } }
}

/// Correct: each of these properties returns one node.
private final class Service: Sendable {
    static let shared = Service()
    let start = 7
}

private enum Correct: Named {
    static let service = Service()
    static var plain: Selector<Int> { selector { _ in 1 } }
    static var viaStatic: Selector<Int> { selector { [service] _ in service.start } }
    static var viaType: Selector<String> { selector { _ in "\(Self.self)" } }
    static var viaMetatype: Selector<String> {
        let type: Any.Type = Self.self
        return selector { _ in "\(type)" }
    }
    static var viaFormatter: Selector<String> {
        let formatter = NumberFormatter()
        formatter.minimumFractionDigits = 2
        return selector { _ in formatter.string(from: 5) ?? "" }
    }
    static var viaArray: Selector<Int> {
        let numbers = (1...100).map { $0 }
        return selector { _ in numbers.count }
    }
    static var viaText: Selector<String> {
        let text = "a text that is too long for a small string, number \(service.start)"
        return selector { _ in text }
    }
    static var viaRow: Selector<Int> {
        let row = Row(id: 3)
        return selector { _ in row.style.size }
    }
    static var viaClosure: Selector<Int> {
        let numbers = [1, 2]
        let count = { numbers.count }
        return selector { _ in count() }
    }
    static var viaWeak: Selector<Int> { selector { [weak service] _ in service?.start ?? 0 } }
    static var viaUnowned: Selector<Int> { selector { [unowned service] _ in service.start } }
    static var viaTuple: Selector<Int> {
        let pair = (service, 5, Double.nan)
        return selector { _ in pair.1 }
    }
    static var identifier: Atom<UUID> { atom(UUID()) }
    static var began: Atom<Date> { atom { Date() } }
    static var items: Atom<[Int]> { atom([]) }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    static var ID: Atom<Int> { atom(5) }
    static var later: AsyncSelector<Int> { selector { [service] _ async in service.start } }
    static var squares: SelectorFamily<Int, Int> { selectorFamily { number, _ in number * number } }
    static var started: SelectorFamily<Int, Int> { selectorFamily { [service] number, _ in number + service.start } }
    static var cubes: SelectorFamily<Int, Int> {
        selectorFamily { [squares, started] number, accessor in
            try accessor.get(squares(number)) * number + accessor.get(started(0))
        }
    }
    static var viaNodes: Selector<Int> {
        selector { [items, started] accessor in try accessor.get(items).count + accessor.get(started(1)) }
    }
    static func made() -> Selector<Int> {
        let helper = Service()
        return selector { _ in helper.start }
    }
}

@Suite(.ownGraph, .timeLimit) struct OneLocationManyNodesTests {
    let store = RecoilStore()

    /// Uses two nodes of one location, the second one twice, and returns the reported issues.
    private func report<Node: RecoilNode>(_ a: () -> Node, _ b: () -> Node) -> [Diagnostics.Issue] {
        issues {
            _ = store.getOrNil(a())
            _ = store.getOrNil(b())
            _ = store.getOrNil(b())
        }
    }

    // MARK: - Reported uses

    @Test func aFunctionThatIsCalledForDifferentParametersIsReportedOnce() {
        let reported = issues {
            #expect(store.getOrNil(doubled(1)) == 2)
            #expect(store.getOrNil(doubled(5)) == 2)
            #expect(store.getOrNil(doubled(6)) == 2)
        }
        #expect(reported.count == 1)
        #expect(reported.first?.kind == .misuse)
        #expect(reported.first?.message.contains("OneLocationManyNodesTests.swift:10") == true)
        #expect(reported.first?.message.contains("Use `selectorFamily { parameter, accessor in … }`") == true)
    }

    // Optimised code shows less of its captures; see DefinitionCheck.swift.
    #if DEBUG
    @Test func allKindsOfNodesAreCompared() {
        #expect(report({ counter(1) }, { counter(2) }).count == 1)
        #expect(report({ greeting("Ann") }, { greeting("Bob, whose name takes more than a few bytes") }).count == 1)
        #expect(report({ loaded(1) }, { loaded(2) }).count == 1)
        #expect(report({ started(1) }, { started(2) }).count == 1)
        #expect(report({ halved(2) }, { halved(4) }).count == 1)
        #expect(report({ scaled(2)(1) }, { scaled(3)(1) }).count == 1)
        #expect(report({ Row(id: 1).title }, { Row(id: 2).title }).count == 1)
        #expect(report({ Row(id: 1).look }, { Row(id: 1, style: .init(size: 2)).look }).count == 1)
    }

    @Test func genericArgumentsThatTheClosureUsesAreCompared() {
        #expect(report({ User.name }, { Post.name }).count == 1)
        #expect(report({ Box<Int>.size }, { Box<UInt8>.size }).count == 1)
    }

    @Test func aParameterMayBeAnObject() {
        let (a, b) = (Item(1), Item(2))
        #expect(report({ discounted(a) }, { discounted(b) }).count == 1)
    }

    @Test func anObjectThatIsCapturedAgainBelongsToADifferentNode() {
        let (a, b) = (Item(1), Item(2))
        let once = issues { _ = (store.getOrNil(a.total), store.getOrNil(b.total)) }
        #expect(once.isEmpty)
        let twice = issues { _ = store.getOrNil(b.total) }
        #expect(twice.count == 1)
    }
    #endif

    @Test func equalParametersAreOneNode() {
        let text = "a name that takes more than a few bytes, "
        #expect(report({ doubled(4) }, { doubled(4) }).isEmpty)
        #expect(report({ greeting(text + "1") }, { greeting(text + "1") }).isEmpty)
        #expect(report({ counter(3) }, { counter(3) }).isEmpty)
    }

    @Test func eachStoreHasItsOwnDefinition() throws {
        let reported = try issues { () throws in
            #expect(try RecoilStore().value(doubled(1)) == 2)
            #expect(try RecoilStore().value(doubled(5)) == 10)
        }
        #expect(reported.isEmpty)
    }

    @Test func anOverriddenNodeIsNotCompared() throws {
        store.override(doubled(1), value: 100)
        #expect(report({ doubled(1) }, { doubled(5) }).isEmpty)
        #expect(try store.value(doubled(5)) == 100)
    }

    // MARK: - Uses that are not reported

    @Test func propertiesThatReturnOneNodeAreNotReported() async throws {
        let reported = try issues { () throws in
            for _ in 0..<3 {
                #expect(try store.value(Correct.plain) == 1)
                #expect(try store.value(Correct.viaStatic) == 7)
                #expect(try store.value(Correct.viaType) == "\(Correct.self)")
                #expect(try store.value(Correct.viaMetatype) == "Correct")
                #expect(try store.value(Correct.viaFormatter).hasPrefix("5"))
                #expect(try store.value(Correct.viaArray) == 100)
                #expect(try store.value(Correct.viaText).hasSuffix("7"))
                #expect(try store.value(Correct.viaRow) == 1)
                #expect(try store.value(Correct.viaClosure) == 2)
                #expect(try store.value(Correct.viaWeak) == 7)
                #expect(try store.value(Correct.viaUnowned) == 7)
                #expect(try store.value(Correct.viaTuple) == 5)
                #expect(try store.value(Correct.name) == "\(Correct.self)")
                #expect(try store.value(Correct.began) == store.value(Correct.began))
                #expect(try store.value(Correct.identifier) == store.value(Correct.identifier))
                #expect(try store.value(Correct.squares(4)) == 16)
                #expect(try store.value(Correct.cubes(2)) == 15)
                #expect(try store.value(Correct.viaNodes) >= 8)
                #expect(try store.value(Correct.made()) == 7)
                _ = store.getOrNil(Correct.later)
                store.update(Correct.items) { $0.append(1) }
                store.set(Correct.ID, 6)
                #expect(try store.value(Correct.ID) == 6)
            }
            #expect(try store.value(Correct.items) == [1, 1, 1])
        }
        #expect(reported.isEmpty, "\(reported)")
    }

    @Test func capturesThatCannotBeCopiedAreNotCompared() throws {
        struct Handle: ~Copyable { let number: Int }
        func held(_ number: Int) -> Selector<Int> {
            let handle = Handle(number: number)
            return selector { _ in handle.number }
        }
        #expect(try store.value(held(1)) == 1)
        #expect(try store.value(held(2)) == 1)
    }
}

// MARK: - Instances

private final class Form {
    let text = atom("")
    let rows = atomFamily { (id: Int) in "row \(id)" }
    let length: Selector<Int>
    let pair = (1...2).map { atom($0) }

    init() {
        let text = text
        length = selector { accessor in try accessor.get(text).count }
    }
}

private struct Settings { let size = atom(12) }

private final class Page {
    let title = selector { _ async in "title" }
    let body = atom { await Task { "body" }.value }
}

private actor Session { nonisolated let messages = atom([String]()) }

private final class Watched {
    let node: Atom<Int>
    init(_ log: Log) {
        node = atom(1, effects: [AtomEffect { _ in return { log("cleaned up") } }])
    }
}

@Suite(.ownGraph, .timeLimit) struct NodesOfInstancesTests {
    let store = RecoilStore()

    @Test func aStoredPropertyCreatesANodeForEachInstance() throws {
        let (a, b) = (Form(), Form())
        store.set(a.text, "hello")
        #expect(try store.value(a.text) == "hello" && store.value(b.text) == "")
        #expect(try store.value(a.length) == 5 && store.value(b.length) == 0)
        store.set(a.rows(1), "changed")
        #expect(try store.value(a.rows(1)) == "changed" && store.value(b.rows(1)) == "row 1")
        #expect(try a.pair.map { try store.value($0) } == [1, 2])
        let (big, small) = (Settings(), Settings())
        store.set(big.size, 20)
        #expect(try store.value(big.size) == 20 && store.value(small.size) == 12)
        let (here, there) = (Session(), Session())
        store.set(here.messages, ["hi"])
        #expect(try store.value(there.messages) == [])
    }

    @Test func theStoreReleasesTheNodesOfAFreedInstance() throws {
        let other = RecoilStore()
        do {
            let form = Form()
            store.set(form.text, "hello")
            other.set(form.text, "there")
            for id in 0..<5 { store.set(form.rows(id), "x") }
            #expect(store.instanceCount == 6 && other.instanceCount == 1)
        }
        #expect(store.instanceCount == 0 && other.instanceCount == 0)
    }

    @Test func asyncNodesEndWithTheInstance() async throws {
        do {
            let page = Page()
            #expect(try await store.get(page.title) == "title")
            #expect(try await store.get(page.body) == "body")
            #expect(store.instanceCount == 2)
        }
        // The tasks have kept copies of the nodes.
        await eventually { store.instanceCount == 0 }
    }

    @Test func membersOfFamiliesEndWithTheInstance() {
        for seed in seeds(20) { changeMembers(in: RecoilStore(), seed: seed) }
    }

    private func changeMembers(in store: RecoilStore, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var forms = [Form(), Form(), Form()]
        var expected: [Set<Int>] = [[], [], []]
        for _ in 0..<500 {
            let (form, id) = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<8, using: &random))
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                forms[form] = Form()
                expected[form] = []
            case 1..<8:
                store.release(forms[form].rows(id))
                expected[form].remove(id)
            default:
                store.set(forms[form].rows(id), "changed")
                expected[form].insert(id)
            }
            #expect(store.instanceCount == expected.reduce(0) { $0 + $1.count }, "seed \(seed)")
        }
        forms = []
        #expect(store.instanceCount == 0, "seed \(seed)")
    }

    @Test func effectsEndWithTheInstance() throws {
        let log = Log()
        do {
            let watched = Watched(log)
            _ = try store.value(watched.node)
            #expect(log.take().isEmpty)
        }
        #expect(log.take() == ["cleaned up"])
    }

    @Test func theLastCopyMayBeReleasedInATransaction() throws {
        var form: Form? = Form()
        store.set(try #require(form).text, "hello")
        inTransaction {
            form = nil
            #expect(store.instanceCount == 1)
        }
        #expect(store.instanceCount == 0)
    }

    @Test func anOverrideOrASnapshotDoesNotKeepTheNode() throws {
        var form: Form? = Form()
        store.override(try #require(form).text, value: "stub")
        #expect(try store.value(try #require(form).text) == "stub")
        let snapshot = store.snapshot()
        form = nil
        #expect(store.instanceCount == 0)
        store.restore(snapshot)
    }

    @Test func manyInstancesDoNotCollide() throws {
        // In one bucket, they would take minutes.
        let forms = (0..<20_000).map { _ in Settings() }
        for (number, form) in forms.enumerated() { store.set(form.size, number) }
        #expect(try store.value(forms[777].size) == 777)
        #expect(store.instanceCount == forms.count)
    }
}
