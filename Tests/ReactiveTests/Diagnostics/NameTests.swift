// The names of nodes. Printing a node changes nothing.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct NameTests {
        private struct Settings {
            @Observable(named: "volume") var volume = 5
            @Observable var brightness = 7
            static let line: Int = #line - 1

            var volumeDebugDescription: String { _volume.debugDescription }
            var brightnessDebugDescription: String { _brightness.debugDescription }
        }

        @Test func reactionsAreNamedByTheGivenNameOrFileAndLine() {
            let named = autorun(named: "saver") {}
            let unnamed = autorun {}
            let line = #line - 1
            let follower = reaction({ 1 }, { _ in })
            let waiting = when({ false }, {})
            #expect(named.name == "saver")
            #expect(unnamed.name == "NameTests.swift:\(line)")
            #expect(follower.name == "NameTests.swift:\(line + 2)")
            #expect(waiting.name == "NameTests.swift:\(line + 3)")
            [named, unnamed, follower, waiting].forEach { $0.cancel() }
            #expect(named.name == "saver")
            #expect(unnamed.name == "NameTests.swift:\(line)")
        }

        @Test func valuesAreNamedByTheGivenNameOrFileAndLine() {
            let line = #line + 1
            let x = Observable(1)
            let c = Computed { x.value }
            let t = ThrowingComputed { x.value }
            #expect(x.debugDescription == "Observable(1, NameTests.swift:\(line))")
            #expect(c.debugDescription == "Computed(1, NameTests.swift:\(line + 1))")
            #expect(t.debugDescription == "ThrowingComputed(1, NameTests.swift:\(line + 2))")
            #expect(Observable("a", named: "letter").debugDescription == #"Observable("a", letter)"#)
            #expect(Computed(named: "double") { 2 }.debugDescription == "Computed(2, double)")
            #expect(computed(named: "triple") { 3 }.debugDescription == "Computed(3, triple)")
        }

        @Test func wrappedPropertiesAreNamedByTheirDeclaration() {
            let settings = Settings()
            #expect(settings.volumeDebugDescription == "Observable(5, volume)")
            #expect(settings.brightnessDebugDescription == "Observable(7, NameTests.swift:\(Settings.line))")
        }

        @Test func thingsPrintAsTheirValues() {
            struct Failure: Error, CustomStringConvertible { var description: String { "no luck" } }
            let x = Observable("a")
            #expect("\(x)" == "a")
            #expect("\(Observable<Int?>(nil))" == "nil")
            #expect("\(Computed { x.value + "b" })" == "ab")
            #expect("\(ThrowingComputed { x.value })" == "a")
            #expect("\(ThrowingComputed { () throws -> Int in throw Failure() })" == "no luck")
        }

        @Test func reactionsPrintTheirNameStateAndCause() {
            let x = Observable(0, named: "x")
            let r = autorun(named: "r") { _ = x.value }
            #expect("\(r)" == "Reaction(r, ran 1 times)")
            x.value = 1
            #expect(r.debugDescription == "Reaction(r, ran 2 times) because of x")
            r.cancel()
            #expect("\(r)" == "Reaction(r, ran 2 times, cancelled)")
            let scope = ObserverScope(named: "s") { x.value }
            #expect("\(scope)" == "ObserverScope(s, rendered 1 times)")
        }

        @Test func aDumpOfAReactionHasItsNumberOfRuns() {
            let r = autorun(named: "r") {}
            var dumped = ""
            dump(r, to: &dumped)
            #expect(dumped.contains("runCount: 1"))
            r.cancel()
        }

        @Test func printingSubscribesNobody() {
            let x = Observable(0)
            let c = Computed { x.value + 1 }
            let t = ThrowingComputed { x.value + 2 }
            let settings = Settings()
            var texts: [String] = []
            let r = autorun {
                texts.append("\(x) \(c) \(t) \(settings)")
                texts.append(String(reflecting: x) + String(reflecting: c) + String(reflecting: t))
                var dumped = ""
                dump(x, to: &dumped)
                dump(c, to: &dumped)
                dump(t, to: &dumped)
                dump(settings, to: &dumped)
                texts.append(dumped)
                texts.append("\(Mirror(reflecting: x).children.map { $0.value })")
            }
            x.value = 1
            settings.volume = 6
            settings.brightness = 8
            #expect(r.runCount == 1)
            #expect(texts.count == 4)
            r.cancel()
        }

        @Test func printingAReactionInARunSubscribesNobody() {
            let x = Observable(0)
            let watched = autorun { _ = x.value }
            let r = autorun { _ = "\(watched) \(watched.debugDescription)" }
            x.value = 1
            #expect(r.runCount == 1)
            r.cancel()
            watched.cancel()
        }
    }
}
