// Untrusted patches: values that are too deep or too large are refused quickly, and nothing changes.

import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct ApplyLimitsTests {
        struct Folder: Codable {
            var folders: [Folder] = []
            var byName: [String: Folder] = [:]
        }

        final class Drive: Codable {
            @Observable var name = "disk"
            @Observable var root = Folder()
            @Observable var json: JSONValue = ["a": []]
            @Observable var tags: [String] = ["x"]
        }

        private func nested(_ depth: Int) -> JSONValue {
            var value: JSONValue = ["folders": [], "byName": [:]]
            for _ in 1..<depth { value = ["folders": [value], "byName": [:]] }
            return value
        }

        /// Applies a patch that must fail, and returns the reason.
        private func reason(
            of patch: JSONPatch, limits: JSONLimits = .default, index: Int,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> String {
            let drive = Drive()
            let before = try JSONValue(encoding: drive)
            var runs = 0
            let observer = deepObserve(drive) { runs += 1 }
            defer { observer.cancel() }
            let error = #expect(throws: JSONPatchError.self, sourceLocation: sourceLocation) {
                try apply(patch, to: drive, limits: limits)
            }
            #expect(error?.index == index, sourceLocation: sourceLocation)
            #expect(try JSONValue(encoding: drive) == before, sourceLocation: sourceLocation)
            #expect(runs == 0, sourceLocation: sourceLocation)
            return error?.reason ?? ""
        }

        @Test(arguments: [4_000, 100_000])
        func deepValuesAreRefused(_ depth: Int) throws {
            let rename = JSONPatch.Operation.replace(path: JSONPointer(tokens: ["name"]), value: "x")
            let patch: JSONPatch = [rename, .replace(path: JSONPointer(tokens: ["root"]), value: nested(depth))]
            #expect(try reason(of: patch, index: 1).contains("512 levels"))
        }

        @Test func theStackDoesNotOverflowWhateverTheLimitsAre() {
            let patch: JSONPatch = [.replace(path: JSONPointer(tokens: ["root"]), value: nested(deep))]
            onOtherThread(stackSize: 512 * 1024) {
                let drive = Drive()
                let error = #expect(throws: JSONPatchError.self) { try apply(patch, to: drive, limits: .unlimited) }
                #expect(error?.reason.contains("overflow the stack") == true)
                #expect(drive.root.folders.isEmpty)
            }
        }

        @Test func valuesUpToTheLimitsAreWritten() throws {
            let drive = Drive()
            try apply([.replace(path: JSONPointer("/root"), value: nested(20))], to: drive)
            #expect(try JSONValue(encoding: drive)["root"] == nested(20))
            let limits = JSONLimits(depth: 10)
            #expect(throws: JSONPatchError.self) {
                try apply([.add(path: JSONPointer("/root/folders/-"), value: nested(20))], to: drive, limits: limits)
            }
            // A value that is already deeper can be changed.
            try apply([.remove(path: JSONPointer("/root/folders/0"))], to: drive, limits: limits)
            #expect(drive.root.folders.isEmpty)
        }

        @Test func doublingCopiesAreRefused() throws {
            var copies: [JSONPatch.Operation] = []
            for number in 0..<63 {
                copies.append(
                    .copy(
                        from: JSONPointer(tokens: ["json"]), path: JSONPointer(tokens: ["json", "k\(number)"])))
            }
            let drive = Drive()
            let before = try JSONValue(encoding: drive)
            let error = #expect(throws: JSONPatchError.self) { try apply(JSONPatch(copies), to: drive) }
            #expect(error?.reason.contains("JSONLimits.valueCount") == true, "\(String(describing: error))")
            #expect(try JSONValue(encoding: drive) == before)
            #expect(throws: JSONPatchError.self) { try JSONPatch(copies).applying(to: before) }
        }

        @Test func doublingCopiesOfTypedArraysAreRefused() throws {
            let copies = (0..<63).map { _ in
                JSONPatch.Operation.copy(
                    from: JSONPointer(tokens: ["root"]), path: JSONPointer(tokens: ["root", "folders", "-"]))
            }
            let limits = JSONLimits(valueCount: 1_000)
            let reason = try reason(of: JSONPatch(copies), limits: limits, index: 8)
            #expect(reason.contains("JSONLimits.valueCount"))
        }
    }
}
