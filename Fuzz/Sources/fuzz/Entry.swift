// The entry point of libFuzzer, and the choice of a target.
//
// A target accepts any bytes. It may return early to refuse them. It crashes if a promise of the library does not hold.
// The environment variable FUZZ_TARGET names the target.

import Foundation

private let targets: [String: @Sendable (Data) -> Void] = [
    "json": fuzzJSON, "pointer": fuzzPointer, "patch": fuzzPatch, "apply": fuzzApply, "log": fuzzLog,
    "load": fuzzLoad,
]

private let target: @Sendable (Data) -> Void = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = targets[name] else {
        fatalError("FUZZ_TARGET is \"\(name)\"; there are \(targets.keys.sorted().joined(separator: ", "))")
    }
    return target
}()

/// The program: SwiftPM expects an entry point of this name in an executable.
@_cdecl("fuzz_main")
public func runFuzzer(_ count: CInt, _ arguments: Arguments) -> CInt {
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments, testOneInput)
}

/// The arguments of a program in C.
public typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

/// libFuzzer's own main function.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Called by libFuzzer for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Data(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Crashes with a message if a promise does not hold.
func promise(_ condition: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String) {
    do {
        guard try condition() else { fatalError(message()) }
    } catch {
        fatalError("\(message()): \(error)")
    }
}

extension Data {
    /// The first line and the rest.
    var firstLineAndRest: (Data, Data) {
        guard let end = firstIndex(of: UInt8(ascii: "\n")) else { return (self, Data()) }
        return (Data(self[..<end]), Data(self[(end + 1)...]))
    }
}
