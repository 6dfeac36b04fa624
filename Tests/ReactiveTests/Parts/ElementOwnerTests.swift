// What the closure of an element creates belongs to the element, and ends with it.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct ElementOwnerTests {
        private let log = Log()
        private let y = Observable(0)

        /// A view whose elements each have a reaction and a cleanup, or nothing if they are negative.
        private func view(of list: ToyList, reading y: Observable<Int>) -> ToyView {
            ToyView(list) { [log] _, value in
                if value >= 0 {
                    autorun { log("\(value) sees \(y.value)") }
                    onCleanup { log("\(value) ends") }
                }
                return value
            }
        }

        @Test func anElementEndsWithItsRow() {
            let list = ToyList([1, -1, 2])
            let view = view(of: list, reading: y)
            let reader = autorun { _ = view.sum }
            #expect(log.take() == ["1 sees 0", "2 sees 0"])
            list.set(1, to: -2)
            #expect(log.take() == [])
            list.set(0, to: 3)
            #expect(log.take() == ["3 sees 0", "1 ends"])
            list.set(2, to: nil)
            #expect(log.take() == ["2 ends"])
            y.value = 1
            #expect(log.take() == ["3 sees 1"])
            reader.cancel()
        }

        /// Both a reader of the view and the reaction of the element are due; the reader is the older one.
        @Test func aReactionOfAnElementThatIsGoneDoesNotRun() {
            let list = ToyList([1])
            let view = view(of: list, reading: y)
            let reader = autorun { _ = view.sum }
            _ = log.take()
            inTransaction {
                list.set(0, to: nil)
                y.value = 1
            }
            #expect(log.take() == ["1 ends"])
            reader.cancel()
        }

        @Test func elementsEndWithTheirViewAndLeaveTheGraph() {
            weak var gone: IndependentGraph?
            do {
                let graph = IndependentGraph()
                gone = graph
                graph.run {
                    let view = view(of: ToyList([1, 2]), reading: Observable(0))
                    #expect(view.sum == 3)
                    _ = log.take()
                }
                #expect(log.take().sorted() == ["1 ends", "2 ends"])
            }
            #expect(gone == nil)
        }
    }
}
