// `swift run Tour`: shows each function of the library in a few lines, and what they print.

import TourCore

@main
struct Program {
    static func main() async throws {
        try await Tour.run()
    }
}
