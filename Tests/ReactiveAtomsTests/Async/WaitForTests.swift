// Waiting for several nodes.

import Reactive
import Testing

@testable import ReactiveAtoms
import TestSupport

@Suite(.ownGraph, .timeLimit) struct WaitForTests {
    let store = RecoilStore()
    let first = Loads<Int>()
    let second = Loads<Int>()

    private var nodes: [AsyncSelector<Int>] {
        let (first, second) = (first, second)
        return [selector { _ in try await first() }, selector { _ in try await second() }]
    }

    @Test func noWaitReturnsThePhaseOfANode() async throws {
        let node = nodes[0]
        let text = selector { accessor in
            let loadable = try accessor.get(noWait(node))
            return loadable.isLoading ? "loading" : loadable.hasError ? "failed" : "\(loadable.data ?? 0)"
        }
        #expect(try store.value(text) == "loading")
        try await first.waitForStart()
        first.finish(0, 5)
        _ = try await store.get(node)
        #expect(try store.value(text) == "5")
        store.refresh(node)
        #expect(try store.value(text) == "loading")
        try await first.waitForStart(2)
        first.finish(1, .failure(Refused.once))
        _ = try? await store.get(node)
        #expect(try store.value(text) == "failed")
    }

    @Test func aLoadableOfNoWaitDoesNotChange() async throws {
        let node = nodes[0]
        let then = try store.value(noWait(node))
        try await first.waitForStart()
        first.finish(0, 5)
        _ = try await store.get(node)
        #expect(then.isLoading)
        #expect(try store.value(noWait(node)).data == 5)
    }

    @Test func waitForAllStartsAllAndYieldsValuesInOrder() async throws {
        let nodes = nodes
        async let values = store.get(waitForAll(nodes))
        try await first.waitForStart()
        try await second.waitForStart()
        second.finish(0, 2)
        await letOthersRun()
        first.finish(0, 1)
        #expect(try await values == [1, 2])
    }

    @Test func waitForAllFailsAsSoonAsOneFails() async throws {
        let nodes = nodes
        let values = Task { try await store.get(waitForAll(nodes)) }
        try await first.waitForStart()
        try await second.waitForStart()
        second.finish(0, .failure(Refused.code(2)))
        await #expect(throws: Refused.code(2)) { try await values.value }
        first.finish(0, 1)
    }

    @Test func waitForAllTakesSyncNodesNoNodesAndNames() async throws {
        let (a, b) = (atom(1), atom(2))
        #expect(try await store.get(waitForAll([a, b])) == [1, 2])
        #expect(try await store.get(waitForAll([Atom<Int>]())) == [])
        #expect(try await store.get(waitForAll(["a": a, "b": b])) == ["a": 1, "b": 2])
        store.set(b, 20)
        #expect(try await store.get(waitForAll(["a": a, "b": b])) == ["a": 1, "b": 20])
    }

    @Test func waitForAllTakesNodesOfSeveralTypes() async throws {
        let node = nodes[0]
        let (name, flag) = (atom("x"), atom(true))
        let all = selector { accessor in
            let (number, text, isOn) = try await accessor.get(waitForAll(node, name, flag))
            return "\(number) \(text) \(isOn)"
        }
        async let text = store.get(all)
        try await first.waitForStart()
        first.finish(0, 5)
        #expect(try await text == "5 x true")
        store.set(name, "y")
        #expect(try await store.get(all) == "5 y true")
        #expect(try await store.get(waitForAll(name, flag)) == ("y", true))
    }

    @Test func waitForAllFollowsItsNodes() async throws {
        let nodes = nodes
        let sum = selector { accessor in try await accessor.get(waitForAll(nodes)).reduce(0, +) }
        async let value = store.get(sum)
        try await first.waitForStart()
        try await second.waitForStart()
        first.finish(0, 1)
        second.finish(0, 2)
        #expect(try await value == 3)
        store.refresh(nodes[1])
        #expect(store.loadable(sum).isLoading)
        try await second.waitForStart(2)
        second.finish(1, 20)
        #expect(try await store.get(sum) == 21)
        #expect(first.started == 1)
    }

    @Test func waitForAnyYieldsTheFirstValue() async throws {
        let nodes = nodes
        async let loadables = store.get(waitForAny(nodes))
        try await first.waitForStart()
        try await second.waitForStart()
        second.finish(0, 2)
        let found = try await loadables
        #expect(found.map(\.data) == [nil, 2])
        #expect(found.map(\.isLoading) == [true, false])
        first.finish(0, 1)
        _ = try await store.get(nodes[0])
        let both = try await store.get(waitForAny(nodes))
        #expect(both.map(\.data) == [1, 2])
    }

    @Test func waitForAnyCountsAnError() async throws {
        let nodes = nodes
        async let loadables = store.get(waitForAny(nodes))
        try await first.waitForStart()
        try await second.waitForStart()
        second.finish(0, .failure(Refused.once))
        #expect(try await loadables.map(\.hasError) == [false, true])
        first.finish(0, 1)
    }

    @Test func waitForNoneYieldsImmediatelyAndFollows() async throws {
        let nodes = nodes
        #expect(try store.value(waitForNone(nodes)).map(\.isLoading) == [true, true])
        try await first.waitForStart()
        try await second.waitForStart()
        first.finish(0, 1)
        _ = try await store.get(nodes[0])
        #expect(try store.value(waitForNone(nodes)).map(\.data) == [1, nil])
        second.finish(0, 2)
    }

    @Test func waitForAllSettledYieldsValuesAndErrors() async throws {
        let nodes = nodes
        async let loadables = store.get(waitForAllSettled(nodes))
        try await first.waitForStart()
        try await second.waitForStart()
        first.finish(0, .failure(Refused.code(1)))
        await letOthersRun()
        #expect(store.value(waitForAllSettled(nodes)) == nil)
        second.finish(0, 2)
        let found = try await loadables
        #expect(found.map(\.data) == [nil, 2])
        #expect(found[0].containError(of: Refused.code(1)))
    }

    @Test func nodesOfSeveralTypesLoadInParallel() async throws {
        let nodes = nodes
        let name = selector { _ in "Ann" }
        let all = selector { accessor in
            let (a, b, name, c, d) = try await accessor.get(waitForAll(nodes[0], nodes[1], name, atom(3), atom(4.5)))
            return "\(a) \(b) \(name) \(c) \(d)"
        }
        async let text = store.get(all)
        // Both have started before any has ended.
        try await first.waitForStart()
        try await second.waitForStart()
        second.finish(0, 2)
        await letOthersRun()
        #expect(store.value(all) == nil)
        first.finish(0, 1)
        #expect(try await text == "1 2 Ann 3 4.5")
        store.refresh(nodes[1])
        #expect(store.loadable(all).isLoading)
        try await second.waitForStart(2)
        second.finish(1, 20)
        #expect(try await store.get(all) == "1 20 Ann 3 4.5")
        #expect(first.started == 1)
    }

    @Test func nodesOfSeveralTypesFailAsSoonAsOneFails() async throws {
        let nodes = nodes
        let values = Task { try await store.get(waitForAll(atom("x"), nodes[0], atom(true), nodes[1])) }
        try await first.waitForStart()
        try await second.waitForStart()
        second.finish(0, .failure(Refused.code(2)))
        await #expect(throws: Refused.code(2)) { _ = try await values.value }
        first.finish(0, 1)
    }

    @Test func loadablesOfNodesOfSeveralTypes() async throws {
        let nodes = nodes
        let name = atom("Ann")
        let none = try store.value(waitForNone(nodes[0], name))
        #expect(none.0.isLoading && none.1.data == "Ann")
        let any = try await store.get(waitForAny(nodes[0], name, nodes[1]))
        #expect(any.0.isLoading && any.1.data == "Ann" && any.2.isLoading)
        async let settled = store.get(waitForAllSettled(nodes[0], name, nodes[1]))
        try await first.waitForStart()
        try await second.waitForStart()
        first.finish(0, .failure(Refused.once))
        await letOthersRun()
        #expect(store.value(waitForAllSettled(nodes[0], name, nodes[1])) == nil)
        second.finish(0, 2)
        let found = try await settled
        #expect(found.0.containError(of: Refused.once) && found.1.data == "Ann" && found.2.data == 2)
        #expect(first.started == 1 && second.started == 1)
    }

    @Test func loadablesByName() async throws {
        let nodes = nodes
        let named = ["a": nodes[0], "b": nodes[1]]
        #expect(try store.value(waitForNone(named)).mapValues(\.isLoading) == ["a": true, "b": true])
        async let any = store.get(waitForAny(named))
        try await first.waitForStart()
        try await second.waitForStart()
        second.finish(0, 2)
        #expect(try await any.mapValues(\.data) == ["a": nil, "b": 2])
        first.finish(0, .failure(Refused.once))
        let settled = try await store.get(waitForAllSettled(named))
        #expect(settled.mapValues(\.hasError) == ["a": true, "b": false])
        #expect(waitForAny(named) == waitForAny(["b": nodes[1], "a": nodes[0]]))
        #expect(waitForAny(named) != waitForAny(["b": nodes[0], "a": nodes[1]]))
    }

    @Test func waitingForTheSameNodesIsTheSameNode() {
        let nodes = nodes
        #expect(waitForAll(nodes) == waitForAll(nodes))
        #expect(waitForAny(nodes).key != waitForAllSettled(nodes).key)
        #expect(waitForAll(nodes) != waitForAll(nodes.reversed()))
        #expect(noWait(nodes[0]) == noWait(nodes[0]))
        #expect(waitForAll(nodes[0], atom("x")) != waitForAll(nodes[1], atom("x")))
        let name = atom("x")
        #expect(waitForAll(nodes[0], name, name) == waitForAll(nodes[0], name, name))
    }
}
