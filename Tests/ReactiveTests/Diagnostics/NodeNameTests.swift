// How a header stores its name: in one word if possible, else in an object that it owns or shares.

#if DEBUG
import CReactive
@testable import Reactive
import Testing

extension ReactiveTests {
    @Suite struct NodeNameTests {
        private func header(_ name: String? = nil, fileID: StaticString = #fileID, line: UInt = 12) -> NodeHeader {
            var header = reactive_make_node([], .current, 0)
            NodeName.store(name, fileID: fileID, line: line, in: &header)
            return header
        }

        private func report() -> ObservationReport { ObservationReport(followsOnlyObserved: false) }

        @Test(arguments: [1, 12, 32_767] as [UInt]) func aFileAndALineFitIntoAWord(line: UInt) {
            let header = header(line: line)
            #expect(!header.flags.contains(.named))
            #expect(NodeName.shared(by: header) == nil && NodeName.retainedForEvent(header) == nil)
            #expect(NodeName.text(of: header) == "NodeNameTests.swift:\(line)")
            #expect(NodeName.site(of: header) == "NodeNameTests.swift:\(line)")
            let label = NodeName.label(origin: header.origin, isObject: false)
            #expect(label == ("NodeNameTests.swift:\(line)", "NodeNameTests.swift:\(line)"))
        }

        @Test func aLongLineIsStoredInAnObject() {
            let header = header(line: 32_768)
            #expect(header.flags.contains(.named))
            #expect(NodeName.text(of: header) == "NodeNameTests.swift:32768")
            NodeName.release(header)
        }

        @Test func aFileOfOneCharacterIsStoredInAnObject() {
            let header = header(fileID: ("x" as OneCharacter).text)
            #expect(header.flags.contains(.named))
            #expect(NodeName.text(of: header) == "x:12")
            NodeName.release(header)
        }

        @Test func aGivenNameHasASourceLocationToo() {
            let header = header("given")
            #expect(NodeName.given(to: header) == "given" && NodeName.text(of: header) == "given")
            #expect(NodeName.site(of: header) == "NodeNameTests.swift:12")
            NodeName.release(header)
        }

        @Test func aNameOfTheLibraryIsItsOwnSourceLocation() {
            let name = NodeName.decoded("key")
            #expect(name.name == "key" && name.site == "key")
        }

        @Test func aHeaderOwnsItsName() {
            weak var name: NodeName?
            var other = reactive_make_node([], .current, 0)
            do {
                let header = header("given")
                name = NodeName.shared(by: header)
                NodeName.share(header, with: &other)
                #expect(NodeName.shared(by: other) === name)
                NodeName.release(header)
            }
            #expect(name != nil && NodeName.text(of: other) == "given")
            NodeName.release(other)
            #expect(name == nil)
        }

        @Test func anEventOwnsTheNameThatItHas() throws {
            weak var name: NodeName?
            let header = header("given")
            name = NodeName.shared(by: header)
            let origin = try #require(NodeName.retainedForEvent(header))
            NodeName.release(header)
            #expect(NodeName.label(origin: origin, isObject: true) == ("given", "NodeNameTests.swift:12"))
            NodeName.release(origin: origin)
            #expect(name == nil)
        }

        @Test func theClosuresOfASourceAreNotSharedWithItsName() {
            var header = reactive_make_node([], .current, 0)
            let report = report()
            NodeName.store("sensor", fileID: #fileID, line: 12, observation: report, in: &header)
            #expect(NodeName.observation(of: header) === report)
            let shared = NodeName.shared(by: header)
            #expect(shared?.name == "sensor" && shared?.site == "NodeNameTests.swift:12")
            #expect(shared?.observation == nil)
            NodeName.release(header)
        }

        @Test func aNameThatIsComputedIsStoredForOthers() {
            let number = Numbered(isCounted: false)
            let header = number.node.pointee
            number.number = 2
            #expect(NodeName.given(to: header) == "number 2" && NodeName.site(of: header) == "number 2")
            let shared = NodeName.shared(by: header)
            var other = reactive_make_node([], .current, 0)
            NodeName.share(header, with: &other)
            number.number = 3
            #expect(NodeName.text(of: header) == "number 3")
            #expect(shared?.name == "number 2" && shared?.site == "number 2")
            #expect(!other.flags.contains(.namedBySource))
            #expect(NodeName.text(of: other) == "number 2" && NodeName.site(of: other) == "number 2")
            NodeName.release(other)
        }

        @Test func aLongChainIsPrintedWithoutItsMiddle() {
            func chain(_ count: Int) -> String { abbreviated((1...count).map(String.init)) }
            #expect(chain(3) == "1 → 2 → 3")
            #expect(chain(12) == "1 → 2 → 3 → 4 → 5 → 6 → 7 → 8 → 9 → 10 → 11 → 12")
            #expect(chain(13) == "1 → 2 → 3 → 4 → 5 → … 3 more … → 9 → 10 → 11 → 12 → 13")
        }
    }
}

/// A literal of one character, which the compiler stores without an address.
private struct OneCharacter: ExpressibleByUnicodeScalarLiteral {
    let text: StaticString
    init(unicodeScalarLiteral text: StaticString) { self.text = text }
}

/// A source whose name changes.
private final class Numbered: _StoredSource {
    @exclusivity(unchecked) var number = 1
    override var sourceName: String { "number \(number)" }
}
#endif
