// What a program prints when it stops.

#if os(Linux) || os(macOS) || os(Windows)
import Testing

/// Checks that a program has stopped with a message that contains all of `parts`.
package func expectMessage(
    _ result: ExitTest.Result?, _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for part in parts { #expect(message.contains(part), "\(message)", sourceLocation: sourceLocation) }
}
#endif
