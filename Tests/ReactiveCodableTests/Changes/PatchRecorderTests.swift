// The patch recorder: a copy of the JSON that applies its patches stays equal to the root, whoever writes.

import Foundation
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct PatchRecorderTests {
        struct List: Codable, Sendable {
            @Observable var title = ""
            @Observable var items: [String] = []
        }

        /// The JSON of a root, kept up to date by a recorder.
        final class Copy {
            let root: List
            var json: JSONValue
            private(set) var reported: [JSONPatch] = []
            private(set) var errors: [any Error] = []
            private(set) var recorder: PatchRecorder<List>?

            init(of root: List) throws {
                self.root = root
                json = try JSONValue(encoding: root)
                recorder = PatchRecorder(root) { [unowned self] change in
                    do {
                        let patch = try change.get()
                        reported.append(patch)
                        json = try patch.applying(to: json)
                    } catch {
                        errors.append(error)
                    }
                }
            }

            @discardableResult
            func exchange(_ makePatch: (JSONValue) throws -> JSONPatch?) throws -> JSONPatch? {
                guard let recorder else { return nil }
                return try recorder.withLock {
                    let written = try recorder.exchange { try makePatch(json) }
                    if let written { json = try written.applying(to: json) }
                    return written
                }
            }

            func release() { recorder = nil }
        }

        @Test func aPatchThatTheDocumentDoesNotShowChangesNothing() throws {
            struct Clamped: Codable, Sendable {
                var value: Int
                init(_ value: Int) { self.value = value }
                init(from decoder: any Decoder) throws { value = min(10, try Int(from: decoder)) }
                func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
            }
            struct Volume: Codable, Sendable { @Observable var level = Clamped(10) }
            let volume = Volume()
            let recorder = PatchRecorder(volume) { _ in Issue.record("nothing has changed") }
            let patch = try JSONPatch(parsing: #"[{"op":"replace","path":"/level","value":20}]"#)
            #expect(try recorder.exchange { patch } == nil)
        }

        /// Code that merges patches must know which members have changed, also if a patch with the dictionary is smaller.
        @Test func theChangedMembersOfADictionaryAreNamed() throws {
            struct Votes: Codable, Sendable {
                @Observable var counts: [String: Int] = [:]
            }
            let votes = Votes()
            var patches: [JSONPatch] = []
            let recorder = PatchRecorder(votes) { if let patch = try? $0.get() { patches.append(patch) } }
            votes.counts = ["a": 1, "b": 2, "c": 3]
            votes.counts = ["d": 4, "e": 5, "f": 6]
            votes.counts = [:]
            recorder.end()
            let paths = patches.map { $0.operations.map { $0.path.description }.sorted() }
            #expect(
                paths == [
                    ["/counts/a", "/counts/b", "/counts/c"],
                    ["/counts/a", "/counts/b", "/counts/c", "/counts/d", "/counts/e", "/counts/f"], ["/counts"],
                ])
            var json: JSONValue = ["counts": [:]]
            for patch in patches { json = try patch.applying(to: json) }
            #expect(json == ["counts": [:]])
        }

        @Test func reportsEachTransaction() throws {
            let list = List()
            let copy = try Copy(of: list)
            list.title = "Shopping"
            inTransaction {
                list.items = ["Milk"]
                list.title = "Food"
            }
            list.title = "Food"
            #expect(
                copy.reported.map(\.description) == [
                    #"[{"op":"replace","path":"/title","value":"Shopping"}]"#,
                    #"[{"op":"add","path":"/items/0","value":"Milk"},{"op":"replace","path":"/title","value":"Food"}]"#,
                ])
            try #expect(copy.json == JSONValue(encoding: list))
        }

        @Test func anExchangeIsReturnedAndItsAnswerReported() throws {
            let list = List()
            let copy = try Copy(of: list)
            var runs: [Int] = []
            let answer = reaction {
                list.items.count
            } onChange: { count in
                runs.append(count)
                list.title = "\(count) items"
            }
            defer { answer.cancel() }
            let patch = try JSONPatch(
                parsing: #"[{"op":"add","path":"/items/0","value":"a"},{"op":"add","path":"/items/1","value":"b"}]"#)
            let written = try copy.exchange { _ in patch }
            #expect(written == patch)
            #expect(runs == [2])
            #expect(copy.reported.map(\.description) == [#"[{"op":"replace","path":"/title","value":"2 items"}]"#])
            try #expect(copy.json == JSONValue(encoding: list))
            #expect(try copy.exchange { _ in nil } == nil)
            // Equal values are not written.
            let same = try JSONPatch(parsing: #"[{"op":"replace","path":"/title","value":"2 items"}]"#)
            #expect(try copy.exchange { _ in same } == nil)
        }

        @Test func aPatchThatIsAppliedIsNotReported() throws {
            let list = List()
            let copy = try Copy(of: list)
            let patch = try JSONPatch(parsing: #"[{"op":"replace","path":"/items","value":["a","b"]}]"#)
            try copy.recorder?.write { patch }
            #expect(list.items == ["a", "b"])
            #expect(copy.reported.isEmpty)
            copy.json = try JSONValue(encoding: list)
            list.items.removeFirst()
            #expect(copy.reported.map(\.description) == [#"[{"op":"remove","path":"/items/0"}]"#])
            try #expect(copy.json == JSONValue(encoding: list))
            #expect(throws: JSONPatchError.self) { try inTransaction { try copy.recorder?.write { patch } } }
        }

        @Test func aPatchThatDoesNotFitChangesNothing() throws {
            let list = List()
            let copy = try Copy(of: list)
            let patch = try JSONPatch(
                parsing: #"[{"op":"replace","path":"/title","value":"x"},{"op":"remove","path":"/items/3"}]"#)
            #expect(throws: JSONPatchError.self) { try copy.exchange { _ in patch } }
            #expect(list.title == "")
            list.title = "y"
            try #expect(copy.json == JSONValue(encoding: list))
        }

        @Test func anExchangeInsideATransactionIsRefused() throws {
            let list = List()
            let copy = try Copy(of: list)
            func isRefused(_ word: String, _ body: () throws -> Void) {
                let error = #expect(throws: JSONPatchError.self, performing: body)
                #expect(error?.reason.contains(word) == true)
            }
            isRefused("can be rolled back") { try inTransaction { _ = try copy.exchange { _ in [] } } }
            let history = History(list)
            isRefused("can be rolled back") { try history.untracked { _ = try copy.exchange { _ in [] } } }
        }

        @Test func anExchangeInsideATransactionOfADifferentGraphIsRefused() throws {
            let list = List()
            let copy = try Copy(of: list)
            IndependentGraph(named: "other").run {
                inTransaction {
                    for exchange in [{ _ = try copy.recorder?.exchange { [] } }, { try copy.recorder?.write { [] } }] {
                        let error = #expect(throws: JSONPatchError.self, performing: exchange)
                        #expect(error?.reason.contains("a transaction of a different graph") == true)
                    }
                }
            }
        }

        @Test func anExchangeKnowsTheChangesOfItsTransaction() throws {
            let list = List()
            let copy = try Copy(of: list)
            try inTransaction(onError: .commit) {
                list.title = "a"
                try copy.exchange { json in
                    #expect(json == ["title": "a", "items": []])
                    return nil
                }
                list.title = "b"
                copy.recorder?.end()
                #expect(copy.json == ["title": "b", "items": []])
            }
        }

        @Test func anExchangeNamesTheMembersThatItHasChanged() throws {
            struct Votes: Codable {
                struct Voter: Codable { var name: String }
                @Observable var counts = ["a": 1, "b": 2, "c": 3]
                @Observable var voter = Voter(name: "Ann")
            }
            let recorder = PatchRecorder(Votes()) { _ in }
            let counts: JSONValue = ["d": 4, "e": 5, "f": 6]
            let replaced = try recorder.exchange {
                JSONPatch([.replace(path: try JSONPointer("/counts"), value: counts)])
            }
            #expect(
                replaced?.operations.map(\.path.description).sorted()
                    == ["a", "b", "c", "d", "e", "f"].map { "/counts/\($0)" })
            // The value cannot be compared, and is written.
            let same = try recorder.exchange {
                JSONPatch([.replace(path: try JSONPointer("/voter"), value: ["name": "Ann"])])
            }
            #expect(same == nil)
        }

        @Test func anExchangeInsideATransactionThatCannotThrowIsWritten() throws {
            let list = List()
            let copy = try Copy(of: list)
            let patch = try JSONPatch(parsing: #"[{"op": "replace", "path": "/title", "value": "a"}]"#)
            inTransaction { _ = try? copy.exchange { _ in patch } }
            #expect(list.title == "a")
        }

        @Test func stopsWhenItEndsOrIsReleased() throws {
            let list = List()
            let copy = try Copy(of: list)
            copy.recorder?.end()
            list.title = "a"
            #expect(copy.reported.isEmpty)
            let second = try Copy(of: list)
            second.release()
            list.title = "b"
            #expect(second.reported.isEmpty)
        }

        @Test func aReleasedRecorderReleasesItsRoot() {
            final class Page: Codable { @Observable var title = "" }
            weak var root: Page?
            do {
                let page = Page()
                root = page
                let recorder = PatchRecorder(page) { _ in }
                page.title = "a"
                _ = recorder
            }
            #expect(root == nil)
        }

        @Test func anExchangeIsAtomicWhileThreadsWrite() throws {
            let list = List()
            let copy = try Copy(of: list)
            let box = Unchecked(copy)
            onThreads(4) { thread in
                for number in 0..<50 {
                    if thread == 0 {
                        // An index that is valid in the copy is valid in the root.
                        _ = try? box.value.exchange { json in
                            guard case .array(let items)? = json["items"] else { return nil }
                            let path = JSONPointer(tokens: ["items", String(items.count / 2)])
                            return JSONPatch([.add(path: path, value: .string("exchanged \(number)"))])
                        }
                    } else if number % 3 == 0 {
                        inTransaction { if !list.items.isEmpty { list.items.removeFirst() } }
                    } else {
                        inTransaction { list.items.insert("\(thread) \(number)", at: 0) }
                    }
                }
            }
            #expect(copy.errors.isEmpty)
            #expect(list.items.contains { $0.hasPrefix("exchanged") })
            try #expect(copy.json == JSONValue(encoding: list))
        }
    }
}
